"""What is better read live, or must not be stored, is declined with the reason."""

from __future__ import annotations

import pytest

from tests.unit.test_harness import House, house, talk

assert house  # the fixture

LIST = "- [ ] write the routes\n- [ ] test them"


@pytest.mark.behaviour("A4")
def test_the_person_learns_why(house: House) -> None:
    harness = house.harness("one")
    (turn,) = talk(harness, "Remember: src/app.py holds the routes.")
    assert house.names() == []
    assert turn.notices[0].startswith("Not saved: file layout. ")
    assert "Say what was surprising about it" in turn.notices[0]


@pytest.mark.parametrize("said", ["The routes are in src/app.py.", LIST, "Remember to eat."])
def test_who_did_not_ask_for_such_a_memory_is_not_told_about_it(house: House, said: str) -> None:
    harness = house.harness("one")
    talk(harness, said)
    assert not any(notice.startswith("Not saved") for notice in harness.notices)


def test_a_secret_is_declined(house: House) -> None:
    (turn,) = talk(house.harness("one"), "Remember that the password is hunter2-Tr0ub4dor.")
    assert turn.notices == ("Not saved: it looks like a secret.",)
    assert house.names() == []

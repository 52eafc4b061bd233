"""What is better read live is declined with the reason, unless the person insists."""

from __future__ import annotations

import pytest

from memlab.errors import MemoryRefusedError
from tests.unit.test_harness import House, house, talk

assert house  # the fixture

LIST = "- [ ] write the routes\n- [ ] test them"


@pytest.mark.behaviour("A4")
def test_the_person_learns_why(house: House) -> None:
    harness = house.harness("one")
    (turn,) = talk(harness, "Remember: src/app.py holds the routes.")
    assert house.names() == []
    assert turn.notices[0].startswith("Not saved: file layout. ")
    assert turn.notices[0].endswith("/memory keep")
    harness.keep()
    (name,) = house.names()
    assert harness.notices[-1] == f"Saved to memory: {name}"


@pytest.mark.parametrize("said", ["The routes are in src/app.py.", LIST, "Remember to eat."])
def test_who_did_not_ask_for_such_a_memory_is_not_told_about_it(house: House, said: str) -> None:
    harness = house.harness("one")
    talk(harness, said)
    assert not any(notice.startswith("Not saved") for notice in harness.notices)


def test_insisting_does_not_help_a_secret(house: House) -> None:
    harness = house.harness("one")
    talk(harness, "Remember that the password is hunter2-Tr0ub4dor.")
    with pytest.raises(MemoryRefusedError, match="looks like a password"):
        harness.keep()
    assert house.names() == []

"""Looking for secrets takes time in proportion to the text, and sees through what hides a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from memlab.memdir import secrets
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.policy import MOST, lint_memory
from memlab.memdir.secrets import find_secrets
from tests.unit.memdir.test_policy import NOW

parser: Any = re._parser  # type: ignore[attr-defined]
REACH = 700


def assertions(parsed: Any) -> Iterator[Any]:
    """Give the patterns that look ahead or behind inside a parsed pattern."""
    for operator, given in parsed:
        for part in given if isinstance(given, tuple | list) else ():
            for inner in part if isinstance(part, list) else [part]:
                if isinstance(inner, parser.SubPattern):
                    if str(operator).startswith("ASSERT"):
                        yield inner
                    yield from assertions(inner)


def reach(pattern: re.Pattern[str]) -> int:
    """Give how many characters at most a pattern looks at, from one place on."""
    parsed = parser.parse(pattern.pattern, pattern.flags)
    inner = [each.getwidth()[1] for each in assertions(parsed)]
    return int(parsed.getwidth()[1]) + max(inner, default=0)


def test_what_follows_a_word_is_looked_for_nearby() -> None:
    for kind, _, pattern in secrets._BY_WORD:
        assert reach(pattern) <= REACH, kind
    assert reach(secrets._WORD) <= 60
    assert reach(re.compile(r"token\S+")) > REACH, "the measure finds an endless pattern"
    assert reach(re.compile(r"token(?=\S*\d)")) > REACH, "and an endless look ahead"


# These run to the end of a word, and the next place to begin is behind that end.
ENDLESS = ["private key", "key or token with a known prefix", "address that lets its bearer post"]
ENDLESS += ["signed token", "bearer token", "password in an address"]


def test_only_known_forms_run_to_the_end_of_a_word() -> None:
    endless = {kind for kind, _, pattern in secrets._BY_FORM if reach(pattern) > REACH}
    assert endless <= set(ENDLESS)


def test_a_value_is_not_searched_for_further_words(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[re.Match[str]] = []

    def always(match: re.Match[str]) -> bool:
        looked.append(match)
        return True

    monkeypatch.setattr(secrets, "_is_value", always)
    assert len(find_secrets("token=1" * 1_000)) == len(looked) <= 1_000 * 7 // secrets.MOST + 1


@pytest.mark.parametrize("unit", ["token=1", "password:*", "eyJ-", "token is ", "p a s s ", "a@"])
def test_a_long_hostile_text_is_no_trouble(unit: str) -> None:
    body = unit * (200_000 // len(unit))
    found = lint_memory(Memory("Name", "what it is", MemoryType.user, body), now=NOW)
    assert len([one for one in found if one.rule == "secret"]) <= MOST


def test_places_lead_back_to_the_text_that_was_given() -> None:
    for text, start in {
        "One\nThe pass\xadword of the till is Brine" + "Otter42": 8,
        "One p a s s w o r d: Brine" + "Otter42": 4,
        "\xadOne p\u200b a s s w o r d: Brine" + "Otter42": 5,
        "R E G A T T A\nThe token is k8Qm2Wx9Lk" + "4Vb8Nc": 18,
    }.items():
        assert [one.offset for one in find_secrets(text)] == [start], text

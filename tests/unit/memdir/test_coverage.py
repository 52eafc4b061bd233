"""Which sentences reverse an older one, judged on the labelled pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from memlab.memdir.coverage import Reversal, Statements, split_sentences

FILE = Path(__file__).parents[3] / "data" / "labelled" / "dream_attacks" / "negation.yaml"
PAIRS = yaml.safe_load(FILE.read_text("utf-8"))


def find_reversals(before: str, after: str) -> list[Reversal]:
    statements = Statements(split_sentences(before))
    return [one for sentence in split_sentences(after) for one in statements.reversed_by(sentence)]


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["id"] for pair in PAIRS])
def test_a_labelled_pair(pair: dict[str, Any]) -> None:
    found = find_reversals(pair["before"], pair["after"])
    assert bool(found) is pair["listed"], found


def test_a_reversal_names_both_sentences() -> None:
    before = "Robin likes tea. Never deploy on Fridays."
    (found,) = find_reversals(before, "Deploy on Fridays. Robin likes tea.")
    assert str(found) == "“Never deploy on Fridays.” → “Deploy on Fridays.”"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Do not, under any circumstances, push to main.", "Push to main."),
        ("Spaces are not, tabs are welcome.", "Spaces are welcome."),
        ("Deploys on Fridays: never.", "Deploys on Fridays: always."),
        ("It is not forbidden to mock the database.", "It is forbidden to mock the database."),
    ],
)
def test_the_denial_is_found_wherever_it_is_in_the_sentence(before: str, after: str) -> None:
    assert find_reversals(before, after)
    assert find_reversals(before, before) == []


def test_many_unrelated_sentences_are_not_compared_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = []
    monkeypatch.setattr(
        "memlab.memdir.coverage._flipped", lambda old, new: compared.append(1) or False
    )
    many = Statements(f"Boat b{n} lies at pier p{n}." for n in range(2_000))
    for sentence in split_sentences(" ".join(f"Never moor b{n}x at p{n}x." for n in range(200))):
        many.reversed_by(sentence)
    assert len(compared) == 0

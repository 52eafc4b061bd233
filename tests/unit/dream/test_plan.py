"""What a dream leaves to a person where nobody is there to ask."""

from __future__ import annotations

import pytest

from memlab.dream.plan import ONLY_PROPOSED, READ_OTHERS, left_to_person
from memlab.dream.stage import Proposal

MINE = {"MEMORY.md": b"", "ask.md": b"ask", "tabs.md": b"tabs"}


@pytest.mark.behaviour("L2")
@pytest.mark.parametrize(
    ("shared", "after", "reason", "left"),
    [
        ({}, {"tabs.md": b"tabs"}, "obsolete since April", {}),
        ({"team/sql.md": b"1"}, MINE, "", {"team/sql.md": ONLY_PROPOSED}),
        (
            {"team/sql.md": b"1"},
            {"MEMORY.md": b"", "tabs.md": b"tabs", "team/sql.md": b"1"},
            "obsolete since April",
            {"team/sql.md": ONLY_PROPOSED, "ask.md": READ_OTHERS},
        ),
        (
            {"team/sql.md": b"1"},
            {"MEMORY.md": b"", "tabs.md": b"tabs and ask", "team/sql.md": b"1"},
            "superseded by tabs.md",
            {"team/sql.md": ONLY_PROPOSED},
        ),
        (
            {"team/sql.md": b"1"},
            {"MEMORY.md": b"", "tabs.md": b"tabs", "team/sql.md": b"1"},
            "superseded by team/sql.md",
            {"team/sql.md": ONLY_PROPOSED, "ask.md": READ_OTHERS},
        ),
    ],
)
def test_a_private_memory_goes_only_into_another_private_one(
    shared: dict[str, bytes], after: dict[str, bytes], reason: str, left: dict[str, str]
) -> None:
    reasons = {"ask.md": reason} if reason else {}
    proposal = Proposal(MINE | shared, after, reasons)
    assert left_to_person(proposal) == left

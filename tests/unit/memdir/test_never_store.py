"""What can be read live: forms and their limits; the labelled cases are in `test_policy`."""

from __future__ import annotations

import pytest

from memlab.memdir.policy import LiveFact, find_live_facts
from tests.work import does_not_stall

PROSE = "Below it stand\nfour lines\nof prose\nand no code.\n"


def code(lines: int) -> str:
    return "".join(f"    step_{number}(boat)\n\n" for number in range(lines))


@pytest.mark.parametrize(("lines", "sure"), [(3, None), (4, False), (10, False), (11, True)])
@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_a_block_of_code_is_judged_by_its_lines(lines: int, sure: bool | None, fence: str) -> None:
    found = find_live_facts(f"Like this:\n\n{fence}python\n{code(lines)}{fence}\n{PROSE}")
    assert found == (() if sure is None else (LiveFact("code-block", sure, 3),))


def test_a_block_that_is_never_closed_counts_to_the_end() -> None:
    assert find_live_facts("```\n" + "x = 1\n" * 11 + "y = 2") == (LiveFact("code-block", True, 1),)


def test_the_surest_of_a_rule_is_told_and_each_rule_once() -> None:
    doubtful = "The rounding is in tidebook/pricing.py.\n\nNext steps: receipts.\n\n"
    sure = "a/\n├── b.py\n└── c.py\n\n- [ ] receipts\n- [x] tax\n"
    assert find_live_facts(doubtful) == (
        LiveFact("file-layout", False, 1),
        LiveFact("task-state", False, 3),
    )
    assert set(find_live_facts(doubtful + sure)) == {
        LiveFact("file-layout", True, 6),
        LiveFact("task-state", True, 9),
    }


@pytest.mark.parametrize(
    ("form", "rule"),
    [
        ("- a/b.py\n", "file-layout"),
        ("3f9a2c1 round up\n", "git-history"),
        ("see #112 there\n", "git-history"),
    ],
)
def test_one_is_a_mention_and_several_are_a_list(form: str, rule: str) -> None:
    assert find_live_facts(form) == ()
    assert [one.rule for one in find_live_facts(form * 3)] == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "```\n" + "a b c d e f g h\n\n" * 10 + "```\n",
        "```\n" * 10_000,
        " " * 50_000,
        "\n" * 50_000,
        "1. " * 20_000,
        "a/" * 25_000,
        "to fix " * 7_000,
        "PR #1 " * 8_000,
        "    x\n" * 8_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_a_hostile_text_does_not_stall(text: str) -> None:
    assert does_not_stall(lambda: find_live_facts(text))

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from memlab.course import Question, contains_evidence, measure
from memlab.errors import CourseError


def question(evidence: tuple[str, ...], asked: str = "Which style?") -> Question:
    return Question(
        id="q01", question=asked, evidence=evidence, memory="m.md", session="s", why="why"
    )


def holding(text: str) -> Any:
    def build(asked: Question) -> Mapping[str, Any]:
        return {
            "system": text,
            "messages": [{"role": "user", "content": asked.question}],
        }

    return build


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("Use TABS.", "tabs"),
        ("tabs,\n\tnot  spaces", "tabs, not spaces"),
        ("stabs, tabs", "tabs"),
        ("at https://lantern.example/d/returns now", "lantern.example/d/returns"),
        ("die Straße", "STRASSE"),
    ],
)
def test_what_stands_in_a_text(text: str, evidence: str) -> None:
    assert contains_evidence(text, evidence)


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("stabs", "tabs"),
        ("tabs_wide", "tabs"),
        ("17x10", "17.10"),
        ("crème", "cr"),
        ("tabs and spaces", "tabs spaces"),
        ("anything", ""),
        ("", "tabs"),
    ],
)
def test_what_does_not(text: str, evidence: str) -> None:
    assert not contains_evidence(text, evidence)


def test_all_evidence_has_to_stand_in_the_request() -> None:
    both = question(("tabs", "single quotes"))
    assert measure("00 one", holding("tabs"), [both]).found == 0
    assert measure("00 both", holding("tabs and single quotes"), [both]).found == 1


def test_what_the_question_says_itself_is_not_remembered() -> None:
    told = question(("tabs",), "Do I like tabs?")
    assert measure("00 told", holding("tabs"), [told]).found == 0
    assert measure("00 asked", holding("tabs"), [question(("tabs",))]).found == 1


def test_a_row_counts_tokens_by_question() -> None:
    row = measure("02 the hooks", holding("x" * 40), [question(("tabs",)), question(("x" * 40,))])
    assert (row.notebook, row.label, row.found, row.of) == (2, "the hooks", 1, 2)
    assert [hit.tokens for hit in row.detail] == [13, 13]
    assert row.tokens_mean == 13


def test_nothing_to_measure_is_nothing_found() -> None:
    row = measure("00 nothing", holding(""), [])
    assert (row.found, row.of, row.tokens_mean) == (0, 0, 0)


@pytest.mark.parametrize("name", ["nothing", "00", "", "x nothing"])
def test_a_stage_begins_with_its_notebook(name: str) -> None:
    with pytest.raises(CourseError, match="not a stage's name"):
        measure(name, holding(""), [])

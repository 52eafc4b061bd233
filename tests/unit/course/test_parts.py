from __future__ import annotations

from inspect import unwrap
from typing import Any

import pytest

from memlab.course import all_exercises, measuring
from memlab.course.lab_parts import Parts, read_parts
from memlab.course.seams import SEAMS
from memlab.errors import CourseError


def contains_evidence(text: str, evidence: str) -> bool:
    return True


def missed_text(evidence: str) -> str:
    return evidence


def unheard_of() -> None: ...


@pytest.mark.parametrize(
    "given",
    [
        {"contains_evidence": contains_evidence},
        [contains_evidence],
        (contains_evidence, missed_text),
        contains_evidence,
        Parts({"contains_evidence": contains_evidence}),
    ],
)
def test_every_way_to_hand_over_a_part(given: Any) -> None:
    parts = read_parts(given)
    assert parts.mine == ("contains_evidence",)
    assert unwrap(parts.get("contains_evidence")) is contains_evidence


def test_without_parts_everything_is_ours() -> None:
    parts = read_parts(None)
    assert parts.mine == ()
    assert parts.get("contains_evidence") is measuring.contains_evidence
    assert set(SEAMS) == {each.part for each in all_exercises() if each.part}


@pytest.mark.parametrize(
    "given",
    [[unheard_of], {"unheard_of": unheard_of}],
)
def test_the_error_for_an_unknown_part_lists_the_known_ones(given: Any) -> None:
    with pytest.raises(
        CourseError, match=r"no part 'unheard_of'.*The parts are: .*contains_evidence"
    ):
        read_parts(given)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(CourseError, match="is not a function"):
        read_parts({"contains_evidence": True})
    with pytest.raises(CourseError, match="names no functions"):
        read_parts(7)


def test_asking_for_an_unknown_part_is_an_error_too() -> None:
    with pytest.raises(CourseError, match="no part 'dream'"):
        Parts().get("dream")

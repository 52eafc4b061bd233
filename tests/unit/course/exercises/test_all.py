"""Every exercise there is: starter → todo, wrong answers → a useful fail, solution → pass."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from memlab.course.exercise import SEED, Exercise, judge
from memlab.course.exercises import EXERCISES

every_exercise = pytest.mark.parametrize(
    "exercise", EXERCISES.values(), ids=lambda exercise: exercise.name
)


def written(exercise: Exercise, source: str) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    exec(source, names)
    function: Callable[..., Any] = names[exercise.name]
    return function


@every_exercise
def test_starter_wrong_answers_and_solution_are_told_apart(exercise: Exercise) -> None:
    line = judge(exercise, written(exercise, exercise.starter))
    assert line.startswith(f"todo: {exercise.name} is not written yet")
    assert exercise.wrong
    for wrong in exercise.wrong:
        line = judge(exercise, written(exercise, wrong.source))
        assert line.startswith(f"fail: {exercise.name}("), wrong
        assert wrong.told in line, wrong
        assert "expected" in line, wrong
        assert "Likely slip" in line, wrong
    assert judge(exercise, written(exercise, exercise.solution)).startswith("pass: ")


@every_exercise
def test_a_learner_sees_a_signature_an_example_and_a_hint(exercise: Exercise) -> None:
    assert exercise.name.startswith("my_")
    assert exercise.starter.rstrip().endswith("raise NotImplementedError")
    assert ">>>" in exercise.starter
    assert exercise.hints
    assert exercise.why.endswith(".")


@every_exercise
def test_the_cases_are_fair_differ_by_seed_and_hold_for_the_part_in_the_machine(
    exercise: Exercise,
) -> None:
    solution = written(exercise, exercise.solution)
    for seed in range(20):
        for case in exercise.cases(random.Random(seed)):
            assert case.fits(solution(*case.arguments)), (seed, case.arguments)
    if exercise.default is not None:
        for case in exercise.cases(random.Random(SEED)):
            assert case.fits(exercise.default(*case.arguments)), case.arguments
    first, again, other = (
        [case.arguments for case in exercise.cases(random.Random(seed))] for seed in (SEED, SEED, 7)
    )
    assert first == again != other

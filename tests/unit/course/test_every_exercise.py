"""Every exercise in ``data/exercises``: what a learner will see, and what the README says."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from doctest import DocTestParser
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memlab.cli.store import read_record
from memlab.course import all_exercises, check, hint
from memlab.course.checking import is_starter
from memlab.course.exercise import SEED, Exercise, judge
from memlab.course.seams import SEAMS

ROOT = Path(__file__).resolve().parents[3]
README = ROOT / "data" / "exercises" / "README.md"
EXERCISES = all_exercises()

every_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)


def written(exercise: Exercise, source: str) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    exec(source, names)
    function: Callable[..., Any] = names[exercise.name]
    return function


@every_exercise
def test_starter_wrong_answers_and_solution_are_told_apart(exercise: Exercise) -> None:
    assert is_starter(exercise.starter, exercise)
    assert not is_starter(exercise.solution, exercise)
    cases = exercise.cases(random.Random(SEED))
    calls = {" ".join(case.call.split()) or f"{exercise.name}(" for case in cases}
    labels = {case.returned for case in cases} | {"you raised"}
    for wrong in exercise.wrong:
        verdict = judge(exercise, written(exercise, wrong.source))
        text = " ".join(str(verdict).split())
        assert text.startswith(tuple(f"✗ not yet {call}" for call in calls)), wrong
        assert wrong.message.casefold() in text.casefold(), wrong
        assert any(f" {label} " in text for label in labels), wrong
        assert " expected " in text, wrong
        assert f'hint("{exercise.name}")' in text, wrong
        if " you raised " in text and "Error" in wrong.message:
            assert verdict.closing == "", "an exception that no rule explains has no observation"
    assert judge(exercise, written(exercise, exercise.solution)).passed


@every_exercise
def test_it_has_an_example_a_reason_and_enough_wrong_answers(exercise: Exercise) -> None:
    # raises if the docstring breaks a line inside an example, as "\n" instead of "\\n" does
    text = written(exercise, exercise.starter).__doc__ or ""
    assert DocTestParser().get_examples(text) or exercise.run
    assert exercise.why.endswith(".")
    assert len(exercise.wrong) >= 5 or exercise.planned


@pytest.mark.slow
@every_exercise
def test_the_solution_fits_the_cases_of_many_seeds(exercise: Exercise) -> None:
    assert_the_solution_fits(exercise, range(1, 6))


def assert_the_solution_fits(exercise: Exercise, seeds: Iterable[int]) -> None:
    solution = written(exercise, exercise.solution)
    called = partial(exercise.run, solution) if exercise.run else solution
    for seed in seeds:
        for case in exercise.cases(random.Random(seed)):
            assert case.fits(called(*case.arguments)), (seed, case.arguments)


@every_exercise
def test_the_cases_are_fair_differ_by_seed_and_hold_for_the_part_in_the_machine(
    exercise: Exercise,
) -> None:
    assert_the_solution_fits(exercise, [0])
    ours = SEAMS[exercise.part].ours if exercise.part else None
    if ours:
        called = partial(exercise.run, ours) if exercise.run else ours
        for case in exercise.cases(random.Random(SEED)):
            assert case.fits(called(*case.arguments)), case.arguments
    first, again, other = (
        [case.arguments for case in exercise.cases(random.Random(seed))] for seed in (SEED, SEED, 7)
    )
    assert first == again != other


def test_the_readmes_example_becomes_an_exercise_when_its_files_are_written(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = README.read_text(encoding="utf-8")
    (name,) = re.findall(r"This is all of `(data/exercises/\d\d/\w+)/`", text)
    files = dict(re.findall(r"^In `([\w./]+)`:\n\n```\w*\n(.*?)^```$", text, re.M | re.S))
    for file, content in files.items():
        path = toy / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    (toy / "notebooks" / "01_boats.ipynb").write_text("{}", encoding="utf-8")

    made = all_exercises()[-1]
    assert made.name == "word_count"
    test_starter_wrong_answers_and_solution_are_told_apart(made)
    test_the_cases_are_fair_differ_by_seed_and_hold_for_the_part_in_the_machine(made)
    check(written(made, made.solution))
    hint("word_count")
    assert capsys.readouterr().out == (
        "✓ pass  word_count (12 cases). No cell defines it, so it is not saved.\n"
        "hint 1 of 2: Which line is the last one that does not count?\n"
    )


def test_the_readme_lists_every_exercise_with_its_signature() -> None:
    table = README.read_text(encoding="utf-8").partition("## All gaps")[2]
    rows = [re.split(r" ?(?<!\\)\| ?", line) for line in table.splitlines()[1:]]
    listed = {
        (row[1], row[2].replace("\\|", "|"), row[5], row[3], int(row[4]))
        for row in rows
        if len(row) > 5 and row[1].isdigit() and "planned for" not in row[-2]
    }
    assert {(*row[:2], *row[3:]) for row in listed} == {
        (
            f"{one.notebook:02d}",
            f"`{one.signature}`",
            "★" * one.header.stars,
            one.header.minutes,
        )
        for one in EXERCISES
    }
    for one in EXERCISES:
        (where,) = (row[2] for row in listed if row[1] == f"`{one.signature}`")
        places = SEAMS[one.part].places if one.part else ()
        assert [name for name in re.findall("`(.*?)`", where) if name.startswith("memlab.")] == [
            f"{place}" for place in places
        ]


def test_an_edited_exercise_or_quiz_makes_its_own_notebook_out_of_date() -> None:
    record = read_record(ROOT)
    for number, paths in record.items():
        # notebook 12 shows the solution of every gap
        folder = "." if number == "12" else number
        own = {
            file.relative_to(ROOT).as_posix()
            for file in (ROOT / "data" / "exercises" / folder).rglob("*.*")
            if file.suffix in (".md", ".py") and file.name != "README.md"
        }
        own -= {
            file.relative_to(ROOT).as_posix()
            for one in EXERCISES
            if one.planned
            for file in (ROOT / "data" / "exercises" / number / one.name).rglob("*.*")
        }
        own.add(f"data/quizzes/{number}.yaml")
        read = {path for path in paths if path.startswith(("data/exercises/", "data/quizzes/"))}
        assert {path for path in read if not path.endswith("/")} == own

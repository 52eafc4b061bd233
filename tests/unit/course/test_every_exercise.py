"""Every exercise in ``data/exercises``: what a learner will see, and what the README says."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memlab.cli.store import read_record
from memlab.course import all_exercises, check, hint
from memlab.course.adapters import PARTS
from memlab.course.exercise import SEED, Exercise, judge

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
    text = str(judge(exercise, written(exercise, exercise.starter)))
    assert text.startswith(f"○ todo  {exercise.name} is not written yet")
    for wrong in exercise.wrong:
        verdict = judge(exercise, written(exercise, wrong.source))
        text = " ".join(str(verdict).split())
        assert text.startswith(f"✗ not yet {exercise.name}("), wrong
        assert wrong.message.casefold() in text.casefold(), wrong
        assert " you returned " in text or " you raised " in text, wrong
        assert " expected " in text, wrong
        assert f'hint("{exercise.name}")' in text, wrong
        if " you raised " in text:
            assert verdict.closing == "", "after an exception there is no observation"
    assert judge(exercise, written(exercise, exercise.solution)).passed


@every_exercise
def test_a_learner_sees_a_signature_an_example_and_a_reason(exercise: Exercise) -> None:
    assert exercise.name.startswith("my_")
    assert exercise.starter.rstrip().endswith("raise NotImplementedError")
    assert ">>>" in exercise.starter
    assert exercise.why.endswith(".")


@every_exercise
def test_the_cases_are_fair_differ_by_seed_and_hold_for_the_part_in_the_machine(
    exercise: Exercise,
) -> None:
    solution = written(exercise, exercise.solution)
    for seed in range(20):
        for case in exercise.cases(random.Random(seed)):
            assert case.fits(solution(*case.arguments)), (seed, case.arguments)
    if exercise.part:
        assert exercise.name == f"my_{exercise.part}"
        for case in exercise.cases(random.Random(SEED)):
            assert case.fits(PARTS[exercise.part](*case.arguments)), case.arguments
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
    assert made.name == "my_word_count"
    test_starter_wrong_answers_and_solution_are_told_apart(made)
    test_the_cases_are_fair_differ_by_seed_and_hold_for_the_part_in_the_machine(made)
    check(written(made, made.solution))
    hint("word_count")
    assert capsys.readouterr().out == (
        "✓ pass  my_word_count (12 cases).\n"
        "hint 1 of 2: Which line is the last one that does not count?\n"
    )


def test_the_readme_lists_every_exercise_with_its_signature() -> None:
    table = README.read_text(encoding="utf-8").partition("## All exercises")[2]
    rows = [line for line in table.splitlines() if "`my_" in line and line.startswith("| ")]
    listed = [[cell.strip(" |") for cell in row.split(" | ")][:3] for row in rows]
    assert listed == [
        [f"{one.notebook:02d}", one.header.kind, f"`{one.signature}`"] for one in EXERCISES
    ]


def test_an_edited_exercise_or_quiz_makes_its_own_notebook_out_of_date() -> None:
    record = read_record(ROOT)
    for number, paths in record.items():
        own = {
            file.relative_to(ROOT).as_posix()
            for file in (ROOT / "data" / "exercises" / number).rglob("*.*")
            if file.suffix in (".md", ".py")
        }
        own.add(f"data/quizzes/{number}.yaml")
        read = {path for path in paths if path.startswith(("data/exercises/", "data/quizzes/"))}
        assert {path for path in read if not path.endswith("/")} == own

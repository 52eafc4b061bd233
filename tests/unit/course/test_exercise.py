"""What ``check``, ``hint`` and ``solution`` say, with an exercise that exists only as files."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memlab.course.checking import check, hint, solution
from memlab.course.exercise import judge
from memlab.course.exercise_files import find_exercise
from tests.unit.course.toy import EXERCISE, FILES

pytestmark = pytest.mark.usefixtures("toy")


def said(capsys: pytest.CaptureFixture[str], function: Any) -> str:
    check(function)
    line = capsys.readouterr().out
    assert line.count("\n") == 1
    return line.strip()


def named(function: Callable[..., Any]) -> Callable[..., Any]:
    function.__name__ = "my_tail"
    return function


def test_an_unwritten_function_is_still_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    def my_tail(row: list[int], start: int) -> list[int]:
        raise NotImplementedError

    assert said(capsys, my_tail) == "todo: my_tail is not written yet; hint('my_tail') helps"


def test_a_half_written_one_says_for_which_input(capsys: pytest.CaptureFixture[str]) -> None:
    def my_tail(row: list[int], start: int) -> list[int]:
        if row != [2, 1]:
            raise NotImplementedError
        return [2]

    assert said(capsys, my_tail).startswith("todo: my_tail is not written yet for my_tail([")


def test_a_right_one_passes_even_if_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    def my_tail(row: list[int], start: int) -> list[int]:
        print("looking at", row)
        return sorted(row)[start:]

    assert said(capsys, my_tail) == (
        "pass: my_tail holds in all 6 cases; no cell defines it, so it is not saved"
    )


def test_a_wrong_one_names_input_result_expectation_and_slip(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def my_tail(row: list[int], start: int) -> list[int]:
        return row[start:]

    assert said(capsys, my_tail) == (
        "fail: my_tail([2, 1], 1) returned [1]; expected [2]. Likely slip: the order"
    )


def test_an_answer_learnt_by_heart_meets_other_cases(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, named(lambda row, start: [2])).startswith("fail: my_tail([")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda row, start: None, "returned None; expected a list"),
        (lambda row, start: "x", "returned a str; expected a list"),
        (lambda row, start: {}[start], "raised KeyError: 1; expected [2]"),
        (lambda row: row, "takes (row); expected (row, start)"),
        (lambda row, start, end: row, "takes (row, start, end); expected (row, start)"),
        (lambda row, start: (row.sort(), row[start:])[1], "changed its argument"),
    ],
)
def test_other_ways_to_fail(
    capsys: pytest.CaptureFixture[str], function: Callable[..., Any], message: str
) -> None:
    line = said(capsys, named(function))
    assert line.startswith("fail: ")
    assert message in line


def test_a_coroutine_and_a_generator_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    async def my_tail(row: list[int], start: int) -> list[int]:
        return row

    assert said(capsys, my_tail) == "fail: my_tail is async; write it as a plain def"

    def yielding(row: list[int], start: int) -> Iterator[int]:
        yield from row

    assert "yields" in said(capsys, named(yielding))


def test_a_result_that_cannot_be_shown_raises_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError("no picture")

    def my_tail(row: list[int], start: int) -> list[Any]:
        return [Odd()]

    assert said(capsys, my_tail).startswith("fail: this could not be judged (RuntimeError")
    assert said(capsys, Odd()).startswith("fail: this could not be judged (RuntimeError")


def test_an_endless_loop_names_its_input() -> None:
    entered = threading.Event()

    def my_tail(row: list[int], start: int) -> list[int]:
        while row:
            entered.set()
        return row

    exercise = find_exercise("my_tail")
    assert exercise
    line = judge(exercise, my_tail, lambda thread: entered.wait())
    assert line.startswith("fail: my_tail([2, 1], 1) does not come back")


@pytest.mark.parametrize("thing", [True, [2], None])
def test_a_result_instead_of_the_function_is_noticed(
    capsys: pytest.CaptureFixture[str], thing: object
) -> None:
    assert "give the function itself" in said(capsys, thing)


def test_for_another_function_the_exercises_are_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert said(capsys, said) == "fail: there is no exercise 'said'; there are: my_tail"


def test_hints_come_one_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("my_tail", "tail", named(lambda row, start: row)):
        hint(name)
    assert capsys.readouterr().out.splitlines() == [
        "hint 1 of 2: The first hint.",
        "hint 2 of 2: The second hint. (the last one; solution('my_tail') shows one way)",
        "hint 2 of 2: The second hint. (the last one; solution('my_tail') shows one way)",
    ]
    hint("none")
    assert "there is no exercise 'none'" in capsys.readouterr().out


def test_the_solution_comes_with_a_reason() -> None:
    page = solution("my_tail")
    assert FILES[f"{EXERCISE}/solution.py"].strip() in page.markdown
    assert page.markdown.endswith("Sorting first puts the smallest in front.")
    assert "no exercise" in solution("none").markdown


def test_an_edit_of_the_cases_counts_at_the_next_check(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = named(lambda row, start: sorted(row)[start:])
    assert said(capsys, right).startswith("pass: ")
    cases = toy / EXERCISE / "cases.py"
    cases.write_text(cases.read_text().replace("sorted(row)[1:]", "[]"), encoding="utf-8")
    assert said(capsys, right).startswith("fail: my_tail([2, 1], 1) returned [2]; expected []")


def test_a_faulty_file_is_named_and_raises_nothing_in_check(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (toy / EXERCISE / "cases.py").write_text("def cases(random:\n", encoding="utf-8")
    line = said(capsys, named(lambda row, start: row))
    assert line.startswith("fail: this could not be judged")
    assert "data/exercises/00/my_tail/cases.py:1: this is not Python" in line

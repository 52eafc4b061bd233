"""What ``check``, ``hint`` and ``solution`` say, with an exercise that exists only as files."""

from __future__ import annotations

import functools
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
    text = capsys.readouterr().out
    assert all(len(line) < 80 for line in text.splitlines())
    return text.rstrip("\n")


def folded(capsys: pytest.CaptureFixture[str], function: Any) -> str:
    return " ".join(said(capsys, function).split())


def named(function: Callable[..., Any]) -> Callable[..., Any]:
    function.__name__ = "tail"
    return function


HELP = 'hint("tail") · solution("tail")'


def test_an_unwritten_function_is_still_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    def tail(row: list[int], start: int) -> list[int]:
        raise NotImplementedError

    check(tail)
    assert capsys.readouterr().out == (
        f"○ todo  tail is not written yet: until it passes, memlab's version is used · {HELP}\n"
    )


def test_what_nothing_calls_has_no_version_that_is_used_meanwhile(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prompt = toy / EXERCISE / "prompt.md"
    prompt.write_text(prompt.read_text().replace("kind: build", "kind: break"))

    def tail(row: list[int], start: int) -> list[int]:
        raise NotImplementedError

    check(tail)
    assert capsys.readouterr().out == f"○ todo  tail is not written yet · {HELP}\n"


def test_a_half_written_one_says_for_which_input(capsys: pytest.CaptureFixture[str]) -> None:
    def tail(row: list[int], start: int) -> list[int]:
        if row != [2, 1]:
            raise NotImplementedError
        return [2]

    check(tail)
    text = capsys.readouterr().out
    assert text.startswith("○ todo  tail is not written yet for tail([")
    assert text.count("\n") == 1
    assert ": until it passes, memlab's version is used" in text


def test_a_right_one_passes_and_shows_what_it_printed(capsys: pytest.CaptureFixture[str]) -> None:
    def tail(row: list[int], start: int) -> list[int]:
        print("looking at", row)
        return sorted(row)[start:]

    first, *rest = said(capsys, tail).split("\n")
    assert first == "✓ pass  tail (6 cases)."
    assert " ".join("\n".join(rest).split()) == (
        "printed first looking at [2, 1] No cell defines it, so it is not saved."
    )


def test_a_wrong_one_shows_input_result_expectation_output_and_what_differs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def tail(row: list[int], start: int) -> list[int]:
        print("looking at", row)
        return sorted(row)

    assert (
        said(capsys, tail)
        == f"""\
✗ not yet  tail([2, 1], 1)
             you returned  [1, 2]
                            ^^^
             expected      [2]
             printed       looking at [2, 1]
             1 is not expected. {HELP}"""
    )


def test_the_words_of_a_case_are_shown_for_the_result_that_they_are_about(
    capsys: pytest.CaptureFixture[str],
) -> None:
    known = folded(capsys, named(lambda row, start: row[start:]))
    assert known == f"✗ not yet tail([2, 1], 1) you returned [1] expected [2] The order. {HELP}"
    other = folded(capsys, named(lambda row, start: [7, 7]))
    assert other == f"✗ not yet tail([2, 1], 1) you returned [7, 7] expected [2] {HELP}"


def test_a_case_can_word_its_call_its_result_and_what_it_observes(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (toy / EXERCISE / "cases.py").write_text(
        """\
from memlab.course.exercise import case


def cases(random):
    return [
        case(
            ([2, 1], 0),
            [1, 2],
            lambda came: "" if 2 in came else "boat 2 never left",
            call="two boats, from the first",
            returned="your boats",
            lines=lambda row: [f"boat {number}" for number in row],
        )
    ]
""",
        encoding="utf-8",
    )
    assert (
        said(capsys, named(lambda row, start: [1]))
        == f"""\
✗ not yet  two boats, from the first
             your boats    boat 1
             expected      boat 1
                         + boat 2
             Boat 2 never left. {HELP}"""
    )


def test_an_answer_learnt_by_heart_meets_other_cases(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, named(lambda row, start: [2])).startswith("✗ not yet  tail([")


def test_an_exception_is_shown_with_the_learners_line_and_no_observation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def tail(row: list[int], start: int) -> list[int]:
        return sorted(row, key=row.lookup)  # type: ignore[attr-defined]

    number = tail.__code__.co_firstlineno + 1
    text = folded(capsys, tail)
    assert text == (
        "✗ not yet tail([2, 1], 1) you raised AttributeError: 'list' object has no"
        f" attribute 'lookup' in line {number}: return sorted(row, key=row.lookup) # type:"
        f" ignore[attr-defined] expected [2] {HELP}"
    )


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda row, start: None, "you returned None expected [2] None means"),
        (
            lambda row, start: "x",
            "you returned 'x' expected [2] The result is a str, but a list is",
        ),
        (lambda row: row, "takes (row); expected (row, start)"),
        (lambda row, start, end: row, "takes (row, start, end); expected (row, start)"),
        (lambda row, start: (row.sort(), row[start:])[1], "changed its argument"),
    ],
)
def test_other_ways_to_fail(
    capsys: pytest.CaptureFixture[str], function: Callable[..., Any], message: str
) -> None:
    text = folded(capsys, named(function))
    assert text.startswith("✗ not yet ")
    assert message in text


def test_a_class_a_decorator_and_input_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    class tail:
        pass

    assert "`tail` is a class; write it as a plain def." in said(capsys, tail)

    @functools.cache
    def cached(row: list[int], start: int) -> list[int]:
        return row

    cached.__name__ = "tail"
    assert "`tail` has a decorator; write it as a plain def." in said(capsys, cached)

    def without_name(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given: function(*given)

    text = folded(capsys, without_name(len))
    assert "There is no gap '<lambda>'." in text
    assert "If your function has a decorator, remove it." in text

    def asking(row: list[int], start: int) -> list[int]:
        return row[int(input("where? ")) :]

    text = folded(capsys, named(asking))
    assert "you raised NoInputError: input() waits for a person. Use the arguments" in text
    assert input.__name__ == "input"


def test_a_coroutine_and_a_generator_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    async def tail(row: list[int], start: int) -> list[int]:
        return row

    assert "`tail` is async; write it as a plain def." in said(capsys, tail)

    def yielding(row: list[int], start: int) -> Iterator[int]:
        yield from row

    assert "yields" in said(capsys, named(yielding))


def test_a_result_that_cannot_be_shown_raises_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError("no picture")

    def tail(row: list[int], start: int) -> list[Any]:
        return [Odd()]

    text = folded(capsys, tail)
    assert "you returned <list, whose repr raised RuntimeError: no picture>" in text
    assert "This could not be judged (RuntimeError" in folded(capsys, Odd())


def test_an_endless_loop_names_its_input() -> None:
    entered = threading.Event()

    def tail(row: list[int], start: int) -> list[int]:
        print("round and round")
        while row:
            entered.set()
        return row

    exercise = find_exercise("tail")
    assert exercise
    text = str(judge(exercise, tail, lambda thread: entered.wait()))
    assert " ".join(text.split()) == (
        "✗ not yet tail([2, 1], 1) you returned nothing: it was stopped, as it took over 5 seconds"
        f" expected [2] printed round and round {HELP}"
    )


@pytest.mark.parametrize("thing", [True, [2], None])
def test_a_result_instead_of_the_function_is_noticed(
    capsys: pytest.CaptureFixture[str], thing: object
) -> None:
    assert "Give the function itself" in said(capsys, thing)


def test_for_another_function_the_exercises_are_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert folded(capsys, said) == "✗ not yet There is no gap 'said'. progress() lists them."


def test_hints_come_one_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("tail", named(lambda row, start: row)):
        hint(name)
    assert capsys.readouterr().out.splitlines() == [
        "hint 1 of 2: The first hint.",
        'hint 2 of 2: The second hint. (the last one; solution("tail") shows one way)',
    ]
    hint("none")
    assert "there is no gap 'none'" in capsys.readouterr().out


def test_the_solution_comes_with_a_reason() -> None:
    page = solution("tail")
    assert FILES[f"{EXERCISE}/solution.py"].strip() in page.markdown
    assert page.markdown.endswith("Sorting first puts the smallest in front.")
    assert "no gap" in solution("none").markdown


def test_an_edit_of_the_cases_counts_at_the_next_check(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = named(lambda row, start: sorted(row)[start:])
    assert said(capsys, right).startswith("✓ pass  ")
    cases = toy / EXERCISE / "cases.py"
    cases.write_text(cases.read_text().replace("sorted(row)[1:]", "[]"), encoding="utf-8")
    text = folded(capsys, right)
    assert text.startswith("✗ not yet tail([2, 1], 1) you returned [2] expected [] ")


def test_a_faulty_file_is_named_and_raises_nothing_in_check(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (toy / EXERCISE / "cases.py").write_text("def cases(random:\n", encoding="utf-8")
    text = folded(capsys, named(lambda row, start: row))
    assert text.startswith("✗ not yet This could not be judged")
    assert "data/exercises/00/tail/cases.py:1: this is not Python" in text

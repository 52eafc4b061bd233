from __future__ import annotations

from pathlib import Path

import pytest

from memlab.course import Quiz, answer, quiz
from memlab.course.quizzes import all_quizzes, find_quiz
from memlab.errors import CourseError

pytestmark = pytest.mark.usefixtures("toy")

REAL = all_quizzes()


def test_a_choice_is_judged_with_its_reason() -> None:
    small = find_quiz(0)
    assert small.verdict(1, "b") == "Right: So it is."
    assert small.verdict(1, "A") == "Not quite: Not so."
    assert small.verdict(2, " (b) ") == "Not quite: Not like that."


@pytest.mark.parametrize("number", [0, 3, "1", None])
def test_a_question_that_does_not_exist(number: int) -> None:
    expected = f"There is no question {number!r}: give a number from 1 to 2."
    assert find_quiz(0).verdict(number, "a") == expected


@pytest.mark.parametrize("choice", ["c", "", "ab", 1, None])
def test_an_option_that_does_not_exist(choice: str) -> None:
    assert find_quiz(0).verdict(1, choice).endswith("give one of a, b.")


def test_the_page_asks_and_does_not_answer() -> None:
    text = quiz(0)._repr_mimebundle_()["text/markdown"]
    assert "**1. Why?**" in text
    assert "- **b** · Yes" in text
    assert "`answer(0, 1, 'a')`" in text
    assert not any(option.why in text for one in find_quiz(0).questions for option in one.options)


def test_typed_answers_print_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for choice in ("a", "b", "z"):
        answer(0, 1, choice)
    assert capsys.readouterr().out.splitlines() == [
        "Not quite: Not so.",
        "Right: So it is.",
        "Question 1 has no option 'z': give one of a, b.",
    ]


def test_another_notebook_s_quiz_is_one_more_file(toy: Path) -> None:
    with pytest.raises(CourseError, match=r"notebook 7 has no quiz. There is 0"):
        quiz(7)
    folder = toy / "data" / "quizzes"
    (folder / "07.yaml").write_text((folder / "00.yaml").read_text(), encoding="utf-8")
    assert "`answer(7, 1, 'a')`" in quiz(7)._repr_mimebundle_()["text/markdown"]
    with pytest.raises(CourseError, match=r"notebook 'x' has no quiz. There is 0, 7"):
        answer("x", 1, "a")  # type: ignore[arg-type]


@pytest.mark.parametrize("one", REAL, ids=lambda each: f"{each.notebook:02d}")
def test_every_quiz_is_whole(one: Quiz) -> None:
    assert 3 <= len(one.questions) <= 5
    places = {[option.right for option in each.options].index(True) for each in one.questions}
    assert len(places) > 1, "the right option is always in the same place"
    for each in one.questions:
        assert len({option.text for option in each.options}) == len(each.options)
        assert all(option.why.endswith(".") for option in each.options)

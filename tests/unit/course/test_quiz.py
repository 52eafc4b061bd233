from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from memlab.course import Quiz, answer, quiz
from memlab.course.data_files import data_folder
from memlab.course.quizzes import Option, QuizQuestion, find_quiz
from memlab.errors import CourseError

pytestmark = pytest.mark.usefixtures("toy")

REAL = [find_quiz(int(file.stem)) for file in sorted(data_folder("quizzes").glob("*.yaml"))]


def replies(capsys: pytest.CaptureFixture[str], *given: Any) -> list[str]:
    answer(*given)
    return capsys.readouterr().out.splitlines()


def test_a_choice_is_judged_with_its_reason_and_the_right_one_with_all_reasons() -> None:
    small = find_quiz(0)
    assert str(small.reply(1, "A")) == "✗ not quite  a: Not so."
    assert str(small.reply(1, "b")) == "✓ right  b: So it is.\n         a: Not so."
    assert str(small.reply(2, " (b) ")) == "✗ not quite  b: Not like that."


def test_a_reply_is_marked_by_a_sign_and_a_colour_and_escaped() -> None:
    wrong = Option(text="n", why="<b>n</b>.")
    right = Option(text="y", right=True, why="y.")
    sharp = Quiz(notebook=9, questions=(QuizQuestion(question="x?", options=(wrong, right)),))
    colours = []
    for letter, word in (("a", "✗ not quite</span> a: &lt;b&gt;n"), ("b", "✓ right</span> b: y.")):
        html = sharp.reply(1, letter)._repr_html_()
        assert word in html
        colours += re.findall("background:(#[0-9a-f]+)", html)
    assert len(set(colours)) == 2


@pytest.mark.parametrize("number", [0, 3, "1", None])
def test_a_question_that_does_not_exist(number: int) -> None:
    expected = f"There is no question {number!r}: give a number from 1 to 2."
    assert str(find_quiz(0).reply(number, "a")) == expected


@pytest.mark.parametrize("choice", ["c", "", "ab", 1, None])
def test_an_option_that_does_not_exist(choice: str) -> None:
    assert str(find_quiz(0).reply(1, choice)).endswith("give one of a, b.")


def test_the_page_asks_and_does_not_answer() -> None:
    text = quiz(0)._repr_mimebundle_()["text/markdown"]
    assert "**1. Why?**" in text
    assert "- **b** · Yes" in text
    assert '`answer(1, "a")`' in text
    assert not any(option.why in text for one in find_quiz(0).questions for option in one.options)


def test_typed_answers_go_to_the_quiz_shown_last_and_the_first_ones_count(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(CourseError, match="no quiz has been shown yet"):
        answer(1, "a")
    quiz(0)
    assert replies(capsys, 1, "z") == ["Question 1 has no option 'z': give one of a, b."]
    assert replies(capsys, 1, "a") == ["✗ not quite  a: Not so."]
    assert replies(capsys, 1, "b") == ["✓ right  b: So it is.", "         a: Not so."]
    assert replies(capsys, 0, 2, "a")[-1] == "1 of 2 right at the first try."
    quiz(0)
    assert "right at" not in str(replies(capsys, 1, "b"))
    assert replies(capsys, 2, "a")[-1] == "2 of 2 right at the first try."


def test_another_notebook_s_quiz_is_one_more_file(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CourseError, match=r"notebook 7 has no quiz. There is 0"):
        quiz(7)
    folder = toy / "data" / "quizzes"
    other = (folder / "00.yaml").read_text().replace("So it is.", "Seven.")
    (folder / "07.yaml").write_text(other, encoding="utf-8")
    quiz(0)
    assert replies(capsys, 7, 1, "b")[0] == "✓ right  b: Seven."
    with pytest.raises(CourseError, match=r"notebook 'x' has no quiz. There is 0, 7"):
        answer("x", 1, "a")  # type: ignore[arg-type]
    with pytest.raises(CourseError, match="the number of a question and a letter"):
        answer(1)  # type: ignore[call-overload]


@pytest.mark.parametrize("one", REAL, ids=lambda each: f"{each.notebook:02d}")
def test_every_quiz_is_whole(one: Quiz) -> None:
    assert len(one.questions) >= 3
    places = {[option.right for option in each.options].index(True) for each in one.questions}
    assert len(places) > 1, "the right option is always in the same place"
    for each in one.questions:
        assert len({option.text for option in each.options}) == len(each.options)
        assert all(option.why.endswith(".") for option in each.options)

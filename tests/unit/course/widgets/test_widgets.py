from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from memlab.course import Page, before_after, begin, quiz
from memlab.course.quizzes import Attempt, Option, Quiz, QuizQuestion, find_quiz, quiz_widget
from memlab.course.widgets.before_after import compare
from memlab.course.widgets.widget import VIEW, Widget


def test_a_widget_has_its_static_version_in_the_same_output() -> None:
    shown = quiz(0)._repr_mimebundle_()
    assert shown["text/markdown"] == find_quiz(0).page.markdown
    assert shown["text/plain"] == "<page: quiz 00>"
    assert set(shown[VIEW]) == {"version_major", "version_minor", "model_id"}


def test_without_ipywidgets_the_twin_is_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    shown_widget = Widget(Page("title", "**text**"), lambda widgets: widgets.VBox([]))
    assert shown_widget.box is None
    assert shown_widget._repr_mimebundle_() == {
        "text/plain": "<page: title>",
        "text/markdown": "**text**",
    }


def test_a_click_on_an_option_shows_its_verdict() -> None:
    shown_widget = quiz(0)
    question = shown_widget.box.children[1]
    title, options, verdict = question.children
    assert find_quiz(0).questions[1].question in title.value
    assert verdict.value == ""
    assert options.value is None
    options.value = "c"
    assert "✓ right</span> c: " in verdict.value
    assert ">a: " in verdict.value
    options.value = "a"
    assert "✗ not quite</span> a: " in verdict.value
    *questions, closing = shown_widget.box.children
    assert closing.value == ""
    for question in questions:
        if question.children[1].value is None:
            question.children[1].value = "b"
    assert re.search(r"\d of 4 right at the first try\.", closing.value)


def test_options_show_a_letter_and_their_texts_in_order() -> None:
    first: Any = quiz(0).box.children[0].children[1]
    asked = find_quiz(0).questions[0]
    assert [text for text, _ in first.options] == [
        f"{letter} · {option.text}" for letter, option in zip("abc", asked.options, strict=True)
    ]


def test_each_question_is_measured_without_and_with_its_memory() -> None:
    compared = compare(begin(0))
    assert len(compared.pairs) == 12
    assert not any(pair.without.found for pair in compared.pairs)
    first = compared.pairs[0]
    assert first.with_memory.found
    assert first.with_memory.tokens > first.without.tokens


def test_choosing_a_question_shows_both_sides() -> None:
    shown_widget = before_after(begin(0))
    chooser, told = shown_widget.box.children
    assert "Without memory: ✗ it is missing" in told.value
    assert "With tabs-and-single-quotes.md: ✓ it is there" in told.value
    chooser.value = 1
    assert "With last-ferry-home.md: ✓ it is there" in told.value


def test_the_twin_holds_every_question() -> None:
    lab = begin(0)
    shown_widget = before_after(lab)
    shown = shown_widget._repr_mimebundle_()
    assert all(question.question in shown["text/plain"] for question in lab.questions)
    assert all(question.question in shown["text/markdown"] for question in lab.questions)
    before = shown["text/markdown"]
    shown_widget.box.children[0].value = 5
    assert shown_widget._repr_mimebundle_()["text/markdown"] == before


def test_what_stands_in_a_question_is_shown_and_not_run() -> None:
    right = Option(text="y", right=True, why="<i>z</i>.")
    sharp = QuizQuestion(question="<b>x</b>?", options=(right, Option(text="n", why="n.")))
    title, options, verdict = (
        quiz_widget(Attempt(Quiz(notebook=9, questions=(sharp,)))).box.children[0].children
    )
    options.value = "a"
    assert "&lt;b&gt;x" in title.value
    assert "a: &lt;i&gt;z&lt;/i&gt;." in verdict.value

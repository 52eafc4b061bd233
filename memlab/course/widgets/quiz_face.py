"""The quiz with buttons; what a click shows comes from the quiz itself."""

from __future__ import annotations

from functools import partial
from html import escape
from types import ModuleType
from typing import Any

from memlab.course.quizzes import LETTERS, Quiz, QuizQuestion
from memlab.course.widgets.face import Face


def quiz_face(quiz: Quiz) -> Face:
    """Put a face on a quiz: the options of each question, and the verdict
    below them.
    """
    return Face(quiz.page, partial(_box, quiz))


def _box(quiz: Quiz, widgets: ModuleType) -> Any:
    return widgets.VBox(
        [
            _question(quiz, number, one, widgets)
            for number, one in enumerate(quiz.questions, 1)
        ]
    )


def _question(
    quiz: Quiz, number: int, one: QuizQuestion, widgets: ModuleType
) -> Any:
    title = widgets.HTML(f"<b>{number}. {escape(one.question)}</b>")
    choices = [
        (option.text, letter)
        for letter, option in zip(LETTERS, one.options, strict=False)
    ]
    options = widgets.RadioButtons(
        options=choices, value=None, layout=widgets.Layout(width="max-content")
    )
    verdict = widgets.HTML("")

    def chosen(change: Any) -> None:
        if change["new"] is not None:
            verdict.value = escape(quiz.verdict(number, change["new"]))

    options.observe(chosen, names="value")
    return widgets.VBox([title, options, verdict])

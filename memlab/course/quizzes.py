"""The quizzes in ``data/quizzes``: questions with options, and for each option
one sentence why.

``quiz`` shows one with buttons, and ``answer`` answers a question by typing.
When every question has been answered, a closing line says how many were right
at the first try. Nothing of this is stored.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import partial
from html import escape
from types import ModuleType
from typing import Any, overload

import yaml
from IPython.display import display
from pydantic import BaseModel, ConfigDict, Field, field_validator

from memlab.course.data_files import data_folder
from memlab.course.kernel_state import KERNEL_STATE
from memlab.course.show import Page
from memlab.course.widgets.widget import Widget
from memlab.errors import CourseError
from memlab.text import fold_space

LETTERS = "abcdefgh"
_GREEN, _RED, _GREY = "#1a7f37", "#b4232c", "#57606a"


class DataModel(BaseModel):
    """A part of a quiz file: a key that it does not have is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Option(DataModel):
    """One option: its text, why it is right or wrong, and whether it is the
    right one.
    """

    text: str = Field(min_length=1)
    why: str = Field(min_length=1)
    right: bool = False


class QuizQuestion(DataModel):
    """One question and its options; exactly one is right."""

    question: str = Field(min_length=1)
    options: tuple[Option, ...] = Field(min_length=2, max_length=len(LETTERS))

    @field_validator("options")
    @classmethod
    def _one_is_right(cls, options: tuple[Option, ...]) -> tuple[Option, ...]:
        if sum(option.right for option in options) != 1:
            raise ValueError("exactly one option needs 'right: true'")
        return options


class Quiz(DataModel):
    """The questions of one notebook."""

    notebook: int
    questions: tuple[QuizQuestion, ...] = Field(min_length=1)

    @property
    def page(self) -> Page:
        """The questions to read, without the answers, and how to answer by
        typing.
        """
        parts = [
            self._shown(number, question)
            for number, question in enumerate(self.questions, 1)
        ]
        how = 'Answer by typing, for example: `answer(1, "a")`'
        return Page(f"quiz {self.notebook:02d}", "\n\n".join([*parts, how]))

    def _shown(self, number: int, question: QuizQuestion) -> str:
        lines = [
            f"- **{letter}** · {option.text}"
            for letter, option in zip(LETTERS, question.options, strict=False)
        ]
        return "\n".join([f"**{number}. {question.question}**", "", *lines])

    def reply(self, number: int, choice: str) -> Reply:
        """Say whether a choice is right, and why; ``number`` counts from 1.

        With the right choice come the reasons against the others. What cannot
        be looked up is answered with what can.
        """
        count = len(self.questions)
        if not isinstance(number, int) or not 1 <= number <= count:
            return Reply(
                f"There is no question {number!r}: give a number from 1 to"
                f" {count}."
            )
        options = self.questions[number - 1].options
        letters = LETTERS[: len(options)]
        letter = str(choice).strip().strip("()").lower()
        if len(letter) != 1 or letter not in letters:
            return Reply(
                f"Question {number} has no option {choice!r}: give one of"
                f" {', '.join(letters)}."
            )
        chosen = options[letters.index(letter)]
        others = tuple(
            f"{other}: {fold_space(option.why)}"
            for other, option in zip(letters, options, strict=True)
            if chosen.right and other != letter
        )
        why = f"{letter}: {fold_space(chosen.why)}"
        return Reply(why, others, chosen.right)


@dataclass(frozen=True, repr=False)
class Reply:
    """What is said to a choice: a sentence, and with the right choice the
    reasons against the others.

    ``right`` is None if there is no such question or option.
    """

    sentence: str
    others: tuple[str, ...] = ()
    right: bool | None = None
    closing: str = ""

    def __str__(self) -> str:
        head = "" if self.right is None else f"{self._sign} {self._word}  "
        indent = " " * len(head)
        lines = [wrapped(head + self.sentence, indent=indent)]
        for other in self.others:
            lines.append(wrapped(indent + other, indent=indent + "   "))
        if self.closing:
            lines.append(self.closing)
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        closing = f"<p><b>{escape(self.closing)}</b></p>"
        return self.html + (closing if self.closing else "")

    @property
    def html(self) -> str:
        """The reply without the closing line, as HTML."""
        colour = {True: _GREEN, False: _RED, None: _GREY}[self.right]
        head = badge(self._word, self._sign, colour)
        lines = [f"<div>{head} {escape(self.sentence)}</div>"]
        for other in self.others:
            style = "padding-left:1.5em"
            lines.append(f'<div style="{style}">{escape(other)}</div>')
        return "\n".join(lines)

    @property
    def _sign(self) -> str:
        return {True: "✓", False: "✗", None: "?"}[self.right]

    @property
    def _word(self) -> str:
        words = {True: "right", False: "not quite", None: "no such answer"}
        return words[self.right]


def badge(word: str, sign: str, colour: str) -> str:
    """Show a sign and a word in white letters on a colour, as HTML."""
    style = (
        f"background:{colour};color:#ffffff;font-weight:bold;"
        "border-radius:3px;padding:1px 6px"
    )
    return f'<span style="{style}">{sign} {escape(word)}</span>'


def wrapped(text: str, indent: str) -> str:
    """Break a text into lines, between words only."""
    return textwrap.fill(text, 79, subsequent_indent=indent)


class Attempt:
    """The answers that somebody has given to a quiz in this kernel."""

    def __init__(self, quiz: Quiz) -> None:
        self.quiz = quiz
        self._first: dict[int, bool] = {}

    def answer(self, number: int, choice: str) -> Reply:
        """Reply to a choice; the first one to each question counts."""
        reply = self.quiz.reply(number, choice)
        if reply.right is not None:
            self._first.setdefault(number, reply.right)
        return Reply(reply.sentence, reply.others, reply.right, self.closing)

    @property
    def closing(self) -> str:
        """How many were right, when every question has been answered; empty
        before.
        """
        count = len(self.quiz.questions)
        if len(self._first) < count:
            return ""
        right = sum(self._first.values())
        return f"{right} of {count} right at the first try."


def find_quiz(number: int) -> Quiz:
    """Read the quiz of a notebook; raises CourseError if it has none or the
    file is faulty.
    """
    folder = data_folder("quizzes")
    file = (
        folder / f"{number:02d}.yaml"
        if isinstance(number, int)
        else folder / "none"
    )
    if not file.is_file():
        known = ", ".join(
            str(int(path.stem))
            for path in sorted(folder.glob("[0-9][0-9].yaml"))
        )
        raise CourseError(
            f"notebook {number!r} has no quiz",
            where="quiz()",
            do=f"There is {known}",
        )
    questions = yaml.load(file.read_text("utf-8"), yaml.BaseLoader)
    return Quiz.model_validate({"notebook": number, "questions": questions})


def quiz(number: int) -> Widget:
    """Show a notebook's quiz: with buttons where widgets work, as text
    everywhere else. From then on ``answer`` is about this quiz.
    """
    return quiz_widget(_begin(number))


def quiz_widget(attempt: Attempt) -> Widget:
    """Make a widget with the options of each question, and the reply below
    them.
    """
    return Widget(attempt.quiz.page, partial(_box, attempt))


@overload
def answer(question: int, choice: str, /) -> None: ...


@overload
def answer(notebook: int, question: int, choice: str, /) -> None: ...


def answer(*given: Any) -> None:
    """Say whether a choice is right, and why: ``answer(1, "b")`` answers the
    quiz shown last, and ``answer(4, 1, "b")`` that of notebook 4.
    """
    if len(given) not in (2, 3):
        raise CourseError(
            "answer needs the number of a question and a letter",
            where="answer()",
            do='Write, for example, answer(1, "b")',
        )
    *notebook, question, choice = given
    attempt = KERNEL_STATE.attempt
    if notebook and (attempt is None or attempt.quiz.notebook != notebook[0]):
        attempt = _begin(notebook[0])
    if attempt is None:
        raise CourseError(
            "no quiz has been shown yet",
            where="answer()",
            do="Run the cell with quiz(…) first",
        )
    display(attempt.answer(question, choice))  # type: ignore[no-untyped-call]


def _begin(number: int) -> Attempt:
    attempt = Attempt(find_quiz(number))
    KERNEL_STATE.attempt = attempt
    return attempt


def _box(attempt: Attempt, widgets: ModuleType) -> Any:
    closing = widgets.HTML("")
    questions = [
        _question(attempt, number, question, closing, widgets)
        for number, question in enumerate(attempt.quiz.questions, 1)
    ]
    return widgets.VBox([*questions, closing])


def _question(
    attempt: Attempt,
    number: int,
    question: QuizQuestion,
    closing: Any,
    widgets: ModuleType,
) -> Any:
    title = widgets.HTML(f"<b>{number}. {escape(question.question)}</b>")
    choices = [
        (f"{letter} · {option.text}", letter)
        for letter, option in zip(LETTERS, question.options, strict=False)
    ]
    options = widgets.RadioButtons(
        options=choices, value=None, layout=widgets.Layout(width="max-content")
    )
    shown = widgets.HTML("")

    def chosen(change: Any) -> None:
        if change["new"] is not None:
            reply = attempt.answer(number, change["new"])
            shown.value = _announced(reply.html)
            if reply.closing:
                closing.value = _announced(f"<b>{escape(reply.closing)}</b>")

    options.observe(chosen, names="value")
    return widgets.VBox([title, options, shown])


def _announced(content: str) -> str:
    """Put HTML into a block that a screen reader reads out when it appears."""
    return f'<div role="status">{content}</div>'

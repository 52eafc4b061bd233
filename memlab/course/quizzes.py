"""The quizzes in ``data/quizzes``: questions with options, and for each option
one sentence why.

``quiz`` shows one with buttons, and ``answer`` answers a question by typing.
There are no points: the response to an answer is a sentence.
"""

from __future__ import annotations

from functools import partial
from html import escape
from types import ModuleType
from typing import Any

from pydantic import Field, field_validator

from memlab.course.data_files import DataModel, data_folder, read_questions
from memlab.course.display import Page
from memlab.course.widgets.widget import Widget
from memlab.errors import CourseError
from memlab.text import fold_space

LETTERS = "abcdefgh"


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
        how = (
            f"Answer by typing, for example: `answer({self.notebook}, 1, 'a')`"
        )
        return Page(f"quiz {self.notebook:02d}", "\n\n".join([*parts, how]))

    def _shown(self, number: int, question: QuizQuestion) -> str:
        lines = [
            f"- **{letter}** · {option.text}"
            for letter, option in zip(LETTERS, question.options, strict=False)
        ]
        return "\n".join([f"**{number}. {question.question}**", "", *lines])

    def verdict(self, number: int, choice: str) -> str:
        """Say in one line whether a choice is right, and why; ``number``
        counts from 1.

        What cannot be looked up is answered with what can.
        """
        count = len(self.questions)
        if not isinstance(number, int) or not 1 <= number <= count:
            return (
                f"There is no question {number!r}: give a number from 1 to"
                f" {count}."
            )
        options = self.questions[number - 1].options
        letters = LETTERS[: len(options)]
        letter = str(choice).strip().strip("()").lower()
        if len(letter) != 1 or letter not in letters:
            return (
                f"Question {number} has no option {choice!r}: give one of"
                f" {', '.join(letters)}."
            )
        option = options[letters.index(letter)]
        return fold_space(
            f"{'Right' if option.right else 'Not quite'}: {option.why}"
        )


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
    purpose = "it contains the questions of a quiz"
    return read_questions(file, purpose, Quiz, notebook=number)


def quiz(number: int) -> Widget:
    """Show a notebook's quiz: with buttons where widgets work, as text
    everywhere else.
    """
    return quiz_widget(find_quiz(number))


def quiz_widget(quiz: Quiz) -> Widget:
    """Make a widget with the options of each question, and the verdict below
    them.
    """
    return Widget(quiz.page, partial(_box, quiz))


def answer(number: int, question: int, choice: str) -> None:
    """Print in one line whether a choice is right, and why: ``answer(0, 1,
    'b')``.
    """
    print(find_quiz(number).verdict(question, choice))


def _box(quiz: Quiz, widgets: ModuleType) -> Any:
    return widgets.VBox(
        [
            _question(quiz, number, question, widgets)
            for number, question in enumerate(quiz.questions, 1)
        ]
    )


def _question(
    quiz: Quiz, number: int, question: QuizQuestion, widgets: ModuleType
) -> Any:
    title = widgets.HTML(f"<b>{number}. {escape(question.question)}</b>")
    choices = [
        (option.text, letter)
        for letter, option in zip(LETTERS, question.options, strict=False)
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

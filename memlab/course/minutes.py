"""Estimates how many minutes a notebook takes, by a published formula.

``notebooks/README.md`` describes the formula. Its figures are guesses, which
are to be corrected when enough learners have compared them with their own
minutes (``own_minutes``). Nothing is run: only the notebook's file is read,
with the keys of its gaps and the questions of its quiz.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.course.exercise_files import all_gaps
from memlab.course.quizzes import find_quiz
from memlab.errors import CourseError
from memlab.short_path import short_path, without_mark

WORDS_PER_MINUTE = 200
"""How fast prose is read, by somebody who wants to understand it."""

SECONDS_PER_CODE_LINE = 4
"""A line of code has about five words, so this is about a third of the speed
of prose: names are looked up, and the line before is read again.
"""

SECONDS_PER_OUTPUT_LINE = 2
"""An output is searched for the lines that the text speaks of; half of it is
skipped.
"""

MOST_OUTPUT_LINES = 30
"""Of a longer output of one cell, nobody reads the rest."""

MINUTES_PER_QUESTION = 0.5

SECOND_HALF = "half"
"""The tag of the cell with which the second half of a notebook begins."""

ONE_SITTING = 60
"""A notebook that takes more minutes than this is offered in two halves."""

_STEP = re.compile(r"^##\s+(?:Step\s+)?\d.*", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_TAG = re.compile(r"<[^>]+>")
_WORD = re.compile(r"\S*\w\S*")
_FOLDED = re.compile(r"(?s)(?<=</summary>).*?(?=</details>)")
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CHECK = re.compile(r"^check\((\w+)\)", re.MULTILINE)
_QUIZ = re.compile(r"^quiz\(", re.MULTILINE)
_DEFINITION = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """A part of a notebook, such as one cell or one half: how much there is
    of everything that takes time.
    """

    words: int = 0
    code_lines: int = 0
    output_lines: int = 0
    gap_minutes: tuple[int, ...] = ()
    questions: int = 0

    def __add__(self, other: Part) -> Part:
        return Part(
            self.words + other.words,
            self.code_lines + other.code_lines,
            self.output_lines + other.output_lines,
            self.gap_minutes + other.gap_minutes,
            self.questions + other.questions,
        )

    @property
    def prose(self) -> float:
        """The minutes for the prose."""
        return self.words / WORDS_PER_MINUTE

    @property
    def code(self) -> float:
        """The minutes for the code and for the outputs."""
        seconds = self.code_lines * SECONDS_PER_CODE_LINE
        seconds += self.output_lines * SECONDS_PER_OUTPUT_LINE
        return seconds / 60

    @property
    def gaps(self) -> int:
        """The minutes for the gaps."""
        return sum(self.gap_minutes)

    @property
    def quiz(self) -> float:
        """The minutes for the quiz."""
        return self.questions * MINUTES_PER_QUESTION

    @property
    def total(self) -> float:
        """All minutes."""
        return self.prose + self.code + self.gaps + self.quiz

    @property
    def stated(self) -> int:
        """The minutes as they are stated, rounded to five."""
        return max(5, 5 * round(self.total / 5))


@dataclass(frozen=True)
class Minutes:
    """What a notebook takes, without its bonus, and what its two halves and
    its short path take.

    ``second_begins`` is the heading with which the second half begins.
    """

    whole: Part
    short: Part
    first: Part
    second: Part
    second_begins: str
    bonus: int


def read_notebook(path: Path) -> Minutes:
    """Estimate a notebook's minutes; raises DataFileError if one of its gaps
    or its quiz cannot be read.
    """
    found = read_cells(path)
    cells = [cell for cell, _ in found]
    parts = [part for _, part in found]
    gaps = [gap for gap in all_gaps() if gap.notebook == int(path.name[:2])]
    half = _second_half(cells, parts)
    return Minutes(
        whole=_sum(parts),
        short=_sum(part for _, part in read_cells(path, short=True)),
        first=_sum(parts[:half]),
        second=_sum(parts[half:]),
        second_begins=_heading(cells[half]) if half < len(cells) else "",
        bonus=sum(gap.minutes for gap in gaps if gap.bonus),
    )


def gaps_on_short_path(path: Path) -> frozenset[str]:
    """Return the names of what is checked on a notebook's short path."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = "\n".join(_text(cell["source"]) for cell in short_path(cells))
    return frozenset(_CHECK.findall(sources))


def read_cells(
    path: Path, *, short: bool = False
) -> list[tuple[Mapping[str, Any], Part]]:
    """Return each cell of a notebook, as it is in the file, with its part; or
    each cell of its short path. Raises like ``read_notebook``.
    """
    number = int(path.name[:2])
    gaps = [gap for gap in all_gaps() if gap.notebook == number]
    known = {gap.name: gap.minutes for gap in gaps if not gap.bonus}
    bonus = [gap.name for gap in gaps if gap.bonus]
    questions = _questions(number)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    if short:
        cells = short_path(cells)
    return [
        (cell, _read_cell(cell, known, bonus, questions)) for cell in cells
    ]


def _questions(number: int) -> int:
    try:
        return len(find_quiz(number).questions)
    except CourseError as error:
        if error.where == "quiz()":
            return 0
        raise


def _sum(parts: Iterable[Part]) -> Part:
    return sum(parts, Part())


def _read_cell(
    cell: Mapping[str, Any],
    gaps: Mapping[str, int],
    bonus: Iterable[str],
    questions: int,
) -> Part:
    source = _text(cell["source"])
    if cell["cell_type"] != "code":
        code = "".join(_FENCED.findall(source))
        return Part(
            words=_words(_FENCED.sub("", source)), code_lines=_lines(code)
        )
    found = _outputs(cell.get("outputs", ()))
    checked = [name for name in _CHECK.findall(source) if name in gaps]
    found += Part(gap_minutes=tuple(gaps[name] for name in checked))
    if _QUIZ.search(source):
        return Part(questions=questions)
    if not {*gaps, *bonus} & {*_DEFINITION.findall(source)}:
        # a starter is read in the minutes of its gap
        found += Part(code_lines=_lines(source))
    return found


def _outputs(outputs: Iterable[Mapping[str, Any]]) -> Part:
    """Count the lines that are shown; memlab's source, which a notebook shows
    as Markdown, is code. What is folded is not read.
    """
    code, lines = 0, 0
    for output in outputs:
        data = output.get("data", {})
        if "text/markdown" in data:
            text = _FOLDED.sub("", _text(data["text/markdown"]))
            code += _lines("".join(_FENCED.findall(text)))
            text = _FENCED.sub("", text)
        else:
            text = _text(output.get("text") or data.get("text/plain", ""))
        lines += _lines(text)
    return Part(code_lines=code, output_lines=min(lines, MOST_OUTPUT_LINES))


def _second_half(
    cells: Sequence[Mapping[str, Any]], parts: Sequence[Part]
) -> int:
    """Return the number of the cell with which the second half begins: the
    one that has the tag, or else the step nearest to the middle.
    """
    for number, cell in enumerate(cells):
        if SECOND_HALF in cell.get("metadata", {}).get("tags", ()):
            return number
    steps = [
        number
        for number, cell in enumerate(cells)
        if cell["cell_type"] == "markdown"
        and _STEP.search(_text(cell["source"]))
    ]
    middle = _sum(parts).total / 2
    return min(
        steps,
        key=lambda number: abs(_sum(parts[:number]).total - middle),
        default=len(cells),
    )


def _heading(cell: Mapping[str, Any]) -> str:
    """Return the heading of a step, or else the first line."""
    source = _text(cell["source"]).strip()
    step = _STEP.search(source)
    return without_mark(step[0] if step else source.split("\n")[0])


def _words(text: str) -> int:
    """Count the words; of a link or a picture, only its text is read."""
    return len(_WORD.findall(_TAG.sub(" ", _LINK.sub(r"\1", text))))


def _lines(text: str) -> int:
    """Count the lines that are neither empty nor a fence."""
    lines = [line.strip() for line in text.split("\n")]
    return sum(bool(line) and not line.startswith("```") for line in lines)


def _text(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)

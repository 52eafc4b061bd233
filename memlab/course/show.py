"""What a notebook can show: pages, tables and listings, the package's own
source, and its prompts.

Everything is Markdown and plain text, so that GitHub, JupyterLab and a plain
file can all read it. Source is read from the installed files, so what a
notebook shows cannot differ from what runs.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.course.data_files import CLONE
from memlab.prompts import prompt_text
from memlab.text import fold_space


@dataclass(frozen=True, repr=False)
class Page:
    """A piece of Markdown with a title; ``print`` shows its source, a notebook
    renders it.
    """

    title: str
    markdown: str

    def _repr_markdown_(self) -> str:
        return self.markdown

    def __repr__(self) -> str:
        return f"<page: {self.title}>"

    def __str__(self) -> str:
        return self.markdown


class Listing(str):
    """Several lines of text that a notebook shows as lines and not as one
    quoted string.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Folded(Page):
    """Code of which a notebook shows only the title until the reader opens
    it.
    """

    def _repr_markdown_(self) -> str:
        code = fenced(f"# {self.title}\n\n\n{self.markdown}", "python")
        summary = f"<summary>{self.title}</summary>"
        return f"<details>{summary}\n\n{code}\n\n</details>"

    def __repr__(self) -> str:
        return f"{self.title} (print shows the code)"


def fenced(text: str, language: str = "") -> str:
    """Put a text into a Markdown code fence longer than any run of backticks
    inside it.
    """
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.strip(chr(10))}\n{fence}"


# Anything that Markdown could take for more than text. Addresses become links
# even without a mark. A ~/ that begins a word stays: it could only open a
# passage that nothing closes.
_MARKUP = re.compile(
    r"""(?xi) [\\`*<\[\]$|] | ~(?!/) | (?<=\S)~ | &(?=[#\w]) | (?<![^\W_])_ | _(?![^\W_])
    | (?<=[a-z]):(?=//) | (?<=www)\. | @(?=\w)"""
)


def literal(text: str) -> str:
    """Escape a text so that Markdown shows it as it is: no image, link, HTML,
    formula or style.
    """
    return _MARKUP.sub(r"\\\g<0>", text)


# Tables

_NUMBER = re.compile(r"[+−-]?[\d,]+(\.\d+)?( ?%)?( ?/ ?\d+)?")


@dataclass(frozen=True, repr=False)
class Table:
    """Cells as text under headers; Markdown in a notebook, aligned columns as
    plain text.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def markdown(self) -> str:
        """The table as Markdown; what is in a cell is shown literally."""
        lines = [list(map(literal, self.headers))]
        lines += [["---:" if right else ":---" for right in self._numeric()]]
        lines += [list(map(literal, row)) for row in self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def _repr_markdown_(self) -> str:
        return self.markdown

    def __repr__(self) -> str:
        lines = [self.headers, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        lines.insert(1, tuple("-" * width for width in widths))
        align = [
            str.rjust if right else str.ljust for right in self._numeric()
        ]
        aligned = []
        for line in lines:
            cells = zip(align, line, widths, strict=True)
            row = [adjust(cell, width) for adjust, cell, width in cells]
            aligned.append("  ".join(row).rstrip())
        return "\n".join(aligned)

    def _numeric(self) -> list[bool]:
        """Tell of each column whether all its cells are numbers."""
        found = []
        for index in range(len(self.headers)):
            cells = [row[index] for row in self.rows if row[index]]
            found.append(bool(cells) and all(map(_NUMBER.fullmatch, cells)))
        return found


def table(rows: Iterable[Sequence[Any]], headers: Sequence[str]) -> Table:
    """Make a table; a column whose cells are all numbers is aligned to the
    right.

    ``True`` and ``False`` become yes and no, ``None`` an empty cell. Raises
    ValueError for a row with more or fewer cells than there are headers.
    """
    cells = tuple(
        tuple(_cell(value) for _, value in zip(headers, row, strict=True))
        for row in rows
    )
    return Table(tuple(headers), cells)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return fold_space(str(value))


# Source and prompts


def show_source(thing: Any, lines: tuple[int, int] | None = None) -> Page:
    """Show the source of a function, class, method or module, with its lines
    numbered from 1.

    ``lines`` are the first and the last line to show. Where a learner's part
    is used instead, memlab's own source is shown.
    """
    thing = inspect.unwrap(thing)
    source = numbered(textwrap.dedent(inspect.getsource(thing)))
    file = Path(inspect.getsourcefile(thing) or "").resolve()
    label = "this notebook"
    if file.is_relative_to(CLONE):
        label = file.relative_to(CLONE).as_posix()
    if not inspect.ismodule(thing):
        label += f" · {thing.__qualname__}"
    heading = f"`{label}`"
    if lines is not None:
        first, last = lines
        heading += f", lines {first} to {last}"
        source = "\n".join(source.splitlines()[first - 1 : last])
    return Page(label, f"{heading}\n\n{fenced(source, 'python')}")


def numbered(source: str) -> str:
    """Put the number of each line in front of it; the first is 1."""
    lines = source.strip("\n").splitlines()
    width = len(str(len(lines)))
    return "\n".join(
        f"{number:>{width}}  {line}".rstrip()
        for number, line in enumerate(lines, 1)
    )


def show_prompt(name: str) -> Page:
    """Show one prompt as it is in its file; raises PromptError when there
    is none.
    """
    label = f"memlab/prompts/{name}.md"
    return Page(label, f"`{label}`\n\n{fenced(prompt_text(name), 'markdown')}")

"""What a notebook can show: pages, tables and listings, as Markdown and as
plain text.

GitHub, JupyterLab and a plain file all read Markdown, so nothing here makes
HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.clock import from_nanoseconds
from memlab.course.notebook_folder import HIDDEN, MARKER, visible_files
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


class Folded(str):
    """A long text of code that a notebook shows folded: only its first line,
    a comment, until the reader opens it.
    """

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        code = fenced(self, "python")
        summary = f"<summary>{self._title()}</summary>"
        return f"<details>{summary}\n\n{code}\n\n</details>"

    def __repr__(self) -> str:
        return f"{self._title()} (print shows the code)"

    def _title(self) -> str:
        return self.splitlines()[0].removeprefix("# ")


def literal(text: str) -> str:
    """Escape a text so that Markdown shows it as it is: no image, link, HTML,
    formula or style.
    """
    return _MARKUP.sub(r"\\\g<0>", text)


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
        """The table as Markdown; what is in a cell is shown literally,
        whatever it is.
        """
        rule = tuple("---:" if right else ":---" for right in self._right())
        return "\n".join(
            "| " + " | ".join(cells) + " |"
            for cells in (
                _escaped(self.headers),
                rule,
                *map(_escaped, self.rows),
            )
        )

    def _right(self) -> list[bool]:
        columns = [
            [row[index] for row in self.rows]
            for index in range(len(self.headers))
        ]
        return [
            any(column)
            and all(not cell or _NUMBER.fullmatch(cell) for cell in column)
            for column in columns
        ]

    def _repr_markdown_(self) -> str:
        return self.markdown

    def __repr__(self) -> str:
        lines = [self.headers, *self.rows]
        widths = [
            max(len(line[i]) for line in lines)
            for i in range(len(self.headers))
        ]
        rule = tuple("-" * width for width in widths)
        return "\n".join(
            self._aligned(line, widths)
            for line in (self.headers, rule, *self.rows)
        )

    def _aligned(self, line: Sequence[str], widths: Sequence[int]) -> str:
        cells = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(
                line, widths, self._right(), strict=True
            )
        ]
        return "  ".join(cells).rstrip()


def table(rows: Iterable[Sequence[Any]], headers: Sequence[str]) -> Table:
    """Make a table; a column whose cells are all numbers is aligned to the
    right.

    ``True`` and ``False`` become yes and no, ``None`` an empty cell. Raises
    ValueError for a row with more or fewer cells than there are headers.
    """
    made = tuple(tuple(_cell(value) for value in row) for row in rows)
    for number, row in enumerate(made, 1):
        if len(row) != len(headers):
            raise ValueError(
                f"row {number} has {len(row)} cells, and there are"
                f" {len(headers)}"
            )
    return Table(tuple(headers), made)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return fold_space(str(value))


def _escaped(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(literal, cells))


_NAME_WIDTH = 44


def tree_lines(folder: Path, depth: int, indent: str = "  ") -> Iterator[str]:
    """List a folder's entries, files first, down to ``depth`` levels; deeper
    ones are counted.
    """
    found = (
        entry
        for entry in folder.iterdir()
        if entry.name not in {MARKER, *HIDDEN}
    )
    entries = sorted(found, key=lambda entry: entry.name)
    for file in (entry for entry in entries if not entry.is_dir()):
        yield _file_line(file, indent)
    for sub in (entry for entry in entries if entry.is_dir()):
        if depth > 1:
            yield f"{indent}{sub.name}/"
            yield from tree_lines(sub, depth - 1, indent + "  ")
        else:
            count = sum(1 for _ in visible_files(sub))
            yield (
                f"{indent}{sub.name}/  ({count}"
                f" {'file' if count == 1 else 'files'})"
            )


def _file_line(file: Path, indent: str) -> str:
    found = file.lstat()
    at = from_nanoseconds(found.st_mtime_ns)
    name = f"{indent}{file.name}".ljust(_NAME_WIDTH)
    return f"{name} {found.st_size:>8,} B  {at:%Y-%m-%d %H:%M}"

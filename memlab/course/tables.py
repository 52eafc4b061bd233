"""Tables that read well in a notebook, on the web and in a terminal.

Left out: sorting and styling. Rows are shown in the order they come.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memlab.course.display import literal
from memlab.text import fold_space

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

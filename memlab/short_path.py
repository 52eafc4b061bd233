"""The short path of a notebook: the cells with the tag ``core``.

For each notebook, it has the one idea that later notebooks need: the failure,
one gap or our repair, and the proof that it works.

A text cell can end one step and begin the next, and only one of the two may be
on the path. ``parts_on_path`` says which parts are: a part that explains the
cell above, or introduces the cell below, is on the path if that cell is. So is
a last paragraph that ends in a colon: it introduces the cell below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

TAG = "core"
MARK = "◆"
"""What a reader sees: at the end of a heading, or at the beginning of a text
with which the path goes on below an unmarked heading.
"""

_HEADING = re.compile(r"^(#{2,6})\s+\S")
_OPENER = re.compile(r"^#+\s+You (will|need)\b")

Cell = Mapping[str, Any]


def is_on_path(cell: Cell) -> bool:
    """Tell whether a cell has the tag."""
    return TAG in cell.get("metadata", {}).get("tags", ())


def short_path(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Return the cells of the short path; of a text cell, only the parts that
    are on it. The cells that are passed in stay as they are.
    """
    path = []
    for number, cell in enumerate(cells):
        if not is_on_path(cell):
            continue
        copy = dict(cell)
        if cell["cell_type"] == "markdown":
            parts = split_at_headings(source_of(cell))
            kept = parts_on_path(cells, number)
            text = "".join(
                part for part, keep in zip(parts, kept, strict=True) if keep
            )
            below = cells[number + 1] if number + 1 < len(cells) else None
            if below is not None and not is_on_path(below):
                text = _without_lead_in(text)
            if not text.strip():
                continue
            copy["source"] = text.rstrip("\n")
        path.append(copy)
    return path


def parts_on_path(cells: Sequence[Cell], number: int) -> list[bool]:
    """Say of each part of a text cell whether it is on the short path.

    A heading without a text of its own goes with the part below it.
    """
    parts = split_at_headings(source_of(cells[number]))
    if not is_on_path(cells[number]):
        return [False] * len(parts)
    kept = [True] * len(parts)
    if len(parts) == 1:
        return kept
    if not _HEADING.match(parts[0]) and number > 0:
        kept[0] = is_on_path(cells[number - 1])
    if number + 1 < len(cells):
        kept[-1] = is_on_path(cells[number + 1])
    for place in reversed(range(len(parts) - 1)):
        if _is_bare_heading(parts[place]):
            kept[place] = kept[place + 1]
    return kept


def with_marks(cells: Sequence[Cell]) -> list[str]:
    """Return the source of each cell as it should be: with a mark where a
    reader has to see that the short path begins, or goes on.
    """
    sources = []
    for number, cell in enumerate(cells):
        source = source_of(cell)
        if cell["cell_type"] == "markdown":
            parts = split_at_headings(source)
            kept = parts_on_path(cells, number)
            source = "".join(map(_marked, parts, kept))
            resumes = number > 0 and not is_on_path(cells[number - 1])
            if kept[0] and resumes and not source.startswith(("#", MARK)):
                source = f"{MARK} {source}"
        sources.append(source)
    return sources


def split_at_headings(source: str) -> list[str]:
    """Split a text before each heading below the title; joined, the parts are
    the text.
    """
    parts = [""]
    fenced = False
    for line in source.splitlines(keepends=True):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if not fenced and _HEADING.match(line) and parts[-1]:
            parts.append("")
        parts[-1] += line
    return parts


def source_of(cell: Cell) -> str:
    """Return a cell's text, which a file may hold as a list of lines."""
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def without_mark(line: str) -> str:
    """Return a heading without its mark."""
    return line.rstrip().removesuffix(MARK).rstrip()


def _marked(part: str, on_path: bool) -> str:
    part = part.removeprefix(f"{MARK} ")
    if not _HEADING.match(part):
        return part
    line, newline, rest = part.partition("\n")
    line = without_mark(line)
    if on_path and not _OPENER.match(line):
        line = f"{line} {MARK}"
    return line + newline + rest


def _without_lead_in(text: str) -> str:
    above, blank, last = text.rstrip().rpartition("\n\n")
    return above if blank and last.endswith(":") else text


def _is_bare_heading(part: str) -> bool:
    return bool(_HEADING.match(part)) and not part.partition("\n")[2].strip()

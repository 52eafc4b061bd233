"""``python -m tests.notebooks.agendas``: write the minutes into the agendas for teachers.

The tables are in ``notebooks/teaching/agendas.md``. A row that begins with a link to a notebook
gets the minutes of the formula in ``memlab/course/minutes.py``: of the whole notebook, or of a part
of it that the row names. How long an agenda is as a whole is decided by hand, and so are the
minutes of all other rows, such as a break. The reserve is what is left, and the time at which a row
begins follows from the rows above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from memlab.course.minutes import SECOND_HALF, Part, read_cells
from tests.notebooks.store import NOTEBOOKS

PAGE = NOTEBOOKS / "teaching" / "agendas.md"
TOGETHER = "**together**"

_ROW = re.compile(r"\| *(?P<time>\d+:\d\d) *\| *(?P<what>.+?) *\| *\**(?P<minutes>\d*)\** *\|")
_NOTEBOOK = re.compile(
    r"\[\d\d\]\((?P<link>[^)]*)\)"
    r"(?:, (?P<part>short path|first half|second half))?"
    r"(?:, Steps? (?P<first>\d)(?: to (?P<last>\d))?)?"
    r"(?:, without (?P<left_out>gaps|`\w+`))?"
)
_STEP = re.compile(r"^## (?:Step (\d+))?", re.MULTILINE)


def rewritten(page: str, notebooks: Path = NOTEBOOKS) -> str:
    """Return the page with the minutes and times that its agendas should have.

    Raises ValueError for an agenda that is too long or lacks a row that it needs, for a row without
    minutes, and for a part that its notebook does not have.
    """
    lines = page.split("\n")
    agenda: dict[int, re.Match[str]] = {}
    for number, line in enumerate([*lines, ""]):
        if row := _ROW.fullmatch(line):
            agenda[number] = row
        elif agenda:
            for place, text in zip(agenda, _agenda([*agenda.values()], notebooks), strict=True):
                lines[place] = text
            agenda = {}
    return "\n".join(lines)


def _agenda(rows: list[re.Match[str]], notebooks: Path) -> Iterator[str]:
    """Write the rows of one agenda again."""
    *parts, together = rows
    if together["what"] != TOGETHER or not together["minutes"]:
        raise ValueError(f"the agenda that ends with {together['what']!r} has no sum")
    whole = int(together["minutes"])
    taken = [_minutes(row, notebooks) for row in parts]
    if taken.count(None) != 1:
        raise ValueError(f"the agenda that begins with {parts[0]['what']!r} needs one reserve")
    reserve = whole - sum(minutes or 0 for minutes in taken)
    if reserve < 0:
        raise ValueError(f"the agenda of {whole} minutes is {-reserve} minutes too long")
    hours, minutes = parts[0]["time"].split(":")
    now = 60 * int(hours) + int(minutes)
    for row, needs in zip(parts, taken, strict=True):
        row_minutes = reserve if needs is None else needs
        yield f"| {_time(now)} | {row['what']} | {row_minutes} |"
        now += row_minutes
    yield f"| {_time(now)} | {TOGETHER} | **{whole}** |"


def _minutes(row: re.Match[str], notebooks: Path) -> int | None:
    """Return what a row takes; None for the reserve."""
    if row["what"].startswith("reserve"):
        return None
    found = estimate(row["what"], notebooks)
    if found is None and not row["minutes"]:
        raise ValueError(f"{row['what']!r} begins with no notebook, and has no minutes")
    return int(row["minutes"]) if found is None else found


def _time(minutes: int) -> str:
    return f"{minutes // 60}:{minutes % 60:02d}"


def estimate(what: str, notebooks: Path = NOTEBOOKS) -> int | None:
    """Return the formula's minutes for a row such as ``[04](….ipynb), first half: recall``.

    Gives None for a row that does not begin with a notebook, and raises ValueError for a part that
    the notebook does not have.
    """
    row = _NOTEBOOK.match(what)
    if row is None:
        return None
    path = notebooks / Path(row["link"]).name
    cells = list(_numbered(read_cells(path, short=row["part"] == "short path")))
    halves = [place for place, (_, cell, _) in enumerate(cells) if SECOND_HALF in _tags(cell)]
    if row["part"] == "first half":
        cells = cells[: sum(halves)]
    elif row["part"] == "second half":
        cells = cells[sum(halves) or len(cells) :]
    if row["first"]:
        first = int(row["first"])
        last = int(row["last"] or first)
        cells = [each for each in cells if each[0] is not None and first <= each[0] <= last]
    if not cells:
        raise ValueError(f"{what!r} names a part that its notebook does not have")
    return sum((_without(cell, part, row["left_out"]) for _, cell, part in cells), Part()).stated


def _numbered(
    cells: list[tuple[Mapping[str, Any], Part]],
) -> Iterator[tuple[int | None, Mapping[str, Any], Part]]:
    """Give each cell with the number of the step that it is in."""
    step: int | None = None
    for cell, part in cells:
        heading = _STEP.search("".join(cell["source"])) if cell["cell_type"] == "markdown" else None
        if heading:
            step = int(heading[1]) if heading[1] else None
        yield step, cell, part


def _without(cell: Mapping[str, Any], part: Part, left_out: str | None) -> Part:
    """Leave out the minutes for writing one gap, or all of them; the text is read all the same."""
    name = (left_out or "").strip("`")
    if left_out == "gaps" or (name and f"check({name})" in "".join(cell["source"])):
        return replace(part, gap_minutes=())
    return part


def _tags(cell: Mapping[str, Any]) -> list[str]:
    tags: list[str] = cell["metadata"].get("tags", [])
    return tags


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

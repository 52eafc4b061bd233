"""Rules for a notebook's gaps: each one in ``memlab/course/gaps`` has its starter and its heading.

Whether wrong and right answers are told apart is tested with the course.
"""

from __future__ import annotations

import re
from functools import cache

from tests.notebooks.page import Cell, Page

_HEADING = re.compile(r"#+\s+(?:Your turn|Bonus): `(\w+)`")
_WHOLE = re.compile(r"### (?:Your turn|Bonus): `\w+`  (★☆☆|★★☆|★★★) · about \d+ minutes")


@cache
def _gaps() -> dict[int, list[str]]:
    from memlab.course.gap import all_gaps

    found: dict[int, list[str]] = {}
    for gap in all_gaps().values():
        found.setdefault(gap.notebook, []).append(gap.name)
    return found


def gaps_of(page: Page) -> list[str]:
    """Return the names of the gaps that a notebook has to have."""
    return _gaps().get(int(page.number), [])


def starters(page: Page, name: str) -> list[Cell]:
    """Return the cells that define a gap's function or class and check it at the end."""
    defined = re.compile(rf"^(?:def|class) {name}\b", re.MULTILINE)
    return [
        cell
        for cell in page.code
        if defined.search(cell.source) and cell.source.endswith(f"\ncheck({name})")
    ]


def every_gap_has_a_starter(page: Page) -> list[str]:
    """One cell with the definition, with ``check(name)`` at its end, which says todo."""
    problems = []
    for name in gaps_of(page):
        cells = starters(page, name)
        if len(cells) != 1:
            problems.append(f"{name}: {len(cells)} cells define it and end in check({name})")
        elif not _says_todo(cells[0]):
            problems.append(f"{name}: the stored check does not say 'todo'")
    return problems


def every_gap_has_a_heading(page: Page) -> list[str]:
    """``### Your turn: `name`  ★★☆ · about 10 minutes``, or ``### Bonus: …``, for gaps alone."""
    headings = [line for line in page.headings() if _HEADING.match(line)]
    named = [_HEADING.sub(r"\1", line).split()[0] for line in headings]
    problems = [
        f"{line!r} has no stars and minutes" for line in headings if not _WHOLE.fullmatch(line)
    ]
    if sorted(named) != sorted(gaps_of(page)):
        problems.append(f"the headings are for {named}, and the gaps are {gaps_of(page)}")
    return problems


def _says_todo(cell: Cell) -> bool:
    return any(re.search(r"^○ todo\b", text, re.MULTILINE) for _, text in cell.texts())

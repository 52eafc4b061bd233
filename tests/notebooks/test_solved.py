"""Every notebook shows what is stored when every gap of it and of the earlier ones is solved.

Only the cells of gaps and those that list the learner's parts may show something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.course.gap import Gap, all_gaps
from memlab.course.sources import stand_alone
from tests.notebooks.forked import Outputs, differs, first_red
from tests.notebooks.page import Cell, Page, read_page
from tests.notebooks.rules_gaps import starters
from tests.notebooks.store import ROOT, find_notebooks
from tests.platforms import needs_fork

pytestmark = [pytest.mark.slow, needs_fork]

_CHECK = re.compile(r"^check\(\w+\)", re.MULTILINE)
_LISTS_PARTS = re.compile(r"\bmy\.(counts|system)\(|\bprogress\(|\bpart_calls\(|^my$", re.MULTILINE)
_PARTS_LINE = re.compile(r"^Your parts: .*\n", re.MULTILINE)


@pytest.mark.parametrize("path", find_notebooks(), ids=lambda path: path.stem)
def test_a_notebook_runs_with_every_gap_solved(path: Path) -> None:
    page = read_page(path)
    number = int(page.number)
    own = [gap for gap in all_gaps().values() if gap.notebook == number]
    sources = dict(solved_cells(page, own))
    assert len(sources) == len(own)

    def judge(cell: Cell, outputs: Outputs) -> str | None:
        if _CHECK.search(cell.source):
            return None if "✓ pass" in str(outputs) else f"the solution does not pass: {outputs}"
        if cell.number in sources or _LISTS_PARTS.search(cell.source):
            return None
        for output in outputs:
            if "text" in output:
                output["text"] = _PARTS_LINE.sub("", output["text"])
        return differs(cell, outputs)

    def begin() -> None:
        from memlab.course.own_parts import fill_in

        fill_in(number)

    red = first_red(page, ROOT, before=begin, sources=sources, judge=judge)
    assert red is None


def solved_cells(page: Page, gaps: list[Gap]) -> Iterator[tuple[int, str]]:
    """Give the cells that change, with the solutions in the place of the starters."""
    for gap in gaps:
        for cell in starters(page, gap.name):
            yield cell.number, f"{stand_alone(gap.ours)}\n\ncheck({gap.name})"

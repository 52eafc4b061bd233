"""Every notebook once more, with every gap of it and of the earlier ones solved, and every cell run
twice in a row, as it is for a learner who goes back: nothing fails. At night also with every cell
run once: then it shows what is stored, except in the cells of gaps and those that list the
learner's parts.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memlab.course.gap import all_gaps
from memlab.course.sources import stand_alone
from tests.notebooks.forked import Outputs, differs, first_red
from tests.notebooks.page import Cell, read_page
from tests.notebooks.rules import gaps_of, starters
from tests.notebooks.store import ROOT, find_notebooks
from tests.platforms import needs_fork

pytestmark = [pytest.mark.slow, needs_fork]

_CHECK = re.compile(r"^check\(\w+\)", re.MULTILINE)
_LISTS_PARTS = re.compile(r"\bmy\.(counts|system)\(|\bprogress\(|\bpart_calls\(|^my$", re.MULTILINE)
_PARTS_LINE = re.compile(r"^Your parts: .*\n", re.MULTILINE)


@pytest.mark.parametrize(
    "times", [pytest.param(1, marks=pytest.mark.soak), 2], ids=["once", "twice"]
)
@pytest.mark.parametrize("path", find_notebooks(), ids=lambda path: path.stem)
def test_a_notebook_runs_with_every_gap_solved(path: Path, times: int) -> None:
    page = read_page(path)
    sources = {
        cell.number: f"{stand_alone(all_gaps()[name].ours)}\n\ncheck({name})"
        for name in gaps_of(page)
        for cell in starters(page, name)
    }
    assert len(sources) == len(gaps_of(page))

    def judge(cell: Cell, outputs: Outputs) -> str | None:
        if _CHECK.search(cell.source):
            return None if "✓ pass" in str(outputs) else f"the solution does not pass: {outputs}"
        if times > 1 or _LISTS_PARTS.search(cell.source):
            return None
        for output in outputs:
            if "text" in output:
                output["text"] = _PARTS_LINE.sub("", output["text"])
        return differs(cell, outputs)

    def begin() -> None:
        from memlab.course.own_parts import fill_in

        fill_in(int(page.number))

    red = first_red(page, ROOT, before=begin, sources=sources, judge=judge, times=times)
    assert red is None

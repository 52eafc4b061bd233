"""Every notebook once more, with every gap of it and of the earlier ones solved, and every cell run
twice in a row, as it is for a learner who goes back: nothing fails.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.course.gap import all_gaps
from memlab.course.sources import stand_alone
from tests.notebooks.forked import first_red
from tests.notebooks.page import ROOT, find_notebooks, read_page
from tests.notebooks.rules import gaps_of, starters
from tests.platforms import needs_fork

LONGEST = "12 17 11 16 13 04 01 08 05"
"""They come first, so that at the end no worker is left alone with one of them."""
PATHS = sorted(find_notebooks(), key=lambda path: (LONGEST + path.name).index(path.name[:2]))


@needs_fork
@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_runs_with_every_gap_solved(path: Path) -> None:
    page = read_page(path)
    solutions = {
        cell.number: f"{stand_alone(all_gaps()[name].ours)}\n\ncheck({name})"
        for name in gaps_of(page)
        for cell in starters(page, name)
    }
    assert len(solutions) == len(gaps_of(page))

    def before() -> None:
        from memlab.course.own_parts import fill_in  # as the child has it

        fill_in(int(page.number))

    assert first_red(page, ROOT, before=before, solutions=solutions) is None

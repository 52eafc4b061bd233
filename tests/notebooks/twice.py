"""``python -m tests.notebooks.twice notebooks/04_recall.ipynb``: run a notebook as learners do.

- *twice*: each cell runs twice in a row, and shows its stored output both times;
- *restart*: after the first half, the kernel is restarted, and everything runs from the top in the
  same home;
- *solved*: the learner has solved every gap of this notebook and of the earlier ones. Only the
  cells of gaps and those that list the learner's parts may show something else.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from nbformat import NotebookNode

from memlab.course import Exercise, all_exercises
from memlab.course.parts_file import FILE, PartsFile, Section, write_parts_file
from tests.notebooks.again import Way, code_cells, differs, environment, main, run_cells, texts
from tests.notebooks.store import read

_CHECK = re.compile(r"^check\(\w+\)", re.MULTILINE)
_LISTS_PARTS = re.compile(
    r"\bmy\.(counts|source|system)\(|\bprogress\(|\bpart_calls\(|^my$", re.MULTILINE
)
_PARTS_LINE = re.compile(r"^Your parts: .*\n", re.MULTILINE)


async def each_cell_twice(path: Path, home: Path) -> list[str]:
    """Run each cell twice in a row."""
    cells = code_cells(path)
    return await run_cells(path, home, [index for cell in cells for index in (cell, cell)])


async def after_a_restart(path: Path, home: Path) -> list[str]:
    """Run the first half, and then everything in a new kernel on the same home."""
    cells = code_cells(path)
    problems = await run_cells(path, home, cells[: len(cells) // 2])
    return problems or await run_cells(path, home, cells)


async def all_gaps_solved(path: Path, home: Path) -> list[str]:
    """Run everything with the solution in the place of each starter."""
    number = int(path.name[:2])
    gaps = [one for one in all_exercises() if not one.planned]
    earlier = [one for one in gaps if one.notebook < number]
    write_parts_file(Path(environment(home)["MEMLAB_COURSE_HOME"], FILE), _parts(earlier))
    own = [one for one in gaps if one.notebook == number]
    sources = _solved(read(path), own)
    return await run_cells(path, home, code_cells(path), sources=sources, judge=_judge_solved)


def _parts(gaps: list[Exercise]) -> PartsFile:
    parts = PartsFile()
    for one in gaps:
        parts = parts.with_section(Section(one.name, one.notebook, one.solution.strip()))
    return parts


def _solved(notebook: NotebookNode, gaps: list[Exercise]) -> dict[int, str]:
    """Put the solutions in the place of the starters; gives the cells that change."""
    found = {}
    for index, cell in enumerate(notebook.cells):
        source = cell.source
        for one in gaps:
            source = source.replace(one.starter.strip(), one.solution.strip())
        if cell.cell_type == "code" and source != cell.source:
            found[index] = source
    return found


def _judge_solved(stored: NotebookNode, fresh: NotebookNode) -> str | None:
    if _CHECK.search(stored.source):
        shown = texts(fresh.outputs)
        return None if "✓ pass" in shown else f"the solution does not pass: {shown.strip()}"
    if stored.source != fresh.source or _LISTS_PARTS.search(stored.source):
        return None
    for output in fresh.outputs:
        if output.output_type == "stream":
            output["text"] = _PARTS_LINE.sub("", output["text"])
    return differs(stored, fresh)


WAYS: dict[str, Way] = {
    "twice": each_cell_twice,
    "restart": after_a_restart,
    "solved": all_gaps_solved,
}

if __name__ == "__main__":
    sys.exit(main(WAYS, "Run notebooks twice, after a restart, and with every gap solved."))

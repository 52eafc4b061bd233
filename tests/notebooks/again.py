"""Run a notebook's cells in another way than from top to bottom, and compare with what is stored.

Used by ``twice`` and ``core``. A run gives its problems, one short line for each cell that fails or
shows something else than its stored output. The comparison is that of nbval's strict mode.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path

from nbformat import NotebookNode

from tests.notebooks.compare import Output, first_difference, read_replacements
from tests.notebooks.fresh_kernel import (
    CellFailure,
    failure_tail,
    fresh_kernel,
    kernel_environment,
    run_cell,
)
from tests.notebooks.rules_code import NOT_COMPARED_TAGS
from tests.notebooks.store import ROOT, read

Judge = Callable[[NotebookNode, NotebookNode], str | None]
"""Says what is wrong with a cell's new outputs, given the stored cell and the cell that ran."""

Way = Callable[[Path, Path], Awaitable[list[str]]]
"""A way to run a notebook in a home: gives the problems."""


def in_new_home(way: Way, path: Path) -> list[str]:
    """Run a notebook in one way, in a home that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="memlab-", ignore_cleanup_errors=True) as home:
        return asyncio.run(way(path, Path(home)))


def environment(home: Path) -> dict[str, str]:
    """Return the environment of every kernel of one run; the home is shared by all of them."""
    return kernel_environment(home, packages=ROOT)


def differs(stored: NotebookNode, fresh: NotebookNode) -> str | None:
    """Compare the outputs of a cell with the stored ones, unless it is not compared anywhere."""
    if NOT_COMPARED_TAGS & {*stored.metadata.get("tags", ())}:
        return None
    return first_difference(stored.outputs, fresh.outputs, read_replacements())


async def run_cells(
    path: Path,
    home: Path,
    indexes: Iterable[int],
    *,
    sources: Mapping[int, str] | None = None,
    judge: Judge = differs,
) -> list[str]:
    """Run some cells in a fresh kernel, in the order that is given; gives the problems.

    ``sources`` has the cells that are run with another text. A cell that raises ends the run.
    """
    stored = read(path)
    running = copy.deepcopy(stored)
    for index, source in (sources or {}).items():
        running.cells[index].source = source
    problems = []
    async with fresh_kernel(running, folder=path.parent, env=environment(home)) as client:
        seen: set[int] = set()
        for index in indexes:
            again = " when it is run again" if index in seen else ""
            seen.add(index)
            where = f"{path.name}, cell {index + 1} ({stored.cells[index].id}){again}"
            try:
                await run_cell(client, index)
            except CellFailure as error:
                problems.append(f"{where}: {failure_tail(error, 3)}")
                break
            found = judge(stored.cells[index], running.cells[index])
            if found:
                problems.append(f"{where}: {found}")
    return problems


def code_cells(path: Path) -> list[int]:
    """Return the places of the code cells, from 0."""
    return [index for index, cell in enumerate(read(path).cells) if cell.cell_type == "code"]


def texts(outputs: Iterable[Output]) -> str:
    """Return what a cell shows as plain text."""
    found = [
        output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs
    ]
    return "\n".join(found)


def main(ways: Mapping[str, Way], description: str, arguments: Sequence[str] | None = None) -> int:
    """Run notebooks in some ways, and print the problems; gives the exit status."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("notebooks", nargs="+", type=Path, metavar="NOTEBOOK")
    parser.add_argument("--only", choices=list(ways), help="one way only")
    given = parser.parse_args(arguments)
    failed = False
    for path in given.notebooks:
        for name, way in ways.items():
            if given.only not in (None, name):
                continue
            problems = in_new_home(way, path.resolve())
            failed |= bool(problems)
            print(f"{path.name}, {name}: {len(problems) or 'no'} problems", flush=True)
            for problem in problems:
                print(f"  {problem}", flush=True)
    return 1 if failed else 0

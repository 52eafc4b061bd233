"""Run notebooks from top to bottom and store what they print: ``python3 -m memlab store 03``.

This is the only way in which stored outputs are made. A notebook that fails keeps its file as it
was. What is stored contains nothing of the machine or the moment, so running this twice changes no
byte. Which files each notebook read is recorded beside it, so that ``store --changed`` knows what
is out of date. Judging a notebook is left to the structure tests.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import hashlib
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from tests.notebooks import record
from tests.notebooks.fresh_kernel import (
    CellFailure,
    failure_tail,
    fresh_kernel,
    kernel_environment,
    run_cell,
)

ROOT = Path(__file__).resolve().parents[2]
ABOUT = "Run notebooks and store their outputs; without arguments, list what is out of date."
NOTEBOOKS = ROOT / "notebooks"
RECORDER = Path(__file__).parent / "recorder"
AT_ONCE = 2

METADATA: dict[str, Any] = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}
"""The metadata of every notebook: no version, so that it is the same on every Python."""

KEPT_CELL_METADATA = frozenset({"jupyter", "tags"})
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class StoreError(Exception):
    """A notebook could not be run to its end; its file is unchanged."""


@dataclass(frozen=True)
class Stored:
    """How many code cells a stored notebook has, and which files of the project it read."""

    cells: int
    opened: tuple[str, ...]


def main(arguments: Sequence[str] | None = None, *, root: Path = ROOT) -> int:
    """Store the chosen notebooks, or say which are out of date; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="python3 -m memlab store", description=ABOUT)
    parser.add_argument("numbers", nargs="*", metavar="NN", help="store these, such as 03")
    parser.add_argument("--changed", action="store_true", help="store what is out of date")
    parser.add_argument("--all", action="store_true", help="store every notebook")
    chosen = parser.parse_args(arguments)
    if bool(chosen.numbers) + chosen.changed + chosen.all > 1:
        parser.error("choose numbers, --changed or --all")
    try:
        paths = find_notebooks(chosen.numbers, root / "notebooks")
    except LookupError as error:
        parser.error(str(error))
    if not chosen.numbers and not chosen.all:
        paths = _report(paths, root)
        if not chosen.changed:
            return 0
    try:
        failed = asyncio.run(_store_all(paths, root))
    except KeyboardInterrupt:
        print("stopped; the notebooks that were still running are unchanged", flush=True)
        return 130
    if failed:
        print(f"failed: {', '.join(path.stem for path in failed)}", flush=True)
    return 1 if failed else 0


def _report(paths: Sequence[Path], root: Path) -> list[Path]:
    """Print the notebooks that are out of date, each with its reasons; give them."""
    stale, known = [], record.read_record(root)
    for path in paths:
        reasons = record.changes_since_stored(root, path, known)
        if reasons:
            stale.append(path)
            more = f", and {len(reasons) - 3} more" if len(reasons) > 3 else ""
            print(f"  {path.stem}: {', '.join(reasons[:3])}{more}")
    print(f"{len(paths) - len(stale)} of {len(paths)} notebooks are up to date", flush=True)
    return stale


async def _store_all(paths: Sequence[Path], root: Path) -> list[Path]:
    """Store notebooks, ``AT_ONCE`` at a time, with a line for each; give those that failed."""
    free = asyncio.Semaphore(AT_ONCE)
    done = 0

    async def store_one(path: Path) -> bool:
        nonlocal done
        async with free:
            print(f"{path.stem}: running", flush=True)
            begun = time.perf_counter()
            try:
                result = await store(path, packages=root)
            except StoreError as error:
                message = f"FAILED, the file is unchanged\n{error}"
                succeeded = False
            else:
                record.add_to_record(root, path, result.opened)
                seconds = time.perf_counter() - begun
                message = f"stored, {result.cells} code cells, {seconds:.1f} s"
                succeeded = True
            done += 1
            print(f"{path.stem} ({done} of {len(paths)}): {message}", flush=True)
            return succeeded

    succeeded = await asyncio.gather(*(store_one(path) for path in paths))
    return [path for path, fine in zip(paths, succeeded, strict=True) if not fine]


def find_notebooks(numbers: Sequence[str] = (), folder: Path = NOTEBOOKS) -> list[Path]:
    """Return the course's notebooks in order, only ``numbers`` if there are any.

    Raises ``LookupError`` for a number that no notebook has.
    """
    paths = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    wanted = {number.zfill(2) for number in numbers}
    unknown = wanted - {path.name[:2] for path in paths}
    if unknown:
        raise LookupError(f"no notebook has the number {', '.join(sorted(unknown))}")
    return [path for path in paths if not wanted or path.name[:2] in wanted]


async def store(path: Path, *, packages: Path = ROOT) -> Stored:
    """Run the notebook at ``path`` in a fresh kernel and store its outputs.

    ``packages`` is the folder that memlab is imported from, and in which files that are read
    count. Raises ``StoreError``.
    """
    notebook = read(path)
    with tempfile.TemporaryDirectory(prefix="memlab-", ignore_cleanup_errors=True) as home:
        opened_files = Path(home, "opened.txt")
        env = kernel_environment(Path(home), packages=packages)
        env["PYTHONPATH"] = f"{RECORDER}{os.pathsep}{env['PYTHONPATH']}"
        env["NOTEBOOK_READS_RECORD"] = str(opened_files)
        env["NOTEBOOK_READS_ROOT"] = str(packages)
        await _run_all(notebook, folder=path.parent, env=env)
        opened = tuple(sorted(set(_read_opened(opened_files))))
    replace_file(path, render(notebook))
    return Stored(sum(cell.cell_type == "code" for cell in notebook.cells), opened)


def _read_opened(listing: Path) -> Iterator[str]:
    """Give the paths that were opened, with the source in place of a compiled module."""
    if not listing.exists():
        return
    for line in listing.read_text("utf-8", "surrogateescape").splitlines():
        path = line.replace(os.sep, "/")
        if path.endswith(".pyc") and "__pycache__" in path:
            path = source_from_cache(path).replace(os.sep, "/")
        yield path


def read(path: Path) -> NotebookNode:
    """Read a notebook, giving every cell an id that depends on nothing but the notebook."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    seen: set[str] = set()
    for cell in raw["cells"]:
        source = "".join(cell["source"])
        given = str(cell.get("id", ""))
        fresh = not _CELL_ID.fullmatch(given) or given in seen
        cell["id"] = _id_for(source, seen) if fresh else given
        seen.add(cell["id"])
    raw["nbformat"], raw["nbformat_minor"] = 4, 5
    notebook: NotebookNode = nbformat.reads(json.dumps(raw), as_version=4)  # type: ignore[no-untyped-call]
    return notebook


def render(notebook: NotebookNode) -> str:
    """Return the notebook as the text of its file, in its one normal form."""
    notebook = copy.deepcopy(notebook)
    notebook.metadata = METADATA
    for cell in notebook.cells:
        for key in cell.metadata.keys() - KEPT_CELL_METADATA:
            del cell.metadata[key]
        for output in cell.get("outputs", []):
            # A widget's view holds a random id, and without its kernel it shows an error instead
            # of the text that stands beside it.
            output.get("data", {}).pop(WIDGET_VIEW, None)
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    return text.rstrip("\n") + "\n"


def replace_file(path: Path, text: str) -> None:
    """Write ``text`` beside ``path`` and move it there: the old file or the new, never half."""
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


async def _run_all(notebook: NotebookNode, *, folder: Path, env: dict[str, str]) -> None:
    count = 0
    async with fresh_kernel(notebook, folder=folder, env=env) as client:
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type != "code":
                continue
            count += 1
            try:
                await run_cell(client, index)
            except CellFailure as error:
                place = f"cell {index + 1} (code cell {count})"
                raise StoreError(f"{place}:\n{failure_tail(error)}") from error
            cell.execution_count = count
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count


def _id_for(source: str, taken: set[str]) -> str:
    """Derive an id from the cell's text; the same text a second time gets another."""
    copy = 0
    while True:
        candidate = hashlib.sha256(f"{copy}:{source}".encode()).hexdigest()[:8]
        if candidate not in taken:
            return candidate
        copy += 1


if __name__ == "__main__":
    sys.exit(main())

"""Run notebooks from top to bottom and store what they print: ``python3 -m memlab store 03``.

This is the only way in which stored outputs are made: by this interpreter, with nobody's settings
and keys, in the notebook's folder, as nbval will run it. A notebook that fails keeps its file as it
was. What is stored contains nothing of the machine or the moment, so running this twice changes no
byte. Which files each notebook read is recorded beside it, so that ``store --changed`` knows what
is out of date. Judging a notebook is left to the rules.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from tests.notebooks.page import ROOT, find_notebooks
from tests.notebooks.record import add_to_record, changes_since_stored

ABOUT = "Run notebooks and store their outputs; without arguments, list what may be out of date."
RECORDER = Path(__file__).parent / "recorder"
AT_ONCE = 2
CELL_SECONDS = 120
"""How long one cell may take before it counts as hung."""
METADATA: dict[str, Any] = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}
"""The metadata of every notebook: no version, so that it is the same on every Python."""
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Store the chosen notebooks, or say which may be out of date; return 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python3 -m memlab store", description=ABOUT)
    parser.add_argument("numbers", nargs="*", metavar="NN", help="store these, such as 03")
    parser.add_argument("--changed", action="store_true", help="store what may be out of date")
    parser.add_argument("--all", action="store_true", help="store every notebook")
    chosen = parser.parse_args(arguments)
    paths = find_notebooks(chosen.numbers)
    if not chosen.numbers and not chosen.all:
        paths = _report(paths)
        if not chosen.changed:
            return 0
    return asyncio.run(_store_all(paths))


def _report(paths: Sequence[Path]) -> list[Path]:
    """Print the notebooks that may be out of date, each with its reasons; give them."""
    stale = {path: reasons for path in paths if (reasons := changes_since_stored(path))}
    for path, reasons in stale.items():
        print(f"  {path.stem}: {', '.join(reasons[:3])}")
    many = f"{len(stale)} of {len(paths)} notebooks read what has changed since they were stored"
    print(f"{many}, and may be out of date" if stale else "nothing is out of date", flush=True)
    return [*stale]


async def _store_all(paths: Sequence[Path]) -> int:
    """Store notebooks, ``AT_ONCE`` at a time, with a line for each; give 1 if one failed."""
    free = asyncio.Semaphore(AT_ONCE)

    async def store_one(path: Path) -> bool:
        async with free:
            print(f"{path.stem}: running", flush=True)
            said = await store(path)
            print(f"{path.stem}: {said or 'stored'}", flush=True)
            return said != ""

    return int(any(await asyncio.gather(*map(store_one, paths))))


async def store(path: Path) -> str:
    """Run the notebook at ``path`` in a fresh kernel, and store its outputs and what it has read.

    Gives what is wrong; then, the file is as it was.
    """
    notebook = read(path)
    with tempfile.TemporaryDirectory(prefix="memlab-", ignore_cleanup_errors=True) as home:
        opened = Path(home, "opened.txt")
        opened.touch()
        env = {k: v for k, v in os.environ.items() if not k.startswith(("MEMLAB_", "ANTHROPIC_"))}
        paths = [str(RECORDER), str(ROOT), *filter(None, [env.get("PYTHONPATH")])]
        env |= {
            "MEMLAB_COURSE_HOME": f"{home}/course",
            "IPYTHONDIR": f"{home}/ipython",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(paths),
            "NOTEBOOK_READS_RECORD": str(opened),
            "NOTEBOOK_READS_ROOT": str(ROOT),
        }
        if said := await _run_all(notebook, path.parent, env):
            return said
        lines = opened.read_text("utf-8", "surrogateescape").replace(os.sep, "/").splitlines()
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(render(notebook), encoding="utf-8", newline="\n")
    os.replace(beside, path)  # the old file or the new, never half
    cached = [line for line in lines if line.endswith(".pyc") and "__pycache__" in line]
    sources = {source_from_cache(line).replace(os.sep, "/") for line in cached}
    add_to_record(path, {*lines} - {*cached} | sources)
    return ""


async def _run_all(notebook: NotebookNode, folder: Path, env: dict[str, str]) -> str:
    """Run every cell; gives what the first that fails says."""
    manager = AsyncKernelManager(kernel_name="python3")
    launch = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager.kernel_spec.argv = launch  # whatever kernels a person has installed
    client = NotebookClient(notebook, km=manager, timeout=CELL_SECONDS, coalesce_streams=True)
    await manager.start_kernel(cwd=str(folder), env=env, stderr=subprocess.DEVNULL)
    count = 0
    try:
        await client.async_start_new_kernel_client()
        for index, cell in enumerate(notebook.cells):
            count += cell.cell_type == "code"
            await client.async_execute_cell(cell, index, execution_count=count)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()
        tail = "\n".join(lines[-8:])
        return f"FAILED, the file is unchanged; cell {index + 1} (code cell {count}):\n{tail}"
    finally:
        if client.kc is not None:
            client.kc.stop_channels()
        await manager.shutdown_kernel(now=True)
    return ""


def read(path: Path) -> NotebookNode:
    """Read a notebook, giving a cell that has no id of its own one that depends on its place."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    seen = set[str]()
    for number, cell in enumerate(raw["cells"], start=1):
        if cell.get("id", "") in {"", *seen}:
            cell["id"] = f"cell-{number}"
        seen.add(cell["id"])
    raw["nbformat"], raw["nbformat_minor"] = 4, 5
    notebook: NotebookNode = nbformat.reads(json.dumps(raw), as_version=4)  # type: ignore[no-untyped-call]
    return notebook


def render(notebook: NotebookNode) -> str:
    """Return the notebook as the text of its file, in its one normal form."""
    notebook = copy.deepcopy(notebook)
    notebook.metadata = METADATA
    for cell in notebook.cells:
        for key in cell.metadata.keys() - {"jupyter", "tags"}:
            del cell.metadata[key]
        for output in cell.get("outputs", []):
            # A widget's view holds a random id, and without its kernel it shows an error instead
            # of the text that stands beside it.
            output.get("data", {}).pop(WIDGET_VIEW, None)
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    return text.rstrip("\n") + "\n"


if __name__ == "__main__":
    sys.exit(main())

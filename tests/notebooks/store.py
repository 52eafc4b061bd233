"""Run notebooks from top to bottom and store what they print: ``python3 -m memlab store 03``.

This is the only way in which stored outputs are made: by this interpreter, with nobody's settings
and keys, in the notebook's folder, as nbval will run it. A notebook that fails keeps its file as it
was. What is stored contains nothing of the machine or the moment, so running this twice changes no
byte. Which notebooks are out of date is for nbval to say, and judging them is left to the rules.
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
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from tests.notebooks.page import ROOT, find_notebooks

ABOUT = "Run notebooks and store their outputs."
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
    """Store the chosen notebooks; return 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python3 -m memlab store", description=ABOUT)
    parser.add_argument("numbers", nargs="*", metavar="NN", help="store these, such as 03")
    parser.add_argument("--all", action="store_true", help="store every notebook")
    chosen = parser.parse_args(arguments)
    if not chosen.numbers and not chosen.all:
        parser.error("say which, such as 03, or --all")
    return asyncio.run(_store_all(find_notebooks(chosen.numbers)))


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
    """Run the notebook at ``path`` in a fresh kernel, and store its outputs.

    Gives what is wrong; then, the file is as it was.
    """
    notebook = read(path)
    with tempfile.TemporaryDirectory(prefix="memlab-", ignore_cleanup_errors=True) as home:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("MEMLAB_", "ANTHROPIC_"))}
        paths = [str(ROOT), *filter(None, [env.get("PYTHONPATH")])]
        env |= {
            "MEMLAB_COURSE_HOME": f"{home}/course",
            "IPYTHONDIR": f"{home}/ipython",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(paths),
        }
        if said := await _run_all(notebook, path.parent, env):
            return said
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(render(notebook), encoding="utf-8", newline="\n")
    os.replace(beside, path)  # the old file or the new, never half
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

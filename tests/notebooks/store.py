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
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from tests.notebooks import record

ROOT = Path(__file__).resolve().parents[2]
ABOUT = "Run notebooks and store their outputs; without arguments, list what may be out of date."
NOTEBOOKS = ROOT / "notebooks"
RECORDER = Path(__file__).parent / "recorder"
AT_ONCE = 2
CELL_SECONDS = 120
"""How long one cell may take before it counts as hung."""
METADATA: dict[str, Any] = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}
"""The metadata of every notebook: no version, so that it is the same on every Python."""
KEPT_CELL_METADATA = {"jupyter", "tags"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


class StoreError(Exception):
    """A notebook could not be run to its end; its file is unchanged."""


def main(arguments: Sequence[str] | None = None, *, root: Path = ROOT) -> int:
    """Store the chosen notebooks, or say which may be out of date; return 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python3 -m memlab store", description=ABOUT)
    parser.add_argument("numbers", nargs="*", metavar="NN", help="store these, such as 03")
    parser.add_argument("--changed", action="store_true", help="store what may be out of date")
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
    """Print the notebooks that may be out of date, each with its reasons; give them."""
    stale, known = [], record.read_record(root)
    for path in paths:
        if reasons := record.changes_since_stored(root, path, known):
            stale.append(path)
            more = f", and {len(reasons) - 3} more" if len(reasons) > 3 else ""
            print(f"  {path.stem}: {', '.join(reasons[:3])}{more}")
    print(f"{len(stale)} of {len(paths)} notebooks may be out of date", flush=True)
    return stale


async def _store_all(paths: Sequence[Path], root: Path) -> list[Path]:
    """Store notebooks, ``AT_ONCE`` at a time, with a line for each; give those that failed."""
    free = asyncio.Semaphore(AT_ONCE)
    failed: list[Path] = []
    done = 0

    async def store_one(path: Path) -> None:
        nonlocal done
        async with free:
            print(f"{path.stem}: running", flush=True)
            begun = time.perf_counter()
            try:
                opened = await store(path, packages=root)
                record.add_to_record(root, path, opened)
                message = f"stored, {time.perf_counter() - begun:.1f} s"
            except StoreError as error:
                failed.append(path)
                message = f"FAILED, the file is unchanged\n{error}"
            done += 1
            print(f"{path.stem} ({done} of {len(paths)}): {message}", flush=True)

    await asyncio.gather(*map(store_one, paths))
    return sorted(failed)


def find_notebooks(numbers: Sequence[str] = (), folder: Path = NOTEBOOKS) -> list[Path]:
    """Return the course's notebooks in order, only ``numbers`` if there are any.

    Raises ``LookupError`` for a number that no notebook has.
    """
    paths = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    wanted = {number.zfill(2) for number in numbers}
    if unknown := wanted - {path.name[:2] for path in paths}:
        raise LookupError(f"no notebook has the number {', '.join(sorted(unknown))}")
    return [path for path in paths if not wanted or path.name[:2] in wanted]


async def store(path: Path, *, packages: Path = ROOT) -> set[str]:
    """Run the notebook at ``path`` in a fresh kernel and store its outputs; gives the files of
    ``packages``, from which memlab is imported, that were read meanwhile. Raises ``StoreError``.
    """
    notebook = read(path)
    with tempfile.TemporaryDirectory(prefix="memlab-", ignore_cleanup_errors=True) as home:
        opened = Path(home, "opened.txt")
        opened.touch()
        env = {k: v for k, v in os.environ.items() if not k.startswith(("MEMLAB_", "ANTHROPIC_"))}
        paths = [str(RECORDER), str(packages), *filter(None, [env.get("PYTHONPATH")])]
        env |= {
            "MEMLAB_COURSE_HOME": f"{home}/course",
            "IPYTHONDIR": f"{home}/ipython",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(paths),
            "NOTEBOOK_READS_RECORD": str(opened),
            "NOTEBOOK_READS_ROOT": str(packages),
        }
        await _run_all(notebook, path.parent, env)
        lines = opened.read_text("utf-8", "surrogateescape").replace(os.sep, "/").splitlines()
    replace_file(path, render(notebook))
    cached = [line for line in lines if line.endswith(".pyc") and "__pycache__" in line]
    sources = {source_from_cache(line).replace(os.sep, "/") for line in cached}
    return {*lines} - {*cached} | sources


class _ThisInterpreter(KernelSpecManager):
    """Offers one kernel, the running Python, whatever kernels a person has installed."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, display_name=kernel_name, language="python")


async def _run_all(notebook: NotebookNode, folder: Path, env: dict[str, str]) -> None:
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=_ThisInterpreter())
    client = NotebookClient(
        notebook,
        km=manager,
        timeout=CELL_SECONDS,
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
    )
    await manager.start_kernel(cwd=str(folder), env=env, stderr=subprocess.DEVNULL)
    try:
        await client.async_start_new_kernel_client()
        code = [(i, cell) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
        for count, (index, cell) in enumerate(code, start=1):
            try:
                await client.async_execute_cell(cell, index, store_history=False)
            except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
                said = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).rstrip() or type(error).__name__
                tail = "\n".join(said.splitlines()[-8:])
                raise StoreError(f"cell {index + 1} (code cell {count}):\n{tail}") from error
            cell.execution_count = count
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count
    finally:
        if client.kc is not None:
            client.kc.stop_channels()
        if manager.has_kernel:
            await manager.shutdown_kernel(now=True)


def read(path: Path) -> NotebookNode:
    """Read a notebook, giving every cell an id that depends on nothing but the notebook."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    seen: set[str] = set()
    for cell in raw["cells"]:
        given, copies = str(cell.get("id", "")), 0
        while not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", given) or given in seen:
            text = f"{copies}:{''.join(cell['source'])}"
            given = hashlib.sha256(text.encode()).hexdigest()[:8]
            copies += 1
        cell["id"] = given
        seen.add(given)
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


if __name__ == "__main__":
    sys.exit(main())

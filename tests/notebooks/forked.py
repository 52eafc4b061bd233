"""Run a notebook's cells in a forked child of this process, and compare what they show.

A child has what this process has imported, so no run waits for a kernel and for imports. memlab is
imported in each child, from the project that it is given. Needs ``os.fork``, which Windows does not
have. Left out: choosing what to run.
"""

from __future__ import annotations

import asyncio
import importlib
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from tests.notebooks.compare import first_difference
from tests.notebooks.page import Cell, Page

SECONDS = 300
"""How long a run may take before it counts as hung."""

WARM = ("anthropic.resources.messages", "anthropic.types.beta", "ipywidgets", "pygments.lexers")
"""What notebooks import besides memlab, and what takes longest."""

Outputs = list[dict[str, Any]]

Judge = Callable[[Cell, Outputs], str | None]
"""Says what is wrong with a cell's new outputs."""


@dataclass(frozen=True)
class Red:
    """The first place where a run is not as it should be, and how."""

    where: str
    how: str


def differs(cell: Cell, outputs: Outputs) -> str | None:
    """Compare a cell's new outputs with its stored ones."""
    return first_difference(cell.outputs, outputs)


def first_red(
    page: Page,
    project: Path,
    *,
    before: Callable[[], None] = lambda: None,
    sources: Mapping[int, str] = MappingProxyType({}),
    judge: Judge = differs,
    times: int = 1,
) -> Red | None:
    """Run a notebook with memlab from ``project``; gives the first cell that is wrong.

    ``before`` is done in the notebook's own home, and ``sources`` has the cells, by number, that
    are run with another text. Every cell is run so many ``times``; what it shows is judged the
    first time, and later, only errors that are not memlab's own are red.
    """
    for name in WARM:
        importlib.import_module(name)

    def work() -> Red | None:
        before()
        return asyncio.run(_run(page, sources, judge, times))

    return in_a_child(work, project)


def in_a_child(work: Callable[[], Red | None], project: Path) -> Red | None:
    """Do something in a forked child that imports memlab from ``project``, with a home of its own.

    A child that hangs or dies is red, too.
    """
    fork = multiprocessing.get_context("fork")
    receiving, sending = fork.Pipe(duplex=False)
    with tempfile.TemporaryDirectory(prefix="memlab-", ignore_cleanup_errors=True) as home:
        child = fork.Process(target=_be_the_child, args=(work, project, Path(home), sending))
        child.start()
        sending.close()
        try:
            if not receiving.poll(SECONDS):
                return Red("a cell", f"not done in {SECONDS} s")
            said = receiving.recv()
        except EOFError:
            child.join()
            return Red("a cell", f"the process died with status {child.exitcode}")
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid or 0, signal.SIGKILL)  # and what it started and left running
            child.join()
    return Red(*said) if said else None


def _be_the_child(work: Callable[[], Red | None], project: Path, home: Path, sending: Any) -> None:
    os.setsid()
    for number, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        os.dup2(os.open(os.devnull, mode), number)
    try:
        _move_to(project, home)
        red = work()
    except BaseException as error:
        red = Red("the run", f"{type(error).__name__}: {error}")
    sending.send(astuple(red) if red else ())
    os._exit(0)


def _move_to(project: Path, home: Path) -> None:
    """Take on the environment of a learner's kernel; nothing of the person who runs this stays."""
    for name in [*os.environ]:
        if name.startswith(("MEMLAB_", "ANTHROPIC_")):
            del os.environ[name]
    folders = {"HOME": home, "USERPROFILE": home, "MEMLAB_COURSE_HOME": home / "course"}
    folders |= {"IPYTHONDIR": home / "ipython", "PYTHONPATH": project}
    os.environ.update({name: str(folder) for name, folder in folders.items()})
    for name in [*sys.modules]:
        if name.partition(".")[0] in ("memlab", "tests"):
            del sys.modules[name]
    sys.path.insert(0, str(project))
    importlib.invalidate_caches()
    origin = str(importlib.import_module("memlab").__file__)
    assert Path(origin).is_relative_to(project), f"memlab would be {origin}"


async def _run(page: Page, sources: Mapping[int, str], judge: Judge, times: int) -> Red | None:
    os.chdir(page.path.parent)
    shell = InteractiveShell.instance()
    shell.history_manager.enabled = False
    for cell in page.code:
        for time in range(times):
            where = f"{page.path.name}, cell {cell.number}" + ", again" * bool(time)
            error, outputs = await _run_cell(shell, sources.get(cell.number, cell.source))
            if time and isinstance(error, importlib.import_module("memlab.errors").MemlabError):
                continue  # such as "there is no change to undo": it tells the learner why
            if error is not None:
                return Red(where, f"{type(error).__name__}: {error}".splitlines()[0])
            if not time and (how := judge(cell, outputs)):
                return Red(where, how)
            await asyncio.sleep(0)  # between two cells a kernel's loop runs on
    return None


async def _run_cell(shell: InteractiveShell, source: str) -> tuple[BaseException | None, Outputs]:
    """Run one cell as ipykernel does; gives its error, if any, and its outputs."""
    with capture_output() as captured:
        shell.display_trap.hook = sys.displayhook  # which running a cell would put aside
        result = await shell.run_cell_async(
            source, store_history=False, transformed_cell=shell.transform_cell(source)
        )
        shell.events.trigger("post_run_cell", result)
    outputs: Outputs = [
        {"output_type": "display_data", "data": shown.data} for shown in captured.outputs
    ]
    for name in ("stdout", "stderr"):
        if text := getattr(captured, name):
            outputs.append({"output_type": "stream", "name": name, "text": text})
    return result.error_before_exec or result.error_in_exec, outputs

"""Run a notebook's cells in a forked child of this process, and compare what they show.

A child has what this process has imported, so no run waits for a kernel and for imports. memlab is
imported in each child, from the project that it is given, without anything that this process did
with it. Needs ``os.fork``, which Windows does not have. Left out: choosing what to run.
"""

from __future__ import annotations

import asyncio
import importlib
import itertools
import json
import multiprocessing
import os
import re
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from tests.notebooks.page import Page, joined

SECONDS = 300
"""How long a run may take before it counts as hung."""

WARM = ("anthropic.resources.messages", "anthropic.types.beta", "ipywidgets", "pygments.lexers")
"""What notebooks import besides memlab, and what takes longest."""

NOT_COMPARED = re.compile(r"image/(png|jpeg)|application/vnd\.jupyter\.widget-view\+json")
"""Kinds of outputs in which two good runs may differ, for nbval as well."""

Outputs = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Red:
    """The first place where a run is not as it should be, and how."""

    where: str
    how: str


def differs(stored: Outputs, fresh: Outputs) -> str:
    """Compare a cell's new outputs with its stored ones, as nbval does; say what differs first."""
    before, after = _by_kind(stored), _by_kind(fresh)
    for kind in sorted({*before, *after}, reverse=True):  # words before pictures
        lines = (texts[kind].splitlines() for texts in (before, after))
        for old, new in itertools.zip_longest(*lines, fillvalue=""):
            if old != new:
                return f"{kind}: {old[:80]!r} became {new[:80]!r}"
    return ""


def _by_kind(outputs: Outputs) -> dict[str, str]:
    found: dict[str, str] = defaultdict(str)
    for output in outputs:
        if "text" in output:
            found[output["name"]] += joined(output["text"])
        for kind, value in output.get("data", {}).items():
            if not NOT_COMPARED.fullmatch(kind):
                found[kind] += f"{joined(value)}\n\n"
    return found


def first_red(
    page: Page,
    project: Path,
    *,
    before: Callable[[], object] = lambda: None,
    solutions: Mapping[int, str] | None = None,
) -> Red | None:
    """Run a notebook with memlab from ``project``; gives the first cell that is wrong.

    ``before`` is done in the notebook's own home. If there are ``solutions``, by the numbers of
    their cells, each of them has to pass, and every cell is run twice in a row, without errors, of
    which memlab's own are allowed the second time. What is left in the home outside the course's
    folder is red in any case.
    """
    for name in WARM:
        importlib.import_module(name)

    def work() -> Red | None:
        before()
        red = asyncio.run(_run(page, solutions))
        left = {path.name for path in Path.home().iterdir()} - {"course", "ipython"}
        return red or (Red("the home", f"holds {left}") if left else None)

    return in_a_child(work, project)


def in_a_child(work: Callable[[], Red | None], project: Path) -> Red | None:
    """Do something in a forked child that imports memlab from ``project``, with a home of its own.

    A child that hangs or dies is red, too.
    """
    with tempfile.TemporaryDirectory(prefix="memlab-", ignore_cleanup_errors=True) as folder:
        home, said = Path(folder, "home"), Path(folder, "said")
        home.mkdir()
        fork = multiprocessing.get_context("fork")
        child = fork.Process(target=_be_the_child, args=(work, project, home, said))
        child.start()
        child.join(SECONDS)
        status = child.exitcode
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid or 0, signal.SIGKILL)  # and what it started and left running
        child.join()
        if status is None:
            return Red("a cell", f"not done in {SECONDS} s")
        if status:
            return Red("a cell", f"the process died with status {status}")
        red = json.loads(said.read_text())
    return Red(*red) if red else None


def _be_the_child(work: Callable[[], Red | None], project: Path, home: Path, said: Path) -> None:
    os.setsid()
    for number, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        os.dup2(os.open(os.devnull, mode), number)
    try:
        _move_to(project, home)
        red = work()
    except BaseException as error:
        red = Red("the run", f"{type(error).__name__}: {error}")
    said.write_text(json.dumps(red and astuple(red)))
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


async def _run(page: Page, solutions: Mapping[int, str] | None) -> Red | None:
    os.chdir(page.path.parent)
    shell = InteractiveShell.instance()
    shell.history_manager.enabled = False
    own_error = importlib.import_module("memlab.errors").MemlabError
    for cell in page.code:
        where = f"{page.path.name}, cell {cell.number}"
        solution = (solutions or {}).get(cell.number)
        for again in (False, True) if solutions is not None else (False,):
            error, outputs = await _run_cell(shell, solution or cell.source)
            if again and isinstance(error, own_error):
                continue  # such as "there is no change to undo": it tells the learner why
            if error is not None:
                return Red(where, f"{'again: ' * again}{type(error).__name__}: {error}")
            if solution and "✓ pass" not in str(outputs):
                return Red(where, f"the solution does not pass: {outputs}")
            if solutions is None and (how := differs(cell.outputs, outputs)):
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
    outputs: list[dict[str, Any]] = [{"data": shown.data} for shown in captured.outputs]
    for name in ("stdout", "stderr"):
        if text := getattr(captured, name):
            outputs.append({"name": name, "text": text})
    return result.error_before_exec or result.error_in_exec, outputs

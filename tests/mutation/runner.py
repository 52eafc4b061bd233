"""Run each mutation's notebook or test on a changed package and see where it turns red.

First every notebook and test runs on an unchanged copy: green there is what makes red mean
something. Left out: which mutations there are, and how a notebook is run, in ``warm.py``.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from memlab.cli.test import scratch_folder
from tests.mutation.mutations import Mutation
from tests.mutation.tree import MutationError, copy_project, mutated
from tests.notebooks.compare import NOT_COMPARED, read_replacements
from tests.notebooks.page import read_page

T = TypeVar("T")
R = TypeVar("R")

ROOT = Path(__file__).resolve().parents[2]
CELL_SECONDS = 60
"""How long a cell may take before it counts as hung."""


@dataclass(frozen=True)
class Red:
    """The first cell that differs from what is stored, or the test that fails, and how."""

    where: str
    how: str
    raised: bool


def run_mutations(mutations: Sequence[Mutation], *, root: Path, jobs: int = 2) -> int:
    """Run the mutations, print one line each, and return how many are wrong in any way."""
    if not hasattr(os, "fork"):
        print("error: the mutation proof forks a warm process for each run; this system cannot")
        return len(mutations)
    begun = time.perf_counter()
    with (
        tempfile.TemporaryDirectory(
            prefix="memlab-mutation-", dir=scratch_folder(), ignore_cleanup_errors=True
        ) as scratch,
        _Bench(Path(scratch), root, jobs) as bench,
    ):
        reds = bench.run(mutations)
    raised = sum(red.raised for red in reds)
    seconds = time.perf_counter() - begun
    print(f"{len(mutations)} mutations, {len(reds)} red ({raised} by an error), {seconds:.1f} s")
    return len(mutations) - len(reds)


class _Place:
    """A copy of the project, and the warm process that runs its notebooks."""

    def __init__(self, root: Path, folder: Path, fonts: Path) -> None:
        self.tree = copy_project(root, folder / "copy")
        self._homes = folder / "homes"
        self._homes.mkdir()
        self._environment = _environment(self.tree, folder, fonts)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutation.warm"],
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def first_red(self, noticed_by: str) -> Red | None:
        """Run a notebook or a test of the copy and return where it is red, if it is."""
        if noticed_by.startswith("tests/"):
            return self._failed_test(noticed_by)
        return self._changed_cell(noticed_by)

    def _failed_test(self, test: str) -> Red | None:
        with tempfile.TemporaryDirectory(dir=self._homes, ignore_cleanup_errors=True) as home:
            options = ["-q", "-x", "--tb=line", "-rfE", "-p", "no:cacheprovider"]
            try:
                done = subprocess.run(
                    [sys.executable, "-m", "pytest", *options, test],
                    cwd=self.tree,
                    # pytest cuts its summary to the width of the terminal
                    env={
                        **self._environment,
                        "HOME": home,
                        "USERPROFILE": home,
                        "COLUMNS": "400",
                    },
                    capture_output=True,
                    text=True,
                    encoding="utf-8",
                    timeout=CELL_SECONDS,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return Red(test, f"not done in {CELL_SECONDS} s", raised=True)
        if done.returncode == 0:
            return None
        lines = done.stdout.splitlines()
        failed = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
        if not failed:
            raise MutationError(f"{test} cannot be run: {' '.join(lines[-2:])}")
        where, _, how = failed[0].partition(" ")[2].partition(" - ")
        return Red(where, how, raised=not how.startswith(("assert ", "AssertionError")))

    def _changed_cell(self, number: str) -> Red | None:
        paths = sorted((self.tree / "notebooks").glob(f"{number}_*.ipynb"))
        if len(paths) != 1:
            raise MutationError(f"{len(paths)} notebooks have the number {number!r}, not one")
        with tempfile.TemporaryDirectory(dir=self._homes, ignore_cleanup_errors=True) as home:
            answer = self._ask(
                {
                    "tree": str(self.tree),
                    "folder": str(paths[0].parent),
                    # A changed package may lose its way; then it finds a home that is thrown away.
                    "environment": {
                        "HOME": home,
                        "USERPROFILE": home,
                        "MEMLAB_COURSE_HOME": str(Path(home, "course")),
                    },
                    "seconds": CELL_SECONDS,
                    "replacements": read_replacements(),
                    "cells": [
                        {
                            "number": cell.number,
                            "source": cell.source,
                            "outputs": [_as_compared(output) for output in cell.outputs],
                        }
                        for cell in read_page(paths[0]).code
                    ],
                }
            )
        if "error" in answer:
            raise MutationError(answer["error"])
        if answer["cell"] is None:
            return None
        return Red(f"cell {answer['cell']}", answer["how"], answer["raised"])

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise MutationError("the process that runs the notebooks has ended")
        answer: dict[str, Any] = json.loads(line)
        return answer


class _Bench:
    """The places, each used by one thread at a time."""

    def __init__(self, scratch: Path, root: Path, jobs: int) -> None:
        self._scratch = scratch
        self._root = root
        self._jobs = jobs
        self._places: queue.SimpleQueue[_Place] = queue.SimpleQueue()
        self._open = ExitStack()

    def __enter__(self) -> _Bench:
        fonts = self._scratch / "matplotlib"
        _warm_fonts(fonts)
        for number in range(self._jobs):
            folder = self._scratch / f"place{number}"
            folder.mkdir()
            place = _Place(self._root, folder, fonts)
            self._open.callback(place.close)
            self._places.put(place)
        return self

    def __exit__(self, *exception: object) -> None:
        self._open.close()

    def run(self, mutations: Sequence[Mutation]) -> list[Red]:
        """Run the controls, then the mutations; return what became of those that turned red."""
        controls = sorted({mutation.noticed_by for mutation in mutations}, reverse=True)
        green = dict(zip(controls, self._each(self._control, controls), strict=True))
        tried = [mutation for mutation in mutations if green[mutation.noticed_by]]
        if len(tried) < len(mutations):
            left_out = len(mutations) - len(tried)
            print(f"{left_out} mutations were not tried: red without a change proves nothing")
        return [red for red in self._each(self._try, tried) if red is not None]

    def _each(self, work: Callable[[_Place, T], R], things: Iterable[T]) -> list[R]:
        def with_a_place(thing: T) -> R:
            place = self._places.get()
            try:
                return work(place, thing)
            finally:
                self._places.put(place)

        with ThreadPoolExecutor(self._jobs) as threads:
            try:
                return list(threads.map(with_a_place, things))
            except BaseException:
                threads.shutdown(cancel_futures=True)
                raise

    def _control(self, place: _Place, noticed_by: str) -> bool:
        begun = time.perf_counter()
        try:
            red = place.first_red(noticed_by)
        except MutationError as error:
            _report("ERROR", begun, f"{noticed_by} control: {error}")
            return False
        if red is not None:
            _report("RED", begun, f"{noticed_by} control at {red.where}: {red.how}")
            return False
        _report("green", begun, f"{noticed_by} control, nothing changed")
        return True

    def _try(self, place: _Place, mutation: Mutation) -> Red | None:
        begun = time.perf_counter()
        try:
            with mutated(place.tree, mutation):
                red = place.first_red(mutation.noticed_by)
        except MutationError as error:
            _report("ERROR", begun, f"{mutation}: {error}")
            return None
        if red is None:
            noticing = "no cell" if mutation.notebook else "no test"
            _report("GREEN", begun, f"{mutation}: {noticing} notices")
        else:
            _report("red", begun, f"{mutation}; red at {red.where}: {red.how}")
        return red


def _environment(tree: Path, folder: Path, fonts: Path) -> dict[str, str]:
    """Build the environment of a warm process: nothing of the person who runs this."""
    own = {k: v for k, v in os.environ.items() if not k.startswith(("MEMLAB_", "ANTHROPIC_"))}
    return own | {
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(tree),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # three quarters of a short test's time
        "IPYTHONDIR": str(folder / "ipython"),
        "MPLCONFIGDIR": str(fonts),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        # A forked child of a process with threads of its own may wait for them forever.
        "OPENBLAS_NUM_THREADS": "1",
        "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",
    }


def _warm_fonts(fonts: Path) -> None:
    """Let matplotlib list the fonts now: in a slow cell it would say so on stderr."""
    subprocess.run(
        [sys.executable, "-c", "import matplotlib.font_manager"],
        env={**os.environ, "MPLCONFIGDIR": str(fonts)},
        capture_output=True,
        check=False,
    )


def _as_compared(output: dict[str, Any]) -> dict[str, Any]:
    """Return a stored output with its texts in one piece, without what nobody compares."""
    kept = {name: value for name, value in output.items() if name not in ("data", "text")}
    if "text" in output:
        kept["text"] = "".join(output["text"])
    if "data" in output:
        kept["data"] = {
            kind: "".join(value) if isinstance(value, list) else value
            for kind, value in output["data"].items()
            if kind not in NOT_COMPARED
        }
    return kept


def _report(verdict: str, begun: float, text: str) -> None:
    print(f"{verdict:<5} {time.perf_counter() - begun:5.2f} s  {text}", flush=True)

"""``python -m tests.mutation``: change the package line by line, and see each change noticed.

Then what was red, every test and every notebook up to its red cell, is run without a change: green
there is what makes red mean something. All runs are in a copy of the project, since a changed
package may write where it should not, and in children forked from a process that has pytest, the
SDK and what else memlab imports. Left out: the list, in ``mutations.py``.
"""

from __future__ import annotations

import argparse
import compileall
import gc
import importlib
import multiprocessing
import os
import py_compile
import re
import shutil
import signal
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fast_start import scratch_folder
from tests.mutation.mutations import MUTATIONS, Mutation, changed_text
from tests.notebooks.forked import WARM, Red, first_red, in_a_child
from tests.notebooks.page import read_page

ROOT = Path(__file__).resolve().parents[2]
ALSO_WARM = ("filelock", "psutil", "yaml", "sqlite3", "memlab.harness", "memlab.course")
QUICKLY = "-q -x -p no:cacheprovider -p no:unraisableexception"  # the last collects garbage twice

tree = Path()
"""The copy in which this worker changes lines."""


def main() -> int:
    """Run the mutations; return 0 only if there are some and each is noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--only", metavar="NAME", help="those whose line in the report holds NAME")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="runs at a time (default 2)")
    options = parser.parse_args()
    chosen = [one for one in MUTATIONS if not options.only or options.only in str(one)]
    for name in (*WARM, *ALSO_WARM):
        importlib.import_module(name)  # memlab for what it imports: a child imports it anew
    gc.freeze()  # a child that collects garbage leaves alone what it shares
    fork = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory(prefix="memlab-mutation-", dir=scratch_folder()) as folder:
        first = _copy_project(Path(folder, "first"))
        with ProcessPoolExecutor(options.jobs, fork, _copy_again, (first,)) as pool:
            reds = dict(zip(chosen, pool.map(_run_changed, chosen), strict=True))
            false = [*filter(None, pool.map(_run_unchanged, _controls(reds)))]
    unnoticed = [*reds.values()].count(None)
    print(f"{len(chosen)} mutations, {len(chosen) - unnoticed} red")
    return int(not chosen or unnoticed > 0 or bool(false))


def _copy_project(target: Path) -> Path:
    """Copy it with bytecode that is used as long as its source has the same hash."""
    for name in ("memlab", "data", "notebooks", "tests"):
        left_behind = shutil.ignore_patterns("__pycache__", ".*")
        shutil.copytree(ROOT / name, target / name, ignore=left_behind)
    shutil.copy(ROOT / "pyproject.toml", target)  # pytest's settings are in it
    checked = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(target / "memlab", quiet=2, invalidation_mode=checked)
    return target


def _copy_again(first: Path) -> None:
    """Make this worker's copy."""
    global tree
    tree = shutil.copytree(first, first.with_name(str(os.getpid())))


def _run_changed(mutation: Mutation) -> Red | None:
    """Change the line in this worker's copy, see what notices that, and put it back."""
    path = tree / mutation.file
    before = path.read_text(encoding="utf-8")
    path.write_text(changed_text(mutation, before), encoding="utf-8", newline="\n")
    try:
        return _run([mutation.noticed_by], f"{mutation}", ("red", "GREEN"))
    finally:
        path.write_text(before, encoding="utf-8", newline="\n")


def _controls(reds: dict[Mutation, Red | None]) -> list[list[str]]:
    """Give what has to be green: each notebook up to its last red cell, and the tests."""
    tests, last = set[str](), dict[str, int]()
    for mutation, red in reds.items():
        by, cell = mutation.noticed_by, re.search(r"cell (\d+)", red.where if red else "")
        if by.isdigit():
            last[by] = max(last.get(by, 0), int(cell[1]) if cell else 0)
        else:
            tests.add(red.where if red and red.where.startswith(by) else by)
    return [*[sorted(tests)][: len(tests)], *([f"{by} {cell}"] for by, cell in last.items())]


def _run_unchanged(what: list[str]) -> Red | None:
    return _run(what, f"{what[0]} and {len(what) - 1} more, unchanged", ("RED", "green"))


def _run(what: list[str], text: str, verdicts: tuple[str, str]) -> Red | None:
    """Run a notebook, up to a cell if that is given, or tests; say whether and where it is red."""
    if what[0].startswith("tests/"):
        red = in_a_child(lambda: _run_tests(what), tree)
    else:
        number, _, cell = what[0].partition(" ")
        page = read_page(*(tree / "notebooks").glob(f"{number}_*.ipynb"))
        red = first_red(replace(page, cells=page.cells[: int(cell or 10_000)]), tree)
    where = f"; red at {red.where}: {red.how}" if red else ""
    print(f"{verdicts[not red]:<5} {text}{where}", flush=True)
    return red


def _run_tests(tests: list[str]) -> Red | None:
    os.chdir(tree)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # three quarters of a short test's time
    failures = _Failures()
    status = pytest.main([*QUICKLY.split(), *tests], plugins=[failures])
    if not failures.found and status != pytest.ExitCode.OK:
        raise RuntimeError(f"{tests} cannot be run: {status!r}")
    return next(iter(failures.found), None)


class _Failures:
    """A plugin that notes what fails."""

    def __init__(self) -> None:
        self.found: list[Red] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Look at a test's report."""
        if report.failed:
            said = str(getattr(getattr(report.longrepr, "reprcrash", ""), "message", ""))
            self.found.append(Red(report.nodeid, said.partition("\n")[0]))

    pytest_collectreport = pytest_runtest_logreport


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "tests.mutation", *sys.argv[1:]])
    # Ended from outside, for example by a time limit, it still removes its folder.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(main())

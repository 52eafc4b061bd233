"""``python -m tests.mutation``: change the package line by line, and see each change noticed.

First every notebook and test that is to notice a change runs without one: green there is what makes
red mean something. All runs are in a copy of the project, since a changed package may write where
it should not. Left out: the list, in ``mutations.py``.
"""

from __future__ import annotations

import argparse
import compileall
import multiprocessing
import os
import py_compile
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.fast_start import scratch_folder
from tests.mutation.mutations import MUTATIONS, Mutation, changed_text
from tests.notebooks.forked import Red, first_red, in_a_child
from tests.notebooks.page import read_page

ROOT = Path(__file__).resolve().parents[2]

tree = Path()
"""The copy in which this worker changes lines."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the mutations; return 0 only if there are some and each is noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--only", metavar="NAME", help="those whose line in the report holds NAME")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="runs at a time (default 2)")
    options = parser.parse_args(arguments)
    chosen = [one for one in MUTATIONS if not options.only or options.only in str(one)]
    begun, fork = time.perf_counter(), multiprocessing.get_context("fork")
    with (
        tempfile.TemporaryDirectory(prefix="memlab-mutation-", dir=scratch_folder()) as folder,
        ProcessPoolExecutor(options.jobs, fork, _copy_project, (Path(folder),)) as pool,
    ):
        controls = sorted({mutation.noticed_by for mutation in chosen})
        is_red = dict(zip(controls, pool.map(_run, controls), strict=True))
        tried = [mutation for mutation in chosen if not is_red[mutation.noticed_by]]
        red = sum(pool.map(_run_changed, tried))
    seconds = time.perf_counter() - begun
    print(f"{len(chosen)} mutations, {len(tried)} tried, {red} red, {seconds:.1f} s")
    return 0 if 0 < red == len(chosen) else 1


def _copy_project(folder: Path) -> None:
    """Make this worker's copy; bytecode is used as long as its source has the same hash."""
    global tree
    tree = folder / str(os.getpid())
    for name in ("memlab", "data", "notebooks", "tests"):
        left_behind = shutil.ignore_patterns("__pycache__", ".*")
        shutil.copytree(ROOT / name, tree / name, ignore=left_behind)
    shutil.copy(ROOT / "pyproject.toml", tree)  # pytest's settings are in it
    checked = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(tree / "memlab", quiet=2, invalidation_mode=checked)


def _run_changed(mutation: Mutation) -> bool:
    """Change the line in this worker's copy, see whether that is noticed, and put it back."""
    path = tree / mutation.file
    before = path.read_text(encoding="utf-8")
    path.write_text(changed_text(mutation, before), encoding="utf-8", newline="\n")
    try:
        return _run(mutation.noticed_by, mutation)
    finally:
        path.write_text(before, encoding="utf-8", newline="\n")


def _run(noticed_by: str, change: Mutation | None = None) -> bool:
    """Run a notebook or a test of this worker's copy; says whether and where it is red."""
    begun = time.perf_counter()
    if noticed_by.startswith("tests/"):
        red = in_a_child(lambda: _run_test(noticed_by), tree)
    else:
        (path,) = (tree / "notebooks").glob(f"{noticed_by}_*.ipynb")
        red = first_red(read_page(path), tree)
    wanted, unwanted = ("red", "GREEN") if change else ("RED", "green")
    text = str(change or f"{noticed_by} without a change")
    where = f"; red at {red.where}: {red.how}" if red else ""
    verdict = wanted if red else unwanted
    print(f"{verdict:<5} {time.perf_counter() - begun:5.2f} s  {text}{where}", flush=True)
    return red is not None


def _run_test(test: str) -> Red | None:
    os.chdir(tree)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # three quarters of a short test's time
    failures = _Failures()
    status = pytest.main(["-q", "-x", "-p", "no:cacheprovider", test], plugins=[failures])
    if failures.first is None and status != pytest.ExitCode.OK:
        raise RuntimeError(f"{test} cannot be run: {status!r}")
    return failures.first


class _Failures:
    """A plugin that notes what fails first."""

    first: Red | None = None

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Look at a test's report."""
        if report.failed and self.first is None:
            said = str(getattr(getattr(report.longrepr, "reprcrash", ""), "message", ""))
            self.first = Red(report.nodeid, (said.splitlines() or [""])[0])

    pytest_collectreport = pytest_runtest_logreport


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "tests.mutation", *sys.argv[1:]])
    # Ended from outside, for example by a time limit, it still removes its folder.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(main())

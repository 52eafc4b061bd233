"""``test``: one step after the other, each with a headline and its seconds,
and a table at the end.

A step that fails does not stop the others. A step whose tool is missing ends
in an error: nothing is passed over in silence. The browser can be left out, by
``MEMLAB_NO_BROWSER=1``, and what the quick tier has just shown, by
``MEMLAB_QUICK_DONE=1``; the table then says so.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memlab.cli.setup.clone import Clone
from memlab.cli.setup.console import STOPPED, say
from memlab.cli.setup.interpreter import (
    Interpreter,
    add_environment_options,
    prepare,
)
from memlab.cli.setup.packages import installed
from memlab.cli.setup.process import environment, run_child

NOTHING_COLLECTED = 5  # pytest's status when it found no test
TWO_AT_ONCE = ("-n", "2", "--dist", "loadfile")
PYTEST = ("-m", "pytest", "-p", "tests.fast_start")
CHROMIUMS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
NO_BROWSER = "MEMLAB_NO_BROWSER"
QUICK_DONE = "MEMLAB_QUICK_DONE"
"""Set by ``.ci/run``, whose first stage is the quick tier in a bare clone."""
ENOUGH_BYTES = 1_000_000_000
"""The free space from which a disk in memory is used; a container often has
only 64 MB.
"""

_LINT_IMPORTS = (
    "from importlinter.cli import lint_imports_command as main; main()"
)


@dataclass(frozen=True)
class Step:
    """One thing to run: arguments for Python, the packages and the path it
    needs.
    """

    name: str
    argv: tuple[str, ...]
    packages: tuple[str, ...] = ()
    path: str = "pyproject.toml"
    chromium: bool = False
    left_out_by: str = ""
    """The environment variable with which the step can be left out, if it is
    set to 1.
    """


@dataclass(frozen=True)
class Outcome:
    """What became of a step."""

    name: str
    result: str
    seconds: float
    note: str = ""


def steps(*, everything: bool) -> list[Step]:
    """List what ``test`` runs, or what ``test --all`` does, in order."""
    xdist = "pytest-xdist"
    tests = (*PYTEST, "-p", "no:nbval", "tests", *TWO_AT_ONCE)
    compared = ("--nbval", "--nbval-current-env", "--nbval-cell-timeout=120")
    notebooks = Step(
        "notebooks",
        (*PYTEST, "notebooks", *compared, *TWO_AT_ONCE),
        ("nbval", xdist),
        "notebooks/*.ipynb",
        left_out_by=QUICK_DONE if everything else "",
    )
    tier = "rest" if _is_set(QUICK_DONE) else "all"
    if not everything:
        return [Step("tests", tests, ("pytest", xdist), "tests"), notebooks]
    return [
        Step("ruff check", ("-m", "ruff", "check", "."), ("ruff",)),
        Step(
            "ruff format", ("-m", "ruff", "format", "--check", "."), ("ruff",)
        ),
        Step("mypy", ("-m", "mypy", "--strict", "memlab"), ("mypy",)),
        Step(
            "import layers",
            ("-c", _LINT_IMPORTS, "--no-logo"),
            ("import-linter",),
        ),
        Step(
            "tests",
            (*tests, "--tier", tier),
            ("pytest", xdist, "hypothesis"),
            "tests",
        ),
        notebooks,
        Step(
            "mutation proof",
            ("-m", "tests.mutation"),
            ("pytest",),
            "tests/mutation",
        ),
        Step(
            "web site",
            (".ci/site/build.py",),
            ("sphinx", "myst-nb", "furo"),
            ".ci/site/build.py",
        ),
        Step(
            "browser",
            (*PYTEST, "tests/browser", "--tier", "all"),
            ("pytest", "playwright"),
            "tests/browser",
            chromium=True,
            left_out_by=NO_BROWSER,
        ),
    ]


def add_options(parser: ArgumentParser) -> None:
    """Describe the options of ``test``."""
    parser.add_argument(
        "--all",
        action="store_true",
        help="also run linters, type checks, slow tests and a browser",
    )
    add_environment_options(parser)


def run(clone: Clone, args: Namespace) -> int:
    """Run all steps; 0 when none failed and nothing was missing."""
    start = time.monotonic()
    chosen = prepare(
        clone, ("dev",) if args.all else (), here=args.here, wheels=args.wheels
    )
    outcomes: list[Outcome] = []
    with _environment() as env:
        for step in steps(everything=args.all):
            outcomes.append(_perform(clone, chosen, step, env))
            if outcomes[-1].result == "stopped":
                break
    return _conclude(outcomes, time.monotonic() - start)


def scratch_folder() -> Path | None:
    """Return a folder in memory for temporary files, or None where the usual
    place has to do.

    The store waits for the disk at every change, as it should. Thousands of
    tests of it need not.
    """
    folder = Path("/dev/shm")
    if "TMPDIR" in os.environ or not os.access(folder, os.W_OK | os.X_OK):
        return None
    return folder if shutil.disk_usage(folder).free >= ENOUGH_BYTES else None


def find_chromium() -> str | None:
    """Return the path of a Chromium: $CHROMIUM, else one on the PATH, else
    playwright's own.
    """
    names = filter(None, map(shutil.which, CHROMIUMS))
    found = os.environ.get("CHROMIUM") or next(names, None)
    if found:
        return found
    browsers = Path(
        os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or "~/.cache/ms-playwright"
    )
    programs = sorted(
        browsers.expanduser().glob("chromium-*/chrome-linux*/chrome")
    )
    return str(programs[-1]) if programs else None


@contextmanager
def _environment() -> Iterator[dict[str, str]]:
    """Make every run the same: no key, no setting of yours, no state from
    before, one hash seed.

    Bytecode is written even if you have switched that off: hundreds of
    processes are started, and each would compile every module again.
    """
    folder = scratch_folder()
    with tempfile.TemporaryDirectory(
        prefix="memlab-", dir=folder, ignore_cleanup_errors=True
    ) as home:
        env = {
            name: value
            for name, value in environment(
                PYTHONHASHSEED="0", JUPYTER_PREFER_ENV_PATH="1"
            ).items()
            if not name.upper().startswith(("MEMLAB_", "ANTHROPIC_"))
            and name != "PYTHONDONTWRITEBYTECODE"
        }
        if folder:
            env["TMPDIR"] = str(folder)
        yield env | {"MEMLAB_COURSE_HOME": home}


def _perform(
    clone: Clone, chosen: Interpreter, step: Step, env: dict[str, str]
) -> Outcome:
    print(f"\n== {step.name} {'=' * (75 - len(step.name))}", flush=True)
    if _is_set(step.left_out_by):
        say(f"left out: {step.left_out_by}=1")
        return Outcome(step.name, "left out", 0.0, f"{step.left_out_by}=1")
    if missing := _missing(clone, chosen, step):
        say(f"error: {missing}")
        return Outcome(step.name, "ERROR", 0.0, missing)
    start = time.monotonic()
    status = run_child([chosen.python, *step.argv], cwd=clone.root, env=env)
    seconds = time.monotonic() - start
    if status == STOPPED:
        return Outcome(step.name, "stopped", seconds, "Ctrl-C")
    if status == NOTHING_COLLECTED and "pytest" in step.argv:
        return Outcome(step.name, "ERROR", seconds, "no test found")
    return Outcome(step.name, "FAILED" if status else "passed", seconds)


def _is_set(name: str) -> bool:
    return bool(name) and os.environ.get(name) == "1"


def _missing(clone: Clone, chosen: Interpreter, step: Step) -> str:
    """Say what the step needs and does not find, or nothing."""
    there = installed(chosen.folders)
    for package in step.packages:
        if package not in there:
            return f"{package} is not installed"
    if not any(clone.root.glob(step.path)):
        return f"there is no {step.path}"
    if step.chromium and not find_chromium():
        return (
            "no Chromium. Install one, or leave the browser out with"
            f" {NO_BROWSER}=1"
        )
    return ""


def _conclude(outcomes: list[Outcome], seconds: float) -> int:
    print(f"\n{'step':16}{'result':9}{'seconds':>8}")
    for outcome in outcomes:
        line = (
            f"{outcome.name:16}{outcome.result:9}{outcome.seconds:8.1f} "
            f" {outcome.note}"
        )
        print(line.rstrip())
    results = [outcome.result for outcome in outcomes]
    if "stopped" in results:
        print(f"memlab test stopped after {seconds:.0f} s", flush=True)
        return STOPPED
    failed = [
        outcome.name
        for outcome in outcomes
        if outcome.result in ("FAILED", "ERROR")
    ]
    verdict = f"failed: {', '.join(failed)}" if failed else "passed"
    counts = [
        f"{results.count('passed')} passed",
        f"{results.count('FAILED')} failed",
    ]
    counts += [f"{results.count('ERROR')} errors"]
    counts += [f"{results.count('left out')} left out"] * (
        "left out" in results
    )
    print(
        f"steps: {', '.join(counts)}\nmemlab test {verdict} in"
        f" {seconds:.0f} s",
        flush=True,
    )
    return 1 if failed else 0

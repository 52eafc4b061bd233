"""``test``: one step after the other, each with a headline and its seconds, and a table at the end.

A step whose tool is missing is skipped with the reason; a step that fails does not stop the others.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from memlab.bootstrap.interpreter import Interpreter, prepare
from memlab.bootstrap.packages import installed
from memlab.bootstrap.place import Clone
from memlab.bootstrap.process import environment, run
from memlab.bootstrap.say import STOPPED, say

NOTHING_COLLECTED = 5  # pytest's status when it found no test
TWO_AT_ONCE = ("-n", "2", "--dist", "loadscope")
SANITISE = "tests/notebooks/sanitise.cfg"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_LINT_IMPORTS = "from importlinter.cli import lint_imports_command as main; main()"


@dataclass(frozen=True)
class Step:
    """One thing to run: arguments for Python, the packages and the path it needs."""

    name: str
    argv: tuple[str, ...]
    packages: tuple[str, ...] = ()
    path: str = "pyproject.toml"
    chromium: bool = False


@dataclass(frozen=True)
class Outcome:
    """What became of a step."""

    name: str
    result: str
    seconds: float
    note: str = ""


def steps(clone: Clone, *, everything: bool) -> list[Step]:
    """List what ``test`` runs, or what ``test --all`` does, in order."""
    notebooks = [
        *("-m", "pytest", "notebooks", "--nbval", "--nbval-current-env"),
        "--nbval-cell-timeout=120",
        *(("--nbval-sanitize-with", SANITISE) if (clone.root / SANITISE).exists() else ()),
    ]
    xdist = "pytest-xdist"
    if not everything:
        return [
            Step("tests", ("-m", "pytest", "tests", *TWO_AT_ONCE), ("pytest", xdist), "tests"),
            Step("notebooks", (*notebooks, *TWO_AT_ONCE), ("nbval", xdist), "notebooks/*.ipynb"),
        ]
    marked = ("-m", "not soak")
    without_browser = ("-m", "pytest", "tests", "--ignore=tests/browser", *marked, *TWO_AT_ONCE)
    with_browser = ("-m", "pytest", "tests/browser", *marked)
    return [
        Step("ruff check", ("-m", "ruff", "check", "."), ("ruff",)),
        Step("ruff format", ("-m", "ruff", "format", "--check", "."), ("ruff",)),
        Step("mypy", ("-m", "mypy", "--strict", "memlab"), ("mypy",)),
        Step("import floors", ("-c", _LINT_IMPORTS, "--no-logo"), ("import-linter",)),
        Step("tests", without_browser, ("pytest", xdist), "tests"),
        Step("notebooks", (*notebooks, *TWO_AT_ONCE), ("nbval", xdist), "notebooks/*.ipynb"),
        Step("mutation proof", ("-m", "tests.mutation"), ("nbval",), "tests/mutation*"),
        Step("browser", with_browser, ("playwright",), "tests/browser", chromium=True),
    ]


def test(clone: Clone, *, everything: bool, here: bool) -> int:
    """Run all steps; 0 when none failed."""
    start = time.monotonic()
    chosen = prepare(clone, ("dev",) if everything else (), here=here)
    outcomes: list[Outcome] = []
    with _environment() as env:
        warm_fonts(chosen, env)
        for step in steps(clone, everything=everything):
            outcomes.append(_perform(clone, chosen, step, env))
            if outcomes[-1].result == "stopped":
                break
    return _conclude(outcomes, time.monotonic() - start)


@contextmanager
def _environment() -> Iterator[dict[str, str]]:
    """Make every run the same: no key, no setting of yours, no state from before, one hash seed."""
    with tempfile.TemporaryDirectory(prefix="memlab-", ignore_cleanup_errors=True) as home:
        env = {
            name: value
            for name, value in environment(PYTHONHASHSEED="0", JUPYTER_PREFER_ENV_PATH="1").items()
            if not name.upper().startswith(("MEMLAB_", "ANTHROPIC_"))
        }
        yield env | {"MEMLAB_COURSE_HOME": home}


def warm_fonts(chosen: Interpreter, env: dict[str, str]) -> None:
    """Let matplotlib list the fonts now: at its first start it says so on stderr, in a cell."""
    subprocess.run(
        [chosen.python, "-c", "import matplotlib.font_manager"], env=env, capture_output=True
    )


def _perform(clone: Clone, chosen: Interpreter, step: Step, env: dict[str, str]) -> Outcome:
    print(f"\n== {step.name} {'=' * (75 - len(step.name))}", flush=True)
    reason = _why_not(clone, chosen, step)
    if reason:
        say(f"skipped: {reason}")
        return Outcome(step.name, "skipped", 0.0, reason)
    start = time.monotonic()
    status = run([chosen.python, *step.argv], cwd=clone.root, env=env)
    seconds = time.monotonic() - start
    if status == STOPPED:
        return Outcome(step.name, "stopped", seconds, "Ctrl-C")
    if status == NOTHING_COLLECTED and "pytest" in step.argv:
        return Outcome(step.name, "skipped", seconds, "no test found")
    return Outcome(step.name, "FAILED" if status else "passed", seconds)


def _why_not(clone: Clone, chosen: Interpreter, step: Step) -> str:
    there = installed(chosen.folders)
    for package in step.packages:
        if package not in there:
            return f"{package} is not installed"
    if not any(clone.root.glob(step.path)):
        return f"there is no {step.path}"
    if step.chromium and not any(shutil.which(name) for name in CHROMIUMS):
        return "no Chromium found"
    return ""


def _conclude(outcomes: list[Outcome], seconds: float) -> int:
    print(f"\n{'step':16}{'result':9}{'seconds':>8}")
    for outcome in outcomes:
        line = f"{outcome.name:16}{outcome.result:9}{outcome.seconds:8.1f}  {outcome.note}"
        print(line.rstrip())
    results = [outcome.result for outcome in outcomes]
    if "stopped" in results:
        print(f"memlab test stopped after {seconds:.0f} s", flush=True)
        return STOPPED
    failed = [outcome.name for outcome in outcomes if outcome.result == "FAILED"]
    skipped = results.count("skipped")
    verdict = f"failed: {', '.join(failed)}" if failed else "passed"
    count = f"{results.count('passed')} passed, {len(failed)} failed, {skipped} skipped"
    print(f"steps: {count}\nmemlab test {verdict} in {seconds:.0f} s", flush=True)
    return 1 if failed else 0

"""Run the tests, and compare every output of every notebook.

With --all, run what a change has to pass: linters, types, all tests, the
mutation proof, the web site and a browser. A step that fails stops no other.
MEMLAB_NO_BROWSER=1 leaves the browser out, and MEMLAB_QUICK_DONE=1 leaves out
what the command without --all has just run.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Sequence

from memlab.cli.bootstrap import ROOT, prepare
from memlab.cli.commands import command_parser

PYTEST = "-m pytest -p tests.fast_start -n 2 --dist loadfile"
NBVAL = (
    "-p tests.warm_kernels --nbval --nbval-current-env"
    " --nbval-cell-timeout=120"
)
TESTS, NOTEBOOKS = f"{PYTEST} -p no:nbval tests", f"{PYTEST} {NBVAL} notebooks"
# Each step, and what Python runs for it.
QUICK = {"tests": TESTS, "notebooks": NOTEBOOKS}
LINT_IMPORTS = (
    "from importlinter.cli import lint_imports_command as main; main()"
)
ALL = {
    "ruff check": "-m ruff check .",
    "ruff format": "-m ruff format --check .",
    "mypy": "-m mypy --strict memlab",
    "import layers": f"-c '{LINT_IMPORTS}' --no-logo",
    "tests": f"{TESTS} --tier all",
    "notebooks": NOTEBOOKS,
    "mutation proof": "-m tests.mutation",
    "web site": ".ci/site/build.py",
    "browser": "-m pytest -p tests.fast_start tests/browser --tier all",
}


def main(argv: Sequence[str]) -> int:
    """Run every step and print a table; returns 0 only if none failed."""
    parser = command_parser("test", __doc__)
    parser.add_argument("--all", action="store_true", help="run everything")
    everything = parser.parse_args(argv).all
    python = prepare("dev" if everything else "course")
    table = []
    for name, arguments in steps(everything).items():
        print(f"\n== {name}", flush=True)
        begun = time.monotonic()
        command = [python, *shlex.split(arguments)]
        ended = subprocess.run(command, cwd=ROOT, env=_environment())
        result = "FAILED" if ended.returncode else "passed"
        table.append(f"{name:16}{result}{time.monotonic() - begun:8.0f} s")
    print("", *table, sep="\n")
    return int("FAILED" in "".join(table))


def steps(everything: bool) -> dict[str, str]:
    """List the steps without those that are to be left out."""
    chosen = dict(ALL if everything else QUICK)
    if everything and os.environ.get("MEMLAB_NO_BROWSER") == "1":
        del chosen["browser"]
    if everything and os.environ.get("MEMLAB_QUICK_DONE") == "1":
        del chosen["notebooks"]
        chosen["tests"] = f"{TESTS} --tier rest"
    return chosen


def _environment() -> dict[str, str]:
    """Make every run the same: no key, and no setting of yours."""
    out = ("MEMLAB_", "ANTHROPIC_", "PYTHONDONTWRITEBYTECODE")
    kept = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(out)
    }
    return kept | {"PYTHONHASHSEED": "0", "JUPYTER_PREFER_ENV_PATH": "1"}

"""Shows a crash: a child process writes a memory and dies before a step that
you name.

The tests try a crash before every step, and power cuts that lose what was not
synced.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from memlab.bridge import RealFiles
from memlab.clock import CourseClock
from memlab.course.display import Table, table
from memlab.course.lab import Lab
from memlab.errors import CourseError
from memlab.memdir.store import MemoryStore

DIED = 9
READING = ("read", "walk")


def crash_while_writing(
    lab: Lab, file: str, text: str, *, before: str = ""
) -> Table:
    """Write a memory in a child process that dies before the step ``before``.

    ``replace FILE`` is the moment FILE gets its new content; "" lets the child
    finish. Gives the steps that changed the disk. Raises CourseError if the
    child ends in another way.
    """
    order = {
        "directory": str(lab.memory),
        "file": file,
        "text": text,
        "before": before,
        "now": lab.clock.now().isoformat(),
    }
    child = subprocess.run(
        [sys.executable, "-m", "memlab.course.crash"],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if child.returncode not in (0, DIED):
        last = (child.stderr.strip().splitlines() or ["no message"])[-1]
        raise CourseError(f"the child failed: {last}", where=file)
    steps = [tuple(step) for step in json.loads(child.stdout)]
    rows = [(number, *step) for number, step in enumerate(steps, 1)]
    return table(
        [*rows, *([("", "dies", "")] if child.returncode else [])],
        ("", "step", "of"),
    )


class CrashingFiles:
    """The real file calls, each noted; the process ends before the first that
    has the name given.
    """

    def __init__(self, directory: Path, before: str) -> None:
        self._real, self._directory, self._before = (
            RealFiles(),
            directory,
            before,
        )
        self.held = self._real.held
        self.steps: list[tuple[str, str]] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._real, name)

        def call(path: Path, *rest: Any, **more: Any) -> Any:
            step = (
                name.replace("_", " "),
                self._shown(rest[0] if name == "replace" else path),
            )
            if " ".join(step) == self._before:
                self.report()
                os._exit(DIED)
            if name not in READING:
                self.steps.append(step)
            return method(path, *rest, **more)

        return call

    def report(self) -> None:
        """Print the steps so far, each run of equal steps as one."""
        kept = [
            step
            for n, step in enumerate(self.steps)
            if n == 0 or step != self.steps[n - 1]
        ]
        print(json.dumps(kept), flush=True)

    def _shown(self, path: Path) -> str:
        below = path.relative_to(self._directory).as_posix()
        if "images/" in below:
            return "an image, named by its hash"
        if below.endswith(".tmp"):
            return "a temporary file next to the old one"
        names = {
            ".": "the directory",
            ".memlab/journal.jsonl": "the journal",
            ".memlab/preparing.json": "the marker",
        }
        return names.get(below, below)


def main() -> None:
    """Do the write that standard input describes, up to the step at which the
    process dies.
    """
    order = json.load(sys.stdin)
    directory = Path(order["directory"])
    files = CrashingFiles(directory, order["before"])
    clock = CourseClock(datetime.fromisoformat(order["now"]))
    store = MemoryStore(
        directory,
        clock=clock,
        files=cast(RealFiles, files),
        writer="the child",
    )
    store.write_text(order["file"], order["text"])
    files.report()


if __name__ == "__main__":
    main()

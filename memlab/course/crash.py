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
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memlab.clock import CourseClock
from memlab.errors import CourseError
from memlab.memdir.folder import PRIVATE_FILE, Folder
from memlab.memdir.journal import JOURNAL
from memlab.memdir.store import MemoryStore

if TYPE_CHECKING:
    from memlab.course.lab import Lab
    from memlab.course.show import Table

DIED = 9


def crash_while_writing(
    lab: Lab, file: str, text: str, *, before: str = ""
) -> Table:
    """Write a memory in a child process that dies before the step ``before``.

    ``replace FILE`` is the moment FILE gets its new content; "" lets the child
    finish. Gives the steps that changed the disk. Raises CourseError if the
    child ends in another way.
    """
    # the child imports this module, too, and shows nothing
    from memlab.course.show import table

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


class CrashingFolder(Folder):
    """A folder that notes each change of a file; the process ends before the
    first that has the name given.
    """

    def __init__(self, path: Path, before: str) -> None:
        super().__init__(path)
        self._before = before
        self.steps: list[tuple[str, str]] = []

    def create(
        self, name: str, data: bytes, mtime: int, mode: int = PRIVATE_FILE
    ) -> None:
        """Make a new file."""
        self._note("write", name)
        super().create(name, data, mtime, mode)

    def append(self, name: str, data: bytes) -> None:
        """Add to the end of a file."""
        self._note("append", name)
        super().append(name, data)

    def rename(self, name: str, new: str) -> None:
        """Give a file the place of another."""
        self._note("replace", new)
        super().rename(name, new)

    def report(self) -> None:
        """Print the steps so far, each run of equal steps as one."""
        kept = [
            step
            for n, step in enumerate(self.steps)
            if n == 0 or step != self.steps[n - 1]
        ]
        print(json.dumps(kept), flush=True)

    def _note(self, step: str, name: str) -> None:
        shown = "the journal" if name == JOURNAL else name
        if "images/" in name:
            shown = "an image, named by its hash"
        if name.endswith(".tmp"):
            shown = "a temporary file next to the old one"
        if f"{step} {shown}" == self._before:
            self.report()
            os._exit(DIED)
        self.steps.append((step, shown))


def main() -> None:
    """Do the write that standard input describes, up to the step at which the
    process dies.
    """
    order = json.load(sys.stdin)
    directory = Path(order["directory"])
    clock = CourseClock(datetime.fromisoformat(order["now"]))
    store = MemoryStore(directory, clock=clock, writer="the child")
    folder = CrashingFolder(directory, order["before"])
    store.folder = store.journal.folder = folder
    store.write_text(order["file"], order["text"])
    folder.report()


if __name__ == "__main__":
    main()

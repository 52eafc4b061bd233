"""A process that dies while it writes a memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from memlab.course.lab import Lab
from memlab.errors import CourseError
from memlab.memdir.folder import Folder
from memlab.memdir.journal import JOURNAL
from memlab.memdir.store import MemoryStore

DIED = 9


def crash_while_writing(
    lab: Lab, file: str, text: str, *, before: str
) -> None:
    """Write a memory in a child process that dies before a step.

    The steps are ``write a temporary file next to the old one``, ``append the
    journal``, and ``replace FILE``, for the memory and for the index. Raises
    CourseError if the child does not come to that step.
    """
    words = [
        sys.executable,
        "-m",
        "memlab.course.crash",
        str(lab.memory),
        file,
        before,
    ]
    child = subprocess.run(words, input=text.encode(), capture_output=True)
    if child.returncode != DIED:
        said = child.stderr.decode() or f"it never comes to {before!r}"
        raise CourseError(f"the child has not died: {said}", where=file)


class CrashingFolder(Folder):
    """A folder in which the process dies before a step."""

    def __init__(self, path: Path, before: str) -> None:
        super().__init__(path)
        self.before = before

    def create(self, name: str, *given: Any, **named: Any) -> None:
        """Make a new file."""
        if name.endswith(".tmp"):
            self._reach("write a temporary file next to the old one")
        super().create(name, *given, **named)

    def append(self, name: str, data: bytes) -> None:
        """Add to the end of a file."""
        if name == JOURNAL:
            self._reach("append the journal")
        super().append(name, data)

    def rename(self, name: str, new: str) -> None:
        """Give a file the place of another."""
        self._reach(f"replace {new}")
        super().rename(name, new)

    def _reach(self, step: str) -> None:
        if step == self.before:
            os._exit(DIED)


if __name__ == "__main__":
    directory, file, before = sys.argv[1:]
    store = MemoryStore(directory, writer="the child")
    store.folder = store.journal.folder = CrashingFolder(
        Path(directory), before
    )
    store.write_text(file, sys.stdin.buffer.read().decode())

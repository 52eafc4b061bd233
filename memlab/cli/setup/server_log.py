"""What JupyterLab logs: all of it goes to a file, and only what a person needs to the terminal.

Shown are real errors and, once the server is up, its address. Not shown are warnings such as
"Kernel is running over TCP" and what kernels print.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from memlab.cli.setup.say import say

# "[W 2026-01-31 12:00:00.000 ServerApp] Notebook x.ipynb is not trusted"
_RECORD = re.compile(r"\[([A-Z]) [^\]]*\]\s*(.*)")
_ADDRESS = re.compile(r"https?://\S+")
_ENDING = re.compile(r"Shutting down|Shutdown confirmed|received signal", re.IGNORECASE)


class ServerLog:
    """Takes the log line by line; ``address`` is None until the server has said where it is."""

    def __init__(self, file: TextIO) -> None:
        self.address: str | None = None
        self._file = file
        self._shown = True  # a Python that cannot even start JupyterLab says so without a record
        self._in_banner = False

    def add(self, line: str) -> None:
        """Keep one line, and show it if it belongs to an error."""
        self._file.write(line)
        self._file.flush()
        record = _RECORD.match(line)
        if record:
            self._begin_record(record[1], record[2].strip())
        if self._in_banner:
            self._look_for_address(line)
        elif self._shown:
            print(line.rstrip("\n"), flush=True)

    def _begin_record(self, level: str, message: str) -> None:
        # The banner with the address is a critical record whose first line is empty.
        self._in_banner = level == "C" and not message
        self._shown = level == "E" or (level == "C" and not _ENDING.search(message))

    def _look_for_address(self, line: str) -> None:
        found = _ADDRESS.search(line)
        if not found:
            return
        self._in_banner = False
        self._shown = False
        if self.address is None:
            self.address = found[0]
            say(f"JupyterLab is ready: {self.address}")


@contextmanager
def kept_in(path: Path) -> Iterator[ServerLog]:
    """Give a log that is kept in a file of its owner's only: it contains the server's token."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
        yield ServerLog(file)

"""What the person at the terminal sees: lines, a running line, failures in one
line.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable

COMMAND = "py -m memlab" if os.name == "nt" else "python3 -m memlab"
QUIET_SECONDS = 2.0  # nobody should wonder for longer whether it still runs
STOPPED = 130  # what a shell reports for a program that Ctrl-C ended

_FULL = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EROFS, errno.EACCES, errno.EPERM}
DISK_FULL = "the disk is full. Free about 1 GB and run the same command again"


class Problem(Exception):
    """Something the person can act on: what was wrong and what to do, in one
    line.
    """


def say(text: str) -> None:
    """Print one line."""
    print(f"memlab: {text}", flush=True)


def guarded(action: Callable[[], int]) -> int:
    """Run a command; turn what a person can act on into one line and an exit
    status.
    """
    for stream in (sys.stdout, sys.stderr):
        # A console that cannot show a character of the clone's path shows '?'
        # for it.
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        return action()
    except Problem as problem:
        return _complain(str(problem), 1)
    except KeyboardInterrupt:
        return _complain(
            "stopped. Run the same command again to continue", STOPPED
        )
    except OSError as error:
        if error.errno not in _FULL | _FORBIDDEN:
            raise
        return _complain(_explain(error), 1)


def _explain(error: OSError) -> str:
    if error.errno in _FULL:
        return DISK_FULL
    where = error.filename or "the clone"
    return (
        f"cannot write {where} ({error.strerror}). Move the clone to a folder"
        " that you own"
    )


def _complain(text: str, status: int) -> int:
    print(f"memlab: {text}", file=sys.stderr, flush=True)
    return status


class Activity:
    """One piece of work that takes a while, shown with its elapsed seconds.

    A terminal gets one line that is rewritten, and that disappears at the end;
    a log gets the title, and then a line every two seconds.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._start = self._shown = time.monotonic()
        self._rewrites = sys.stdout.isatty()
        self._width = 0
        if self._rewrites:
            self._shown -= QUIET_SECONDS
            self.show("")
        else:
            say(title)

    @property
    def seconds(self) -> float:
        """How long the work has taken so far."""
        return time.monotonic() - self._start

    def show(self, doing: str) -> None:
        """Say what is being done now; call it as often as you like."""
        pause = time.monotonic() - self._shown
        if pause < (0.2 if self._rewrites else QUIET_SECONDS):
            return
        self._shown = time.monotonic()
        text = f"  {self.seconds:3.0f} s  {doing}"
        if self._rewrites:
            more = "" if doing in ("", self._title) else f" · {doing}"
            text = f"memlab: {self._title} · {self.seconds:.0f} s{more}"[:78]
            print("\r" + text.ljust(self._width), end="", flush=True)
            self._width = len(text)
        else:
            print(text, flush=True)

    def clear(self) -> None:
        """Take the running line away, so that the next line starts at the
        margin.
        """
        if self._rewrites and self._width:
            print("\r" + " " * self._width + "\r", end="", flush=True)
            self._width = 0

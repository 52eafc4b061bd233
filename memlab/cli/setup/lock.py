"""One set-up at a time per clone: the second waits, and says so.

An operating-system lock on a file that stays: it is released by the system when its holder dies, so
there is no stale lock to clean up. Where a file system has no locks, nothing is guarded.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memlab.cli.setup.say import Activity

_POLL_SECONDS = 0.2
_TAKEN = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}


@contextmanager
def only_one(guard: Path) -> Iterator[int]:
    """Hold the lock on ``guard``; gives its descriptor.

    A child process that inherits the descriptor keeps the lock for as long as it runs, even when
    this process is killed: nobody else starts on ``.venv`` while an orphaned pip writes there.
    """
    descriptor = os.open(guard, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _wait_for(descriptor)
        yield descriptor
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int) -> None:
    if _take(descriptor):
        return
    waiting = Activity("another memlab is working on .venv; waiting for it")
    try:
        while not _take(descriptor):
            waiting.show("still waiting")
            time.sleep(_POLL_SECONDS)
    finally:
        waiting.clear()


def _take(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _TAKEN
    return True

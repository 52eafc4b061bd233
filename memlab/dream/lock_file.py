"""The lock file: what its body says, whether that keeps others out, and the calls that touch it.

The first line of the body is the holder's process id, which is all that other readers want. Ours
go on with an owner token, the mtime before, and, once the dream is over, ``done``. The mtime is the
time of the last consolidation. Left out: in which order the calls make a lock (``lock``).
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from memlab.clock import from_nanoseconds
from memlab.errors import StoreError
from memlab.memdir.files import Found, RealFiles
from memlab.settings import Settings

LOCK, GUARD = ".consolidate-lock", "consolidate.guard"
BODY_BYTES = 1_024
_PID = re.compile(rb"[1-9][0-9]{0,9}")
_OURS = re.compile(rb"token (\S+)\nbefore (none|-?[0-9]{1,19})\n")
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_READ |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class GuardBusyError(StoreError):
    """Another process kept the guard for as long as one was willing to wait."""


class LockFiles(RealFiles):
    """The file calls of one lock; a guard that a thread has already is not taken again."""

    def __init__(self, root: Path | None = None) -> None:
        super().__init__(root)
        self._guard: Any = None

    def look(self, path: Path) -> Found:
        """Open a file once and give what that one says: its mtime and its first bytes.

        Raises StoreError for a link, a folder or a device, and OSError as the system does.
        """
        try:
            with self._folder_of(path) as (folder, name):
                file = os.open(name, _READ, dir_fd=folder)
        except FileNotFoundError:
            return Found()
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR):
                raise
            raise _no_file(path) from error
        try:
            seen = os.fstat(file)
            if not stat.S_ISREG(seen.st_mode):
                raise _no_file(path)
            return Found(os.read(file, BODY_BYTES + 1), seen.st_mtime_ns)
        finally:
            os.close(file)

    def take_guard(self, path: Path, wait: float) -> None:
        """Keep all others out, threads too; a crash sets the guard free. Raises GuardBusyError."""
        from filelock import FileLock, Timeout

        if self._guard is None:
            self._guard = FileLock(
                path, mode=0o600, preserve_lock_file=True, fallback_to_soft=False
            )
        try:
            self._guard.acquire(timeout=wait, poll_interval=0.005)
        except Timeout:
            what = f"another process kept {path.name} for more than {wait:g} s"
            do = "Nothing was changed; try again when it has finished"
            raise GuardBusyError(what, where=path.parent, do=do) from None

    def leave_guard(self) -> None:
        """Let the next one in; the guard's file stays, since waiters may have it open."""
        self._guard.release()


@dataclass(frozen=True)
class Refused:
    """A lock that is not ours, with a message for the person; it is falsy.

    ``reason``: ``held``, by ``holder`` for ``age``; ``unreadable``, a young lock that names nobody;
    ``busy``, the guard was not to be had; ``failed``, the disk said no.
    """

    reason: str
    message: str
    holder: int | None = None
    age: timedelta | None = None

    def __bool__(self) -> bool:
        return False


def holder(data: bytes) -> int | None:
    """Give the process a body names in its first line; None if that is no process id."""
    first = data.partition(b"\n")[0].removesuffix(b"\r")
    fits = len(data) <= BODY_BYTES and _PID.fullmatch(first)
    return int(first) if fits else None


def new_body(pid: int, token: str, before: Found) -> bytes:
    """Write the body of a lock that is held."""
    stamp = "none" if before.data is None else before.mtime
    return f"{pid}\ntoken {token}\nbefore {stamp}\n".encode()


def done_body(data: bytes) -> bytes:
    """Write the body of a lock that is free, whatever its age."""
    return data + b"done\n"


def before_it(found: Found) -> Found:
    """Give what a lock was before a holder of ours that has not finished; any other as it is."""
    _, _, rest = (found.data or b"").partition(b"\n")
    if not (ours := _OURS.fullmatch(rest)):
        return found
    if ours[2] == b"none":
        return Found()
    return Found(done_body(found.data or b""), int(ours[2]))


def is_future(mtime: int, now: int, settings: Settings) -> bool:
    """Tell whether an mtime, in ns, is too far ahead to be anything but a wrong clock's."""
    return mtime - now > settings.lock_future_minutes * 60e9


def standing(
    found: Found, now: int, settings: Settings, alive: Callable[[int], bool]
) -> Refused | str:
    """Judge a lock at a time in ns: who keeps others out, or why nobody does.

    ``alive`` tells whether a process id is in use.
    """
    if found.data is None:
        return "no dream has run here yet"
    if b"done" in found.data.splitlines()[1:]:
        return "the dream before is over"
    pid, since = holder(found.data), clock_time(found.mtime)
    told = f"process {pid}" if pid else "someone"
    if is_future(found.mtime, now, settings):
        return f"a clock was wrong: {told} took the lock at {since}, still to come"
    age = timedelta(microseconds=max(0, now - found.mtime) // 1_000)
    left = timedelta(hours=settings.lock_lease_hours) - age
    if left <= timedelta():
        return f"{told} has had the lock since {since}, longer than its lease"
    if pid and not alive(pid):
        return f"process {pid} left the lock behind and is gone"
    why = f"{told} is consolidating this memory"
    why = why if pid else "a lock that names no process may be in the making"
    until = clock_time(now + left // timedelta(microseconds=1) * 1_000)
    message = f"No dream now: {why}, for {age // timedelta(minutes=1)} min."
    message += f" It may be taken over from {until} on."
    return Refused("held" if pid else "unreadable", message, pid, age)


def clock_time(mtime: int) -> str:
    """Show an mtime in ns as a time in UTC, to the minute."""
    return f"{from_nanoseconds(mtime):%Y-%m-%dT%H:%MZ}"


def _no_file(path: Path) -> StoreError:
    do = "Move it away: a dream's lock belongs there"
    return StoreError("this is no plain file", where=path, do=do)

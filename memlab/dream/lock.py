"""The lock: of all agents on a machine one consolidates, and its file tells when that was last.

A process that writes its id and reads it back is not safe: two can do so one after the other. Here
a second, permanent file is held under a lock of the system around the whole of looking, deciding
and renaming the new lock in, and whoever ends a dream has to find its own body there. Left out:
whether a dream is due (``gates``), and what it does.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memlab.clock import Clock, SystemClock, from_nanoseconds, to_nanoseconds
from memlab.dream.lock_file import (
    GUARD,
    LOCK,
    GuardBusyError,
    LockFiles,
    Refused,
    before_it,
    clock_time,
    done_body,
    is_future,
    new_body,
    standing,
)
from memlab.errors import StoreError
from memlab.memdir.files import Found, make_private
from memlab.memdir.paths import STORE_FOLDER
from memlab.memdir.wal import store_errors
from memlab.settings import Settings


@dataclass(frozen=True)
class Held:
    """A lock that is ours: since when, when the last consolidation was, and how we got the lock.

    It is truthy, and its counterpart ``Refused`` is falsy.
    """

    pid: int
    token: str
    at: datetime
    last: datetime | None
    note: str
    body: bytes = field(repr=False)
    before: Found = field(repr=False)

    def __bool__(self) -> bool:
        return True


class ConsolidationLock:
    """The lock of one memory directory, for one would-be dreamer; its mtime is the only clock.

    ``alive`` tells whether a process id is in use, ``wait`` is in seconds. All but ``try_acquire``
    and ``peek`` raise StoreError when the disk or the guard is not to be had.
    """

    def __init__(
        self,
        directory: Path | str,
        *,
        clock: Clock | None = None,
        settings: Settings | None = None,
        pid: int | None = None,
        token: str | None = None,
        alive: Callable[[int], bool] | None = None,
        files: LockFiles | None = None,
        wait: float = 2.0,
    ) -> None:
        self.directory = Path(os.path.abspath(directory))
        self.path = self.directory / LOCK
        self._clock, self._settings = clock or SystemClock(), settings or Settings()
        self._pid, self._token, self._alive = pid, token, alive or _pid_exists
        self._files, self._wait = files or LockFiles(self.directory), wait
        self._held: Held | None = None

    def try_acquire(self) -> Held | Refused:
        """Take the lock if it is free or its holder is gone; one of many who try succeeds."""
        try:
            with store_errors(self.directory):
                make_private(self.directory)
                with self._guard():
                    found = self._files.look(self.path)
                    seen = self._standing(found)
                    return seen if isinstance(seen, Refused) else self._take(before_it(found), seen)
        except StoreError as error:
            return _failed(error)

    def peek(self) -> Refused | None:
        """Say who is in the way, without taking anything: one open, one stat, one read.

        None means that the lock is free; compare with None, because a refusal is falsy.
        """
        try:
            with store_errors(self.directory):
                seen = self._standing(self._files.look(self.path))
        except StoreError as error:
            return _failed(error)
        return seen if isinstance(seen, Refused) else None

    def last_consolidated_at(
        self, stat: Callable[[Path], os.stat_result] = os.lstat
    ) -> datetime | None:
        """Read the clock by one stat; None for never, and for a time a wrong clock has left."""
        with suppress(FileNotFoundError):
            mtime = stat(self.path).st_mtime_ns
            if not is_future(mtime, self._now(), self._settings):
                return from_nanoseconds(mtime)
        return None

    @contextmanager
    def guarded(self) -> Iterator[bool]:
        """Tell whether the lock is still ours, and keep it so until the end of the block."""
        if self._held is None or not self.directory.is_dir():
            yield False
            return
        with self._guard():
            with store_errors(self.directory):
                mine = self._held and self._files.look(self.path).data == self._held.body
            yield bool(mine)

    def still_mine(self) -> bool:
        """Tell whether nobody has taken the lock over."""
        with self.guarded() as mine:
            return mine

    def finish(self) -> bool:
        """Mark the dream as done; the mtime stays at acquisition. False if the lock is not ours."""
        return self._end(lambda held: Found(done_body(held.body), to_nanoseconds(held.at)))

    def rollback(self) -> bool:
        """Put body and mtime back as they were, once; False if the lock is not, or no longer, ours.

        Where it raises, the stamp is put back by ``heal`` or by whoever takes the lock next.
        """
        return self._end(lambda held: held.before)

    def heal(self) -> str | None:
        """Put back the stamp of a holder that crashed, and say so; for the start of a session."""
        with store_errors(self.directory):
            if not self._crashed(self._files.look(self.path)):
                return None
            with self._guard():
                before = before_it(found := self._files.look(self.path))
                if not (why := self._crashed(found)):
                    return None
                self._put(before)
        last = "none yet" if before.data is None else f"at {clock_time(before.mtime)}"
        return f"A dream did not end: {why}. The last consolidation counts again as before: {last}."

    def _standing(self, found: Found) -> Refused | str:
        return standing(found, self._now(), self._settings, self._alive)

    def _crashed(self, found: Found) -> str:
        seen = self._standing(found)
        return "" if isinstance(seen, Refused) or before_it(found) == found else seen

    def _take(self, before: Found, why: str) -> Held:
        pid, token = self._pid or os.getpid(), self._token or secrets.token_hex(8)
        body, now = new_body(pid, token, before), self._now()
        self._put(Found(body, now))
        last = None if before.data is None else from_nanoseconds(before.mtime)
        self._held = Held(pid, token, from_nanoseconds(now), last, why, body, before)
        return self._held

    def _end(self, state: Callable[[Held], Found]) -> bool:
        with self.guarded() as mine:
            if mine and self._held:
                with store_errors(self.directory):
                    self._put(state(self._held))
            self._held = None
            return mine

    def _put(self, state: Found) -> None:
        if state.data is None:
            self._files.remove(self.path)
            return
        temporary = self.path.with_name(f"{LOCK}.tmp")
        try:
            self._files.write(temporary, state.data)
            self._files.set_mtime(temporary, state.mtime)
            self._files.sync(temporary)
            self._files.replace(temporary, self.path)
        except OSError:
            with suppress(OSError):
                self._files.remove(temporary)
            raise

    @contextmanager
    def _guard(self) -> Iterator[None]:
        home = self.directory / STORE_FOLDER
        with store_errors(self.directory):
            self._files.make_directory(home, 0o700)
            self._files.take_guard(home / GUARD, self._wait)
        try:
            yield
        finally:
            self._files.leave_guard()

    def _now(self) -> int:
        return to_nanoseconds(self._clock.now())


def _failed(error: StoreError) -> Refused:
    return Refused("busy" if isinstance(error, GuardBusyError) else "failed", str(error))


def _pid_exists(pid: int) -> bool:
    import psutil

    return bool(psutil.pid_exists(pid))

"""The lock: of all agents on a machine only one consolidates, and the lock's
file says when.

The first line of the file is the holder's process id, which is all that other
readers need. Our own files go on with an owner token, the mtime before, and
``done`` once the dream is over; ``due`` and two times name the sessions that
did not fit into it. The file's mtime is the time of the last consolidation.

A process that writes its id and reads it back is not safe, because two
processes can do so one after the other. Therefore a second, permanent file,
the guard, is locked by the operating system while a process looks, decides,
and renames the new lock into place. A process that ends a dream changes the
file only if it still contains its own token.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from memlab.clock import Clock, SystemClock, from_nanoseconds, to_nanoseconds
from memlab.errors import StoreError
from memlab.memdir.folder import Folder, temporary
from memlab.memdir.journal import exclusive, store_errors
from memlab.memdir.places import STORE_FOLDER
from memlab.settings import Settings

LOCK, GUARD = ".consolidate-lock", f"{STORE_FOLDER}/consolidate.guard"
SHORT = 70  # bytes; a file that says what is due is longer
_DUE = re.compile(r"^due (\d{1,19}) (\d{1,19})\n", re.MULTILINE)
_OURS = re.compile(r".*\ntoken \S+\nbefore (none|-?\d{1,19})\n(due .*\n)?")

State = tuple[str, int]  # the file's text and its mtime in nanoseconds
Span = tuple[int, int]  # the mtimes of the oldest and the newest session


@dataclass(frozen=True)
class Refused:
    """A lock that is not ours, with a message for the person; it is falsy."""

    message: str

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True)
class Held:
    """A lock that is ours: what was before, when the last consolidation was,
    and which sessions did not fit into that.
    """

    token: str
    before: State | None
    last: datetime | None
    due: Span | None


def is_stale(text: str, hours: float, alive: Callable[[int], bool]) -> bool:
    """Tell whether a lock may be taken over: its dream is done, it is an hour
    old, or its process is gone.
    """
    first, *others = text.splitlines() or [""]
    if "done" in others or hours >= 1:
        return True
    if first.isascii() and first.isdigit() and int(first) > 0:
        return not alive(int(first))
    return False


def take_lock(lock: ConsolidationLock, pid: int, token: str) -> bool:
    """Take the lock if it is free; return True if it is now ours."""
    with lock.guard():
        text = lock.read()
        is_free = text is None or is_stale(text, lock.hours(), lock.alive)
        if not is_free:
            return False
        last = lock.last()
        before = "none" if last is None else last
        lock.replace(f"{pid}\ntoken {token}\nbefore {before}\n")
        return True


def is_ours(text: str, token: str) -> bool:
    """Tell whether a lock has our token, and its dream is not done."""
    lines = text.splitlines()
    return f"token {token}" in lines and "done" not in lines


def roll_back(
    lock: ConsolidationLock, token: str, before: tuple[str, int] | None
) -> bool:
    """Put back text and mtime from before our dream; False if the lock is not
    ours.
    """
    with lock.guard():
        if not is_ours(lock.read() or "", token):
            return False
        if before is None:
            lock.remove()
        else:
            text, mtime = before
            lock.replace(text, mtime)
        return True


def before_it(state: State | None) -> State | None:
    """Give the lock's state before an unfinished holder of ours; any other
    lock as it is.
    """
    ours = _OURS.fullmatch(state[0]) if state else None
    if not state or not ours:
        return state
    return None if ours[1] == "none" else (state[0] + "done\n", int(ours[1]))


class ConsolidationLock:
    """The lock of one memory directory, for one would-be dreamer; its mtime is
    the only clock.

    ``alive`` says whether a process id is in use, ``wait`` is in seconds.
    All methods except ``try_acquire``, ``foresee`` and ``peek`` raise
    StoreError if the disk fails or the guard is kept too long.
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
        wait: float = 2.0,
    ) -> None:
        self.directory = Path(os.path.abspath(directory))
        self.path = self.directory / LOCK
        self.left = self.directory / temporary(LOCK)  # by a killed process
        self.alive = alive or _pid_exists
        self._folder, self._wait = Folder(self.directory), wait
        self._clock, settings = clock or SystemClock(), settings or Settings()
        self._lease = timedelta(hours=settings.lock_lease_hours)
        self._most_ahead = timedelta(minutes=settings.lock_future_minutes)
        self._pid, self._token = pid, token
        self._seen: State | None = None  # the file as it was read last
        self._size = 0  # of the file at the last stat
        self._held: Held | None = None

    def try_acquire(self) -> Held | Refused:
        """Take the lock if it is free; if several processes try at the same
        time, one of them succeeds.
        """
        token = self._token or secrets.token_hex(8)
        try:
            if not take_lock(self, self._pid or os.getpid(), token):
                return self._refusal()
        except StoreError as error:
            return Refused(str(error))
        self._held = self._as_held(token)
        return self._held

    def foresee(self) -> Held | Refused:
        """Say what ``try_acquire`` would, without taking or changing anything:
        one open, one stat, one read.
        """
        try:
            with store_errors(self.directory):
                text = self.read()
        except StoreError as error:
            return Refused(str(error))
        if text is None or is_stale(text, self.hours(), self.alive):
            return self._as_held("")
        return self._refusal()

    def peek(self) -> Refused | None:
        """Say who is in the way, without taking anything; None if nobody is.

        Compare with None, because a refusal is falsy.
        """
        found = self.foresee()
        return found if isinstance(found, Refused) else None

    def last_consolidated_at(self) -> datetime | None:
        """Read the time by one stat; None if there was none, or if it comes
        from a wrong clock.
        """
        with suppress(FileNotFoundError):
            seen = os.lstat(self.path)
            self._size = seen.st_size
            if not self._is_future(seen.st_mtime_ns):
                return from_nanoseconds(seen.st_mtime_ns)
        return None

    def due(self) -> Span | None:
        """Say which sessions did not fit into the last dream; reads the file
        only if it was long enough for that at the last stat.
        """
        if self._size > SHORT:
            self.read()
            return _due(self._seen)
        return None

    @contextmanager
    def guarded(self) -> Iterator[bool]:
        """Say whether the lock is still ours, and keep it so until the end of
        the block.
        """
        if self._held is None or not self.directory.is_dir():
            yield False
            return
        with self.guard():
            yield is_ours(self.read() or "", self._held.token)

    def still_mine(self) -> bool:
        """Say whether the lock is still ours."""
        with self.guarded() as mine:
            return mine

    def finish(self, due: Span | None = None) -> bool:
        """Mark the dream as done, and note which sessions are still due; the
        mtime stays at acquisition. False if the lock is not ours.
        """
        with self.guarded() as mine:
            if mine and self._seen:
                text = _DUE.sub("", self._seen[0]) + "done\n"
                text += f"due {due[0]} {due[1]}\n" if due else ""
                self.replace(text, self._seen[1])
            self._held = None
            return mine

    def rollback(self) -> bool:
        """Put body and mtime back as they were, once; False if the lock is
        not, or no longer, ours.

        If it raises, the time is put back by ``heal`` or by the next process
        that takes the lock.
        """
        held = self._held
        if held is None or not self.directory.is_dir():
            return False
        mine = roll_back(self, held.token, held.before)
        self._held = None
        return mine

    def heal(self) -> str | None:
        """Put back the time from before a crashed holder, and say so; for a
        session's start.
        """
        text, before = self.read() or "", before_it(self._seen)
        if before == self._seen or self.peek() is not None:
            return None
        pid, token, *_ = text.splitlines()
        if not roll_back(self, token.removeprefix("token "), before):
            return None
        last = "none yet"
        if before:
            last = f"at {from_nanoseconds(before[1]):%Y-%m-%dT%H:%MZ}"
        return (
            f"A dream did not end: process {pid} left the lock behind. The last"
            f" consolidation counts again as before: {last}."
        )

    # what take_lock and roll_back call

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Keep all others out of such a block."""
        with store_errors(self.directory):
            self._folder.make(STORE_FOLDER)
            with exclusive(self._folder.real / GUARD, self._wait):
                yield

    def read(self) -> str | None:
        """Return the text of the lock file; None if there is no file."""
        data, mtime, _ = self._folder.read(LOCK)
        self._seen = None
        if data is None:
            return None
        self._seen = data.decode(errors="surrogateescape"), mtime
        return self._seen[0]

    def hours(self) -> float:
        """Return the age of the file that was read, in leases; one from a
        wrong clock has ended.
        """
        mtime = self._seen[1] if self._seen else 0
        if self._is_future(mtime):
            return 1.0
        return (self._clock.now() - from_nanoseconds(mtime)) / self._lease

    def last(self) -> int | None:
        """Return the time of the last complete dream, in ns."""
        before = before_it(self._seen)
        return before and before[1]

    def replace(self, text: str, mtime: int | None = None) -> None:
        """Put a new file in the place of the lock file; without an mtime it is
        of now, and what was due stays due.
        """
        if mtime is None:
            mtime = to_nanoseconds(self._clock.now())
            due = _due(self._seen)
            text += f"due {due[0]} {due[1]}\n" if due else ""
        data = text.encode(errors="surrogateescape")
        self._folder.write(LOCK, data, mtime)

    def remove(self) -> None:
        """Delete the lock file."""
        self._folder.remove(LOCK)

    def _as_held(self, token: str) -> Held:
        before = before_it(self._seen)
        last = from_nanoseconds(before[1]) if before else None
        return Held(token, before, last, _due(self._seen))

    def _is_future(self, mtime: int) -> bool:
        """Say whether a time comes from a wrong clock."""
        return from_nanoseconds(mtime) - self._clock.now() > self._most_ahead

    def _refusal(self) -> Refused:
        """Say who has the lock that was read, and until when."""
        text, mtime = self._seen or ("", 0)
        taken = min(from_nanoseconds(mtime), self._clock.now())
        minutes = (self._clock.now() - taken) // timedelta(minutes=1)
        first = text.partition("\n")[0].strip()
        why = "a lock that names no process may be in the making"
        if re.fullmatch("[1-9][0-9]*", first):
            why = f"process {first} is consolidating this memory"
        until = f"{taken + self._lease:%Y-%m-%dT%H:%MZ}"
        return Refused(
            f"No dream now: {why}, for {minutes} min. It may be taken over from"
            f" {until} on."
        )


def _due(state: State | None) -> Span | None:
    due = _DUE.search(state[0]) if state else None
    return (int(due[1]), int(due[2])) if due else None


def _pid_exists(pid: int) -> bool:
    import psutil

    return bool(pid < 2**31 and psutil.pid_exists(pid))

"""The lock: of all agents on a machine only one consolidates, and the lock's
file says when.

The first line of the file is the holder's process id, which is all that other
readers need. Our own files go on with an owner token, the mtime before, and
``done`` once the dream is over. The file's mtime is the time of the last
consolidation.

A process that writes its id and reads it back is not safe, because two
processes can do so one after the other. Therefore a second, permanent file,
the guard, is locked by the operating system while a process looks, decides,
and renames the new lock into place. A process that ends a dream changes the
file only if it still contains its own token.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memlab.bridge import RealFiles
from memlab.clock import Clock, SystemClock, from_nanoseconds, to_nanoseconds
from memlab.errors import StoreError
from memlab.memdir.folder import SWAPPED, Folder, Found
from memlab.memdir.journal import store_errors
from memlab.memdir.places import STORE_FOLDER
from memlab.settings import Settings

LOCK, GUARD = ".consolidate-lock", "consolidate.guard"
BODY_BYTES = 1_024
_PID = re.compile(rb"[1-9][0-9]{0,9}")
_OURS = re.compile(rb"token (\S+)\nbefore (none|-?[0-9]{1,19})\n")


class GuardBusyError(StoreError):
    """Another process kept the guard for longer than we wait."""


class LockFiles(RealFiles):
    """The file calls of one lock; a guard that this thread already has is not
    taken again.
    """

    def __init__(self, root: Path | None = None) -> None:
        super().__init__(root)
        self._guard: Any = None

    def look(self, path: Path) -> Found:
        """Open a file once and give its mtime and its first bytes.

        Raises StoreError for a link, a folder or a device, and OSError as the
        system does.
        """
        folder, name = self._at(path)
        try:
            file = folder.open(name)
        except FileNotFoundError:
            return Found()
        except OSError as error:
            if error.errno in (*SWAPPED, errno.EISDIR):
                raise _no_file(path) from error
            raise
        try:
            seen = os.fstat(file)
            return Found(os.read(file, BODY_BYTES + 1), seen.st_mtime_ns)
        finally:
            os.close(file)

    def take_guard(self, path: Path, wait: float) -> None:
        """Keep all others out, threads too; a crash releases the guard. Raises
        GuardBusyError.
        """
        from filelock import FileLock, Timeout

        if self._guard is None:
            self._guard = FileLock(
                path,
                mode=0o600,
                preserve_lock_file=True,
                fallback_to_soft=False,
            )
        try:
            self._guard.acquire(timeout=wait, poll_interval=0.005)
        except Timeout:
            what = f"another process kept {path.name} for more than {wait:g} s"
            do = "Nothing was changed; try again when it has finished"
            raise GuardBusyError(what, where=path.parent, do=do) from None

    def leave_guard(self) -> None:
        """Let the next one in; the guard's file stays, because others may have
        it open.
        """
        self._guard.release()


@dataclass(frozen=True)
class Refused:
    """A lock that is not ours, with a message for the person; it is falsy.

    ``reason``: ``held``, by ``holder`` for ``age``; ``unreadable``, a young
    lock that names nobody; ``busy``, another process kept the guard;
    ``failed``, an error of the disk.
    """

    reason: str
    message: str
    holder: int | None = None
    age: timedelta | None = None

    def __bool__(self) -> bool:
        return False


def holder(data: bytes) -> int | None:
    """Give the process that is named in the first line; None if the line is no
    process id.
    """
    first = data.partition(b"\n")[0].removesuffix(b"\r")
    fits = len(data) <= BODY_BYTES and _PID.fullmatch(first)
    return int(first) if fits else None


def done_body(data: bytes) -> bytes:
    """Write the body of a lock that is free, whatever its age."""
    return data + b"done\n"


def before_it(found: Found) -> Found:
    """Give the lock's state before an unfinished holder of ours; any other
    lock as it is.
    """
    _, _, rest = (found.data or b"").partition(b"\n")
    if not (ours := _OURS.fullmatch(rest)):
        return found
    if ours[2] == b"none":
        return Found()
    return Found(done_body(found.data or b""), int(ours[2]))


def is_future(mtime: int, now: int, settings: Settings) -> bool:
    """Say whether an mtime, in ns, is so far in the future that it comes from
    a wrong clock.
    """
    return mtime - now > settings.lock_future_minutes * 60e9


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


def take_lock(lock: LockFile, pid: int, token: str) -> bool:
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
    lock: LockFile, token: str, before: tuple[str, int] | None
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


class LockFile:
    """What ``take_lock`` and ``roll_back`` call: the file of one lock, as its
    process sees it.

    ``written`` is what was written last.
    """

    def __init__(self, lock: ConsolidationLock) -> None:
        self._lock = lock
        self.found: Found | None = None
        self.written = Found()

    def guard(self) -> AbstractContextManager[None]:
        """Keep all others out of such a block."""
        return self._lock._guard()

    def read(self) -> str | None:
        """Return the text of the lock file; None if there is no file."""
        self.found = self._lock._files.look(self._lock.path)
        return None if self.found.data is None else lock_text(self.found.data)

    def seen(self) -> Found:
        """Return what was read last; if nothing was, read it now."""
        if self.found is None:
            self.read()
        return self.found or Found()

    def hours(self) -> float:
        """Return the age of the file that was read, in leases."""
        lock = self._lock
        return lock_hours(self.seen().mtime, lock._now(), lock._settings)

    def alive(self, pid: int) -> bool:
        """Say whether a process is running."""
        return self._lock._alive(pid)

    def last(self) -> int | None:
        """Return the time of the last complete dream, in ns."""
        before = before_it(self.seen())
        return None if before.data is None else before.mtime

    def replace(self, text: str, mtime: int | None = None) -> None:
        """Put a new file in the place of the lock file."""
        data = text.encode(errors="surrogateescape")
        when = self._lock._now() if mtime is None else mtime
        self.written = Found(data, when)
        self._lock._put(self.written)

    def remove(self) -> None:
        """Delete the lock file."""
        self._lock._put(Found())

    def remember(self) -> Callable[[], None]:
        """Return a function that puts back the file as it is now."""
        now = self._lock._files.look(self._lock.path)

        def put_back() -> None:
            if self._lock._files.look(self._lock.path) != now:
                self._lock._put(now)

        return put_back


def lock_text(data: bytes) -> str:
    """Return a body as text; a first line that is no process id of ours names
    nobody.
    """
    text = data.decode(errors="surrogateescape")
    if holder(data) is None:
        return "?\n" + text.partition("\n")[2]
    return text


def lock_hours(mtime: int, now: int, settings: Settings) -> float:
    """Return the age of a lock, in leases; one from a wrong clock has ended."""
    if is_future(mtime, now, settings):
        return 1.0
    return (now - mtime) / 3_600e9 / settings.lock_lease_hours


def lock_state(
    found: Found, now: int, settings: Settings, alive: Callable[[int], bool]
) -> Refused | str:
    """Say who keeps others out at a time in ns, or why the lock is free.

    ``alive`` says whether a process id is in use.
    """
    if found.data is None:
        return "no dream has run here yet"
    hours = lock_hours(found.mtime, now, settings)
    if not is_stale(lock_text(found.data), hours, alive):
        return _refused(found, now, settings)
    if b"done" in found.data.splitlines()[1:]:
        return "the dream before is over"
    pid, since = holder(found.data), clock_time(found.mtime)
    who = f"process {pid}" if pid else "someone"
    if is_future(found.mtime, now, settings):
        return (
            f"a clock was wrong: {who} took the lock at {since}, still to come"
        )
    if hours >= 1:
        return f"{who} has had the lock since {since}, longer than its lease"
    return f"process {pid} left the lock behind and is gone"


def _refused(found: Found, now: int, settings: Settings) -> Refused:
    pid = holder(found.data or b"")
    age = timedelta(microseconds=max(0, now - found.mtime) // 1_000)
    left = timedelta(hours=settings.lock_lease_hours) - age
    why = f"process {pid} is consolidating this memory"
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


@dataclass(frozen=True)
class Held:
    """A lock that is ours: since when, when the last consolidation was, and
    how we got the lock.

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
    """The lock of one memory directory, for one would-be dreamer; its mtime is
    the only clock.

    ``alive`` says whether a process id is in use, ``wait`` is in seconds. All
    methods except ``try_acquire`` and ``peek`` raise StoreError if the disk
    fails or the guard is kept too long.
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
        self._clock, self._settings = (
            clock or SystemClock(),
            settings or Settings(),
        )
        self._pid, self._token, self._alive = pid, token, alive or _pid_exists
        self._files, self._wait = files or LockFiles(self.directory), wait
        self._held: Held | None = None

    def try_acquire(self) -> Held | Refused:
        """Take the lock if it is free; if several processes try at the same
        time, one of them succeeds.
        """
        try:
            with store_errors(self.directory):
                Folder(self.directory).make()
                with self._guard():
                    return self._take(LockFile(self))
        except StoreError as error:
            return _failed(error)

    def peek(self) -> Refused | None:
        """Say who is in the way, without taking anything: one open, one stat,
        one read.

        None means that the lock is free; compare with None, because a refusal
        is falsy.
        """
        try:
            with store_errors(self.directory):
                state = self._state(self._files.look(self.path))
        except StoreError as error:
            return _failed(error)
        return state if isinstance(state, Refused) else None

    def last_consolidated_at(
        self, stat: Callable[[Path], os.stat_result] = os.lstat
    ) -> datetime | None:
        """Read the time by one stat; None if there was none, or if it comes
        from a wrong clock.
        """
        with suppress(FileNotFoundError):
            mtime = stat(self.path).st_mtime_ns
            if not is_future(mtime, self._now(), self._settings):
                return from_nanoseconds(mtime)
        return None

    @contextmanager
    def guarded(self) -> Iterator[bool]:
        """Say whether the lock is still ours, and keep it so until the end of
        the block.
        """
        if self._held is None or not self.directory.is_dir():
            yield False
            return
        with self._guard():
            with store_errors(self.directory):
                mine = self._held is not None
                if self._held:
                    found = self._files.look(self.path).data
                    mine = found == self._held.body
            yield mine

    def still_mine(self) -> bool:
        """Say whether the lock is still ours."""
        with self.guarded() as mine:
            return mine

    def finish(self) -> bool:
        """Mark the dream as done; the mtime stays at acquisition. False if the
        lock is not ours.
        """
        with self.guarded() as mine:
            held = self._held
            if mine and held:
                done = Found(done_body(held.body), to_nanoseconds(held.at))
                with store_errors(self.directory):
                    self._put(done)
            self._held = None
            return mine

    def rollback(self) -> bool:
        """Put body and mtime back as they were, once; False if the lock is
        not, or no longer, ours.

        If it raises, the time is put back by ``heal`` or by the next process
        that takes the lock.
        """
        with self.guarded() as mine:
            held = self._held
            if mine and held:
                before = None
                if held.before.data is not None:
                    text = held.before.data.decode(errors="surrogateescape")
                    before = text, held.before.mtime
                with store_errors(self.directory):
                    mine = roll_back(LockFile(self), held.token, before)
            self._held = None
            return mine

    def heal(self) -> str | None:
        """Put back the time from before a crashed holder, and say so; for a
        session's start.
        """
        with store_errors(self.directory):
            if not self._crashed(self._files.look(self.path)):
                return None
            with self._guard():
                before = before_it(found := self._files.look(self.path))
                if not (why := self._crashed(found)):
                    return None
                self._put(before)
        last = (
            "none yet"
            if before.data is None
            else f"at {clock_time(before.mtime)}"
        )
        return (
            f"A dream did not end: {why}. The last consolidation counts again"
            f" as before: {last}."
        )

    def _state(self, found: Found) -> Refused | str:
        return lock_state(found, self._now(), self._settings, self._alive)

    def _crashed(self, found: Found) -> str:
        state = self._state(found)
        return (
            ""
            if isinstance(state, Refused) or before_it(found) == found
            else state
        )

    def _take(self, file: LockFile) -> Held | Refused:
        pid = self._pid or os.getpid()
        token = self._token or secrets.token_hex(8)
        if not take_lock(file, pid, token):
            return _refused(file.seen(), self._now(), self._settings)
        before = before_it(file.seen())
        last = None
        if before.data is not None:
            last = from_nanoseconds(before.mtime)
        self._held = Held(
            pid=pid,
            token=token,
            at=from_nanoseconds(file.written.mtime),
            last=last,
            note=str(self._state(file.seen())),
            body=file.written.data or b"",
            before=before,
        )
        return self._held

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
        private = self.directory / STORE_FOLDER
        with store_errors(self.directory):
            self._files.make_directory(private, 0o700)
            self._files.take_guard(private / GUARD, self._wait)
        try:
            yield
        finally:
            self._files.leave_guard()

    def _now(self) -> int:
        return to_nanoseconds(self._clock.now())


def _failed(error: StoreError) -> Refused:
    return Refused(
        "busy" if isinstance(error, GuardBusyError) else "failed", str(error)
    )


def _pid_exists(pid: int) -> bool:
    import psutil

    return bool(psutil.pid_exists(pid))

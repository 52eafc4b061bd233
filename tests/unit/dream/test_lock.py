"""The lock by its words: who is let in, who is not and what they read, and what is put back.

Left out: contests of real processes, and every order of the steps.
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memlab.bridge import resolve_memory_path
from memlab.clock import CourseClock
from memlab.dream import ConsolidationLock, Held, Refused
from memlab.dream.lock import LOCK, LockFiles
from memlab.errors import StoreError
from memlab.memdir.scan import scan_memory_files
from tests.platforms import needs_root

HOUR = 3_600
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Make = Callable[..., ConsolidationLock]


class World:
    """A memory directory, a clock, and the process ids in use."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.clock, self.alive = directory, CourseClock(), {10, 20}
        self.path = directory / LOCK

    def lock(self, pid: int = 10, **more: Any) -> ConsolidationLock:
        return ConsolidationLock(
            self.directory, clock=self.clock, pid=pid, alive=self.alive.__contains__, **more
        )

    def held(self, pid: int = 10, **more: Any) -> tuple[ConsolidationLock, Held]:
        lock = self.lock(pid, **more)
        held = lock.try_acquire()
        assert isinstance(held, Held), held
        return lock, held

    def refused(self, pid: int = 20, **more: Any) -> Refused:
        refused = self.lock(pid, **more).try_acquire()
        assert isinstance(refused, Refused), refused
        return refused

    def put(self, body: bytes, minutes_ago: float) -> tuple[bytes, int]:
        self.path.write_bytes(body)
        moment = self.clock.now() - timedelta(minutes=minutes_ago)
        stamp = (moment - EPOCH) // timedelta(microseconds=1) * 1_000
        os.utime(self.path, ns=(stamp, stamp))
        return self.state()

    def state(self) -> tuple[bytes, int]:
        return self.path.read_bytes(), self.path.stat().st_mtime_ns

    def last(self) -> datetime | None:
        return self.lock().last_consolidated_at()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.behaviour("J2")
def test_the_first_line_is_the_holder_and_the_mtime_the_time(world: World) -> None:
    start = world.clock.now()
    _, held = world.held(token="t1")
    assert world.path.read_text() == "10\ntoken t1\nbefore none\n"
    assert (held.at, held.last, held.note) == (start, None, "no dream has run here yet")
    assert world.last() == start


def test_whoever_comes_second_is_told_who_has_it_and_until_when(world: World) -> None:
    world.held()
    world.clock.advance(20 * 60)
    refused = world.refused()
    assert (refused.reason, refused.holder, refused.age) == ("held", 10, timedelta(minutes=20))
    assert refused.message == (
        "No dream now: process 10 is consolidating this memory, for 20 min. "
        "It may be taken over from 2026-03-30T10:00Z on."
    )
    peeked = world.lock(20).peek()
    assert peeked == refused


def test_one_process_id_twice_is_still_two(world: World) -> None:
    first, _ = world.held(10)
    assert world.refused(10).holder == 10
    assert first.still_mine()


@pytest.mark.behaviour("J4")
def test_a_finished_dream_leaves_its_time_and_lets_others_in(world: World) -> None:
    start = world.clock.now()
    lock, held = world.held()
    world.clock.advance(10 * 60)
    assert lock.finish()
    assert world.state()[0] == held.body + b"done\n"
    assert world.last() == start, "the consolidation counts from when it began"
    assert world.lock(20).peek() is None
    assert world.held(20)[1].last == start
    assert not lock.finish()
    assert not lock.rollback()


@pytest.mark.parametrize("body", [b"", b"77\n", b"77\ntoken x\nbefore none\ndone\n", b"\xff\x00"])
def test_a_failed_dream_leaves_no_trace(world: World, body: bytes) -> None:
    before = world.put(body, minutes_ago=30 * 60)
    lock, _ = world.held()
    assert world.state() != before
    assert lock.rollback()
    assert world.state() == before
    assert not lock.rollback(), "once"


def test_an_ended_dream_stays_ended_even_under_a_token_used_twice(world: World) -> None:
    first, _ = world.held(token="t1")
    assert first.rollback()
    second, _ = world.held(token="t1")
    assert not first.still_mine()
    assert not first.rollback()
    assert second.still_mine()


@pytest.mark.behaviour("J4")
def test_no_lock_before_is_no_lock_after(world: World) -> None:
    lock, _ = world.held()
    assert lock.rollback()
    assert not world.path.exists()
    assert world.last() is None


def test_nanoseconds_survive_a_rollback(world: World) -> None:
    world.put(b"77\n", 30 * 60)
    os.utime(world.path, ns=(1, 1_774_000_000_123_456_789))
    lock, _ = world.held()
    lock.rollback()
    assert world.state()[1] == 1_774_000_000_123_456_789


def test_a_holder_that_lost_the_lock_can_end_nothing(world: World) -> None:
    slow, _ = world.held(10)
    world.clock.advance(HOUR)
    quick, held = world.held(20)
    assert held.note == (
        "process 10 has had the lock since 2026-03-30T09:00Z, longer than its lease"
    )
    now = world.state()
    assert not slow.still_mine()
    with slow.guarded() as mine:
        assert not mine
    assert not slow.rollback()
    assert not slow.finish()
    assert world.state() == now
    assert quick.still_mine()


@pytest.mark.behaviour("J3")
def test_one_second_before_the_hour_is_too_early(world: World) -> None:
    world.held(10)
    world.clock.advance(HOUR - 1)
    assert world.refused().reason == "held"


def test_a_holder_that_nobody_relieved_may_end_late(world: World) -> None:
    lock, _ = world.held()
    world.clock.advance(3 * HOUR)
    with lock.guarded() as mine:
        assert mine
        assert lock.finish(), "within the guard, in one go with the commit"


def test_a_crash_is_taken_over_and_its_stamp_does_not_count(world: World) -> None:
    before = world.put(b"77\n", 30 * 60)
    world.held(10)
    world.alive.clear()
    lock, held = world.held(20)
    assert held.note == "process 10 left the lock behind and is gone"
    assert held.last == world.clock.now() - timedelta(hours=30)
    assert lock.rollback()
    assert world.state()[1] == before[1], (
        "a failed second dream puts back what was before the first"
    )


@pytest.mark.behaviour("J5")
def test_healing_puts_back_the_stamp_of_a_crash(world: World) -> None:
    world.put(b"77\n", 30 * 60)
    world.held(10)
    assert world.lock(20).heal() is None, "the twin: a living holder is left alone"
    world.clock.advance(5 * 60)
    world.alive.clear()
    assert world.last() == world.clock.now() - timedelta(minutes=5), "shut for a day, if left so"
    assert world.lock(20).heal() == (
        "A dream did not end: process 10 left the lock behind and is gone. "
        "The last consolidation counts again as before: at 2026-03-29T03:00Z."
    )
    assert world.last() == datetime(2026, 3, 29, 3, tzinfo=UTC)
    assert world.lock(20).heal() is None
    assert world.lock(20).peek() is None


def test_healing_where_none_was_before_leaves_none(world: World) -> None:
    world.held(10)
    world.alive.clear()
    assert "as before: none yet" in (world.lock(20).heal() or "")
    assert not world.path.exists()


def test_healing_a_healthy_or_foreign_lock_touches_nothing(world: World) -> None:
    lock = world.lock(20)
    assert lock.heal() is None
    assert list(world.directory.iterdir()) == []
    foreign = world.put(b"77", 10)
    assert lock.heal() is None
    assert world.state() == foreign, "another client's stamp may be a real consolidation"


ODD = {
    "0": "a number that is no process",
    "-5": "a negative one",
    " 12_3 ": "what int() would take",
    "\u0661\u0662": "digits of another script",
    "10 ": "a blank behind",
    "ten": "a word",
    "": "nothing: a holder may be in the middle of writing",
    "9" * 40: "too long for a process id",
    "x" * 100_000: "a huge body",
    "10\n" + "x" * 5_000: "a huge body that begins well",
}


@pytest.mark.behaviour("J3")
@pytest.mark.parametrize("body", ODD, ids=list(ODD.values()))
def test_a_body_that_names_nobody_holds_for_an_hour(world: World, body: str) -> None:
    world.alive |= {0, -5, 12, 123}
    world.put(body.encode(), minutes_ago=59)
    refused = world.refused()
    assert (refused.reason, refused.holder) == ("unreadable", None)
    assert refused.message == (
        "No dream now: a lock that names no process may be in the making, for 59 min. "
        "It may be taken over from 2026-03-30T09:01Z on."
    )
    world.clock.advance(60)
    assert "someone has had the lock" in world.held()[1].note


@pytest.mark.behaviour("J2")
def test_a_client_that_writes_only_its_id_is_respected(world: World) -> None:
    for body in (b"10", b"10\n", b"10\r\n"):
        world.put(body, 10)
        assert world.refused().holder == 10
    world.put(b"99", 10)
    assert "process 99 left the lock behind" in world.held()[1].note


@pytest.mark.parametrize("before", ["9" * 19, "-5", "0"])
def test_a_damaged_time_before_is_put_back_all_the_same(world: World, before: str) -> None:
    world.put(f"99\ntoken x\nbefore {before}\n".encode(), 10)
    assert world.lock().heal()
    assert world.held(20)


@pytest.mark.behaviour("J3")
def test_an_id_that_is_in_use_again_holds_no_longer_than_the_lease(world: World) -> None:
    world.put(b"10\ntoken x\nbefore none\n", 61)
    assert "longer than its lease" in world.held(20)[1].note


@pytest.mark.behaviour("J5")
def test_a_time_to_come_is_unknown_and_keeps_nobody_out(world: World) -> None:
    world.put(b"10\n", minutes_ago=-6)
    assert world.last() is None
    assert world.held(20)[1].note == (
        "a clock was wrong: process 10 took the lock at 2026-03-30T09:06Z, still to come"
    )
    world.put(b"10\n", minutes_ago=-4)
    assert world.last() is not None
    assert world.refused().age == timedelta(0)


@pytest.mark.behaviour("J5")
def test_a_clock_set_back_a_year_loses_nothing(world: World) -> None:
    lock, _ = world.held(10)
    world.clock = CourseClock(world.clock.now() - timedelta(days=365))
    assert world.last() is None
    other, _ = world.held(20)
    assert not lock.finish()
    assert other.finish()
    assert world.last() == world.clock.now()


def test_a_folder_a_link_or_a_pipe_in_its_place_is_refused(world: World) -> None:
    target = world.directory / "target"
    target.write_text("77\n")
    places: list[Callable[[], object]] = [
        world.path.mkdir,
        lambda: world.path.symlink_to(target),
        lambda: os.mkfifo(world.path),
    ]
    for make in places[: 3 if hasattr(os, "mkfifo") else 2]:
        make()
        refused = world.refused()
        assert refused.reason == "failed"
        assert refused.message == (
            f"{world.path}: this is no plain file. Move it away: a dream's lock belongs there"
        )
        assert world.lock().peek() == refused
        world.path.rmdir() if world.path.is_dir() else world.path.unlink()
    assert target.read_text() == "77\n"


class Failing(LockFiles):
    """Files of a disk that says no to one kind of call."""

    def __init__(self, call: str, error: int) -> None:
        super().__init__()

        def fail(*_: object) -> None:
            raise OSError(error, os.strerror(error))

        setattr(self, call, fail)


@pytest.mark.behaviour("J5")
@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        ("make_directory", errno.EROFS, "give yourself the right to write"),
        ("write", errno.EACCES, "give yourself the right to write"),
        ("write", errno.ENOSPC, "Make room on the disk"),
        ("sync", errno.ENOSPC, "Make room on the disk"),
        ("replace", errno.EIO, "Fix this, then try again"),
        ("look", errno.EACCES, "give yourself the right to write"),
    ],
)
def test_a_disk_that_says_no_is_a_refusal(world: World, call: str, error: int, told: str) -> None:
    before = world.put(b"77\n", 30 * 60)
    refused = world.refused(files=Failing(call, error))
    assert refused.reason == "failed"
    assert told in refused.message
    assert world.state() == before
    assert [path.name for path in world.directory.iterdir() if path.suffix == ".tmp"] == []
    assert world.held(20), "and the guard is free again"


def test_a_rollback_that_the_disk_refuses_says_so_and_can_be_tried_again(world: World) -> None:
    before = world.put(b"77\n", 30 * 60)
    files = LockFiles()
    lock, _ = world.held(files=files)
    files.write = Failing("write", errno.ENOSPC).write  # type: ignore[method-assign]
    with pytest.raises(StoreError, match="Make room"):
        lock.rollback()
    del files.write  # type: ignore[method-assign]
    assert lock.rollback()
    assert world.state() == before


def test_a_guard_that_is_not_to_be_had_is_a_refusal(world: World) -> None:
    lock, _ = world.held(10)
    with lock.guarded() as mine:
        assert mine
        refused = world.refused(20, wait=0)
    assert refused.reason == "busy"
    assert "another process kept consolidate.guard for more than 0 s" in refused.message
    assert world.refused(20).reason == "held"


def test_a_file_system_without_locks_is_a_refusal(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    import filelock

    def no_locks(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(filelock.FileLock, "acquire", no_locks)
    refused = world.refused()
    assert (refused.reason, "not implemented" in refused.message) == ("failed", True)


def test_a_directory_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    import shutil

    world = World(tmp_path / "memory")
    lock, _ = world.held()
    shutil.rmtree(world.directory)
    assert not lock.still_mine()
    assert not lock.rollback()
    assert not world.directory.exists()


def test_the_error_of_a_commit_comes_through_as_it_is(world: World) -> None:
    lock, _ = world.held()
    with pytest.raises(ZeroDivisionError), lock.guarded():
        raise ZeroDivisionError
    with pytest.raises(PermissionError), lock.guarded():
        raise PermissionError
    assert lock.still_mine()


@pytest.mark.behaviour("J4")
def test_kill_and_error_path_roll_back_once_between_them(world: World) -> None:
    world.put(b"77\n", 30 * 60)
    lock, _ = world.held()
    told: list[bool] = []
    threads = [threading.Thread(target=lambda: told.append(lock.rollback())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == [False] * 7 + [True]


def test_the_lock_is_no_memory(world: World) -> None:
    (world.directory / "tabs.md").write_text("---\nname: tabs\n---\n")
    world.held()
    assert [header.filename for header in scan_memory_files(world.directory)] == ["tabs.md"]
    with pytest.raises(Exception, match="its owner alone writes there"):
        resolve_memory_path(world.directory, LOCK)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Note every look of the system at a file: opens by the audit hook, the others by hand."""
    noted: list[str] = []
    on = [True]

    def hear(event: str, args: tuple[Any, ...]) -> None:
        if on[0] and event == "open" and str(args[0]).endswith(LOCK):
            noted.append("open")

    def counted(name: str) -> None:
        real = getattr(os, name)

        def call(*args: Any, **more: Any) -> Any:
            noted.append(name)
            return real(*args, **more)

        monkeypatch.setattr(os, name, call)

    for name in ("stat", "lstat", "fstat", "read"):
        counted(name)
    sys.addaudithook(hear)
    yield noted
    on[0] = False


def test_the_time_is_read_by_one_stat(world: World, calls: list[str]) -> None:
    world.put(b"77\n", 30 * 60)
    calls.clear()
    assert world.lock().last_consolidated_at(os.lstat)
    assert calls == ["lstat"]


def test_a_look_opens_once_and_reads_what_it_opened(world: World, calls: list[str]) -> None:
    world.put(b"10\n", 10)
    calls.clear()
    assert world.lock(20).peek() is not None
    assert calls[-2:] == ["fstat", "read"]
    assert calls.count("open") == calls.count("read") == 1  # what comes before is the directory


@needs_root
def test_somebody_without_the_right_to_write_is_told_so() -> None:
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        world = World(Path(name))
        before = world.put(b"77\n", 30 * 60)
        ConsolidationLock(name).peek()
        read_end, write_end = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setuid(65_534)
                refused = world.lock(20).try_acquire()
                assert world.lock(20).last_consolidated_at()
                assert world.lock(20).heal() is None
                os.write(write_end, str(refused).encode())
            finally:
                os._exit(0)
        os.close(write_end)
        os.waitpid(child, 0)
        told = os.read(read_end, 2_000).decode()
        os.close(read_end)
        assert "reason='failed'" in told
        assert "Permission denied. It can be read, not changed: give yourself the right" in told
        assert world.state() == before

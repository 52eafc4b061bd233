"""The lock by its words: who is let in, who is not and what they read, and what is put back.

Left out: contests of real processes, and every order of the steps.
"""

from __future__ import annotations

import errno
import os
import shutil
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock, to_nanoseconds
from memlab.dream import ConsolidationLock, Held, Refused
from memlab.dream.lock import LOCK
from memlab.memdir.folder import Folder

HOUR = 3_600


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
        assert not refused, "a refusal is false"
        return refused

    def put(self, body: bytes, minutes_ago: float) -> tuple[bytes, int]:
        self.path.write_bytes(body)
        stamp = to_nanoseconds(self.clock.now() - timedelta(minutes=minutes_ago))
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
    assert (held.last, held.due, world.last()) == (None, None, start)


def test_whoever_comes_second_is_told_who_has_it_and_until_when(world: World) -> None:
    first, _ = world.held()
    world.clock.advance(20 * 60)
    refused = world.refused()
    assert refused == Refused(
        "No dream now: process 10 is consolidating this memory, for 20 min. "
        "It may be taken over from 2026-03-30T10:00Z on."
    )
    assert world.lock(20).peek() == refused
    assert "process 10 is" in world.refused(10).message, "one process id twice is still two"
    assert first.still_mine()


@pytest.mark.behaviour("J4")
def test_a_finished_dream_leaves_its_time_and_lets_others_in(world: World) -> None:
    start = world.clock.now()
    lock, _ = world.held(token="t1")
    world.clock.advance(10 * 60)
    assert lock.finish()
    assert world.path.read_text() == "10\ntoken t1\nbefore none\ndone\n"
    assert world.last() == start, "the consolidation counts from when it began"
    assert world.lock(20).peek() is None
    assert world.held(20)[1].last == start
    assert not lock.finish()
    assert not lock.rollback()


@pytest.mark.parametrize("body", [b"", b"77\n", b"77\ntoken x\nbefore none\ndone\n", b"\xff\x00"])
def test_a_failed_dream_leaves_no_trace(world: World, body: bytes) -> None:
    world.put(body, minutes_ago=30 * 60)
    os.utime(world.path, ns=(1, 1_774_000_000_123_456_789))
    before = world.state()
    lock, _ = world.held()
    assert world.state() != before
    assert lock.rollback()
    assert world.state() == before
    assert not lock.rollback(), "once"


@pytest.mark.behaviour("J4")
def test_no_lock_before_is_no_lock_after(world: World) -> None:
    lock, _ = world.held()
    assert lock.rollback()
    assert not world.path.exists()
    assert world.last() is None


def test_a_holder_that_lost_the_lock_can_end_nothing(world: World) -> None:
    slow, _ = world.held(10)
    world.clock.advance(HOUR - 1)
    assert "process 10 is" in world.refused().message
    world.clock.advance(1)
    quick, _ = world.held(20)
    now = world.state()
    with slow.guarded() as mine:
        assert not mine
    assert not slow.still_mine()
    assert not slow.rollback()
    assert not slow.finish()
    assert world.state() == now
    assert quick.still_mine()


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


def test_healing_where_nothing_is_wrong_touches_nothing(world: World) -> None:
    assert world.lock(20).heal() is None
    assert list(world.directory.iterdir()) == []
    foreign = world.put(b"77", 10)
    assert world.lock(20).heal() is None
    assert world.state() == foreign, "another client's stamp may be a real consolidation"
    world.path.unlink()
    world.held(10)
    world.alive.clear()
    assert "as before: none yet" in (world.lock(20).heal() or "")
    assert not world.path.exists()


@pytest.mark.behaviour("J3")
@pytest.mark.parametrize("body", ["0", "-5", " 12_3 ", "\u0661\u0662", "ten", "", "\xff\x00"])
def test_a_body_that_names_nobody_holds_for_an_hour(world: World, body: str) -> None:
    world.alive |= {0, -5, 12, 123}
    world.put(body.encode(), minutes_ago=59)
    assert world.refused() == Refused(
        "No dream now: a lock that names no process may be in the making, for 59 min. "
        "It may be taken over from 2026-03-30T09:01Z on."
    )
    world.clock.advance(60)
    assert world.held()


@pytest.mark.behaviour("J2", "J3")
def test_a_client_that_writes_only_its_id_is_respected(world: World) -> None:
    for body in (b"10", b"10\n", b"10\r\n"):
        world.put(body, 10)
        assert "process 10 is" in world.refused().message
    world.put(b"10\ntoken x\nbefore none\n", 61)
    assert world.held(20), "an id that is in use again holds no longer than the lease"
    world.put(b"99", 10)
    assert world.held()


@pytest.mark.behaviour("J5")
def test_a_time_to_come_is_unknown_and_keeps_nobody_out(world: World) -> None:
    world.put(b"10\n", minutes_ago=-6)
    assert world.last() is None
    assert world.held(20)
    world.put(b"10\n", minutes_ago=-4)
    assert world.last() is not None
    assert "for 0 min" in world.refused().message


@pytest.mark.behaviour("K1")
def test_what_is_due_survives_until_a_dream_has_looked_at_it(world: World) -> None:
    span = (1_774_000_000_000_000_000, 1_774_000_100_000_000_000)
    lock, _ = world.held()
    assert lock.finish(span)
    assert world.path.read_text().endswith("done\ndue {} {}\n".format(*span))

    def due() -> object:
        reader = world.lock()
        assert reader.due() is None, "nothing is read before a stat"
        reader.last_consolidated_at()
        return reader.due()

    assert due() == span
    lock, held = world.held()
    assert held.due == span
    assert lock.rollback()
    assert due() == span, "after a failure"
    world.held()
    world.alive.clear()
    assert world.lock(20).heal()
    assert due() == span, "after a crash that was healed"
    world.held(20)
    lock, held = world.held()
    assert held.due == span, "after a crash that was taken over"
    assert lock.finish()
    assert due() is None


@pytest.mark.behaviour("J5")
@pytest.mark.parametrize("call", ["make", "create", "rename", "read"])
def test_a_disk_that_says_no_is_a_refusal(
    world: World, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = world.put(b"77\n", 30 * 60)

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as broken:
        broken.setattr(Folder, call, fail)
        assert "Make sure that you may read and write it" in world.refused().message
    assert world.state() == before
    assert world.held(20), "and the guard is free again"


def test_a_guard_that_is_not_to_be_had_is_a_refusal(world: World) -> None:
    lock, _ = world.held(10)
    with lock.guarded() as mine:
        assert mine
        assert "another process is writing" in world.refused(20, wait=0).message
    assert "process 10 is" in world.refused(20).message


def test_a_directory_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    world = World(tmp_path / "memory")
    lock, _ = world.held()
    shutil.rmtree(world.directory)
    assert not lock.still_mine()
    assert not lock.rollback()
    assert not world.directory.exists()


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

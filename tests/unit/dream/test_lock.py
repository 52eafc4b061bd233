"""The lock by its words: who is let in, what is put back, and when. Contests are in ``faults``."""

from __future__ import annotations

import errno
import os
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from memlab.clock import CourseClock, to_nanoseconds
from memlab.dream.lock import LOCK, ConsolidationLock, Held, Refused
from memlab.memdir.folder import Folder

Patch = pytest.MonkeyPatch


class World:
    """A memory directory, a clock, and the process ids in use."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.clock, self.alive = directory, CourseClock(), {10, 20}
        self.path = directory / LOCK

    def lock(self, pid: int = 10, **more: Any) -> ConsolidationLock:
        more = {"clock": self.clock, "alive": self.alive.__contains__} | more
        return ConsolidationLock(self.directory, pid=pid, **more)

    def held(self, pid: int = 10, **more: Any) -> tuple[ConsolidationLock, Held]:
        lock = self.lock(pid, **more)
        held = lock.try_acquire()
        assert isinstance(held, Held), held
        return lock, held

    def refused(self, pid: int = 20, **more: Any) -> str:
        refused = self.lock(pid, **more).try_acquire()
        assert isinstance(refused, Refused)
        return refused.message

    def put(self, body: bytes, minutes_ago: float) -> tuple[bytes, int]:
        self.path.write_bytes(body)
        os.utime(self.path, ns=(self.stamp(minutes_ago / 60),) * 2)
        return self.state()

    def stamp(self, hours: float) -> int:
        return to_nanoseconds(self.clock.now() - timedelta(hours=hours))

    def state(self) -> tuple[bytes, int]:
        return self.path.read_bytes(), self.path.stat().st_mtime_ns

    def last(self) -> datetime | None:
        return self.lock().last_consolidated_at()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.behaviour("J2", "J4")
def test_a_finished_dream_leaves_its_time_and_lets_others_in(world: World) -> None:
    start = world.clock.now()
    lock, held = world.held(token="t1")
    assert world.path.read_text() == "10\ntoken t1\nbefore none\n"
    assert (held.last, held.due, world.last()) == (None, None, start)
    world.clock.advance(20 * 60)
    for pid in (20, 10):  # one process id twice is still two
        said = world.refused(pid)
        assert re.search("process 10 .* for 20 min", said)
        assert "2026-03-30T10:00Z" in said
    assert (lock.still_mine(), lock.finish()) == (True, True)
    assert world.path.read_text() == "10\ntoken t1\nbefore none\ndone\n"
    assert world.last() == start, "the consolidation counts from when it began"
    assert world.held(20)[1].last == start
    assert (lock.finish(), lock.rollback()) == (False, False)


@pytest.mark.behaviour("J4")
@pytest.mark.parametrize("body", [None, b"", b"77\ntoken x\ndone\n", b"\xff\0"])
def test_kill_and_error_path_roll_back_once(world: World, body: bytes | None) -> None:
    before = body is not None and world.put(body, 30 * 60 + 0.123)
    lock, _ = world.held()
    assert world.state() != before
    with ThreadPoolExecutor(8) as pool:
        told = [*pool.map(lambda _: lock.rollback(), range(8))]
    assert sorted(told) == [False] * 7 + [True]
    assert (world.path.exists() and world.state()) == before


@pytest.mark.behaviour("J3")
def test_a_holder_that_lost_the_lock_can_end_nothing(world: World) -> None:
    slow, _ = world.held(10)
    world.clock.advance(3_599)
    assert "process 10 " in world.refused()
    world.clock.advance(1)  # the lease is over, and the process lives
    quick, _ = world.held(20)
    now = world.state()
    with slow.guarded() as mine:
        assert not mine
    assert (slow.still_mine(), slow.rollback(), slow.finish()) == (False, False, False)
    assert world.state() == now
    assert quick.still_mine()


@pytest.mark.behaviour("J5")
@pytest.mark.parametrize("body", [b"77\n", None])
def test_healing_puts_back_the_stamp(world: World, body: bytes | None) -> None:
    before = body and world.put(body, 30 * 60)
    assert world.lock(20).heal() is None
    assert isinstance(world.lock(20).foresee(), Held)
    assert (body and world.state()) == before, "looking touches nothing"
    world.held(10)
    assert world.lock(20).heal() is None, "a living holder is left alone"
    world.clock.advance(5 * 60)
    world.alive.clear()
    assert world.last() == world.clock.now() - timedelta(minutes=5), "shut for a day"
    said = world.lock(20).heal() or ""
    assert ("process 10 " in said, "2026-03-29T03:00Z" in said) == (True, bool(body))
    assert world.last() == (datetime(2026, 3, 29, 3, tzinfo=UTC) if before else None)
    assert (world.lock(20).heal(), world.lock(20).peek()) == (None, None)


BODIES = r"10|10 held, 10\r\n|59 held, 10|61 free, 99|10 free, 10|-4 held, 10|-6 free"
NOBODY = r"0|59 held, -5|59 held, 12_3|59 held, |59 held, \xff\0|59 held, 0|61 free, |61 free"


@pytest.mark.behaviour("J2", "J3", "J5")
@pytest.mark.parametrize("row", f"{BODIES}, {NOBODY}".split(", "))
def test_whose_lock_it_is_by_its_body_and_age(world: World, row: str) -> None:
    """A client may write only its id; a body that names nobody holds for an hour as well."""
    world.alive |= {0, -5, 12, 123}
    body, state = row.split("|")
    minutes, wanted = state.split()
    world.put(body.encode().decode("unicode_escape").encode("latin-1"), float(minutes))
    assert (world.last() is None) == (minutes == "-6")
    assert bool(world.lock(20).try_acquire()) == (wanted == "free")


@pytest.mark.behaviour("K1")
def test_what_is_due_survives_until_a_dream_has_looked_at_it(world: World) -> None:
    span = (1_774_000_000_000_000_000, 1_774_000_100_000_000_000)
    lock, _ = world.held()
    assert lock.finish(span)
    assert world.path.read_text().endswith("done\ndue {} {}\n".format(*span))
    lock, held = world.held()
    assert (held.due, lock.rollback()) == (span, True)
    world.held()
    world.alive.clear()
    world.held(20)  # after a crash that was healed, and one that was taken over
    assert world.held()[1].due == span


@pytest.mark.behaviour("J5")
@pytest.mark.parametrize("call", ["make", "create", "rename", "read"])
def test_a_disk_that_says_no(world: World, call: str, monkeypatch: Patch) -> None:
    before = world.put(b"77\n", 30 * 60)
    with monkeypatch.context() as broken:
        refuse = mock.Mock(side_effect=OSError(errno.EROFS, "Read-only"))
        broken.setattr(Folder, call, refuse)
        assert "Read-only" in world.refused()
    assert world.state() == before
    assert world.held(20)  # the guard is free again

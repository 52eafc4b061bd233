"""The lock, and the gates before it: who is let in and when. Contests are in ``faults``."""

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
from memlab.dream import GateReport, ScanThrottle, Situation, check_gates
from memlab.dream.lock import LOCK, ConsolidationLock, Held, Refused
from memlab.memdir.folder import Folder
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings

Patch = pytest.MonkeyPatch
ON, AT_ONCE = Toggles(auto_dream=True), Toggles(auto_dream=True, min_hours=0)
COSTS: dict[str, dict[str, int]] = {"toggles": {}, "time": {"stats": 1}, "throttle": {}}
COSTS |= {"sessions": {"listings": 1, "stats": 9, "reads": 0}, "lock": {"stats": 2, "reads": 1}}


class World:
    """A memory directory and the sessions beside it, and the process ids in use."""

    def __init__(self, root: Path) -> None:
        self.sessions, self.directory = root, root / "memory"
        self.directory.mkdir()
        self.clock, self.throttle, self.alive = CourseClock(), ScanThrottle(), {10, 20}
        self.path = self.directory / LOCK

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

    def dreamt(self, hours: float, *due: float) -> None:
        """Leave what a dream leaves that ended well so many hours ago."""
        lock, _ = self.held()
        lock.finish((self.stamp(due[0]), self.stamp(due[1])) if due else None)
        os.utime(lock.path, ns=(self.stamp(hours),) * 2)

    def write(self, count: int, hours: float = 1, name: str = "s") -> None:
        for number in range(count):
            path = self.sessions / f"{name}{number}.jsonl"
            path.touch()
            os.utime(path, ns=(self.stamp(hours + number / 60),) * 2)

    def check(self, toggles: Toggles = ON, **more: Any) -> GateReport:
        given: dict[str, Any] = {"sessions": self.sessions, "clock": self.clock}
        given |= {"lock": self.lock(), "throttle": self.throttle, "settings": Settings()}
        given |= {"current_session": "now0"}
        return check_gates(Situation(toggles=toggles, **given | more))


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


def shut(report: GateReport) -> str:
    assert bool(report) == (report.shut is None)
    return "" if report.shut is None else report.shut.name


TIMES = "23.99 24 time, 24 24 -, 24 30 time, 30 30 -, -.06 24 time, -.1 24 -, no 30 -"


@pytest.mark.behaviour("J1")
@pytest.mark.parametrize("row", TIMES.split(", "))
def test_the_time_gate_opens_after_24_hours(world: World, row: str) -> None:
    """A time that lies more than five minutes ahead is as good as none."""
    hours, least, which = row.split()
    if hours != "no":
        world.dreamt(float(hours))
    world.write(5, hours=-1)
    flag = Toggles(auto_dream=True, min_hours=None if least == "24" else float(least))
    assert shut(world.check(flag)) == which.strip("-")


@pytest.mark.behaviour("J1")
def test_the_throttle_keeps_from_listing_every_turn(world: World) -> None:
    world.write(4)
    found = []
    for _ in range(31):  # a turn a minute
        found.append(shut(world.check()))
        world.clock.advance(60)
    assert [at for at in range(31) if found[at] == "sessions"] == [0, 10, 20, 30]
    assert {*found} == {"sessions", "throttle"}
    # the clock was set back
    world.throttle.last = world.clock.now() + timedelta(hours=9)
    assert shut(world.check()) == "sessions"


@pytest.mark.behaviour("J1")
def test_only_others_since_then_count_and_at_what_cost(world: World) -> None:
    world.dreamt(30)
    world.write(3, hours=40, name="old")
    world.write(1, hours=30, name="same")
    world.write(1, name="now")
    world.write(4, hours=2)
    assert shut(world.check()) == "sessions"
    world.write(5, hours=2)
    report = world.check(throttle=ScanThrottle())
    assert [path.stem for path in report.sessions] == ["s4", "s3", "s2", "s1", "s0"]
    assert [(one.name, one.cost) for one in report.verdicts] == [*COSTS.items()]
    flagged = Toggles(auto_dream=True, min_sessions=6)
    assert shut(world.check(flagged, throttle=ScanThrottle())) == "sessions"


@pytest.mark.behaviour("K1")
def test_sessions_that_did_not_fit_count_and_come_first(world: World) -> None:
    world.dreamt(30, 42, 40)
    world.write(4, hours=40, name="due")
    world.write(3, hours=50, name="old")
    world.write(1)
    found = " ".join(one.stem for one in world.check().sessions)
    assert found == "due3 due2 due1 due0 s0"


@pytest.mark.behaviour("J1")
def test_a_shut_time_gate_costs_one_stat(world: World) -> None:
    world.dreamt(3)
    spy = mock.Mock(wraps=os.lstat)
    with mock.patch.multiple(os, lstat=spy, open=None, scandir=None):
        assert shut(world.check()) == "time"
    assert spy.mock_calls == [mock.call(world.path)]


@pytest.mark.behaviour("J6")
def test_by_hand_it_is_never_too_early_but_never_beside_another(world: World) -> None:
    world.dreamt(0.1)
    world.write(1, hours=0.05)
    assert not world.check()
    for toggles in (ON, Toggles(), Toggles(daily_log=True)):
        assert len(world.check(toggles, manual=True).sessions) == 1
    world.write(5, hours=-1)
    world.held(20)
    for report in (world.check(AT_ONCE), world.check(manual=True)):
        assert shut(report) == "lock"
        assert "process 20" in str(report.shut)


SWITCHES = """auto_dream: | : auto_dream | auto_dream daily_log: daily_log
    | by hand daily_log: | by hand auto_memory: auto_memory | by hand remote bare: remote bare"""


@pytest.mark.behaviour("L4", "J6")
@pytest.mark.parametrize("row", SWITCHES.split("|"))
def test_the_switches_that_shut_the_first_gate(world: World, row: str) -> None:
    switched, against = (part.split() for part in row.split(":"))
    manual = "hand" in switched
    world.write(5)
    named = {*switched} - {"by", "hand"}
    states: dict[str, Any] = {name: name != "auto_memory" for name in named}
    report = world.check(Toggles(**states), manual=manual)
    assert shut(report) == ("toggles" if against else "")
    assert all(f"{name} is " in str(report.shut) for name in against)

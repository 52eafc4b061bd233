from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock, to_nanoseconds
from memlab.dream import ConsolidationLock, GateReport, Held, ScanThrottle, Situation, check_gates
from memlab.dream.gates import GATES, Verdict
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings

ON = Toggles(auto_dream=True)
AT_ONCE = Toggles(auto_dream=True, min_hours=0)
PID, OTHER = 4_100, 4_200


class Scene:
    """A memory directory, its sessions and one process's throttle, on the course clock."""

    def __init__(self, root: Path) -> None:
        self.clock, self.throttle = CourseClock(), ScanThrottle()
        self.sessions, self.memory = root, root / "memory"
        self.memory.mkdir(parents=True)
        self.settings, self.alive = Settings(), {PID, OTHER}

    def lock(self, pid: int = PID) -> ConsolidationLock:
        return ConsolidationLock(
            self.memory,
            clock=self.clock,
            settings=self.settings,
            pid=pid,
            alive=self.alive.__contains__,
        )

    def dreamt(self, *, hours: float, due: tuple[float, float] | None = None) -> None:
        """Leave what a dream leaves that ended well so many hours ago."""
        lock = self.lock()
        assert isinstance(lock.try_acquire(), Held)
        lock.finish(due and (self.stamp(due[0]), self.stamp(due[1])))
        os.utime(lock.path, ns=(self.stamp(hours),) * 2)

    def stamp(self, hours: float) -> int:
        return to_nanoseconds(self.clock.now() - timedelta(hours=hours))

    def write_sessions(self, count: int, *, hours: float = 1, prefix: str = "s") -> None:
        for number in range(count):
            path = self.sessions / f"{prefix}{number}.jsonl"
            path.write_text("{}\n", "utf-8")
            os.utime(path, ns=(self.stamp(hours + number / 60),) * 2)

    def check(self, toggles: Toggles = ON, **more: Any) -> GateReport:
        rest = {name: more.pop(name) for name in ("chain", "gates") if name in more}
        given: dict[str, Any] = {
            "lock": self.lock(),
            "toggles": toggles,
            "sessions": self.sessions,
            "current_session": "now",
            "clock": self.clock,
            "settings": self.settings,
            "throttle": self.throttle,
        }
        return check_gates(Situation(**given | more), **rest)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "-home-robin-tidebook")


def asked(report: GateReport) -> list[str]:
    return [f"{verdict.name} {'open' if verdict else 'shut'}" for verdict in report.verdicts]


def shut(report: GateReport) -> tuple[str, str]:
    """The gate that is shut, and why."""
    assert report.shut is not None
    assert not report
    return report.shut.name, report.shut.reason


# What is asked, in order: the one place in the tests that lists the gates.
NAMES = ["toggles", "time", "throttle", "sessions", "lock"]
ALL_OPEN = [f"{name} open" for name in NAMES]


@pytest.mark.behaviour("J1")
def test_all_are_asked_in_order_and_each_says_why_and_at_what_cost(scene: Scene) -> None:
    scene.dreamt(hours=30)
    scene.write_sessions(6)
    report = scene.check()
    assert report
    assert report.verdicts == (
        Verdict("toggles", True, "every switch allows it"),
        Verdict("time", True, "30.0 h since the last consolidation, 24 needed", {"stats": 1}),
        Verdict("throttle", True, "no session scan yet"),
        Verdict(
            "sessions",
            True,
            "6 other sessions since then, 5 needed",
            {"listings": 1, "stats": 6, "reads": 0},
        ),
        Verdict("lock", True, "the lock is free", {"stats": 2, "reads": 1}),
    )
    assert report.hours_since == 30
    assert all((gate.__doc__ or "").split("\n")[0].endswith("?") for gate in GATES)


def test_without_a_lock_or_with_a_time_to_come_every_session_counts(scene: Scene) -> None:
    scene.write_sessions(5, hours=9_000)
    first = scene.check()
    assert (asked(first), first.hours_since, len(first.sessions)) == (ALL_OPEN, None, 5)
    scene.dreamt(hours=-4 / 60)
    near = scene.check()
    assert (near.hours_since, asked(near)[-1]) == (0, "time shut")
    scene.dreamt(hours=-6 / 60)
    far = scene.check(throttle=ScanThrottle())
    assert asked(far) == ALL_OPEN
    assert far.verdicts[1].reason == "no consolidation is known, or its time is in the future"


@pytest.mark.behaviour("J1")
def test_the_throttle_keeps_a_shut_session_gate_from_listing_every_turn(scene: Scene) -> None:
    scene.write_sessions(4)
    found = []
    for _ in range(31):  # a turn a minute
        found.append(shut(scene.check())[0])
        scene.clock.advance(60)
    assert [number for number, name in enumerate(found) if name == "sessions"] == [0, 10, 20, 30]
    assert set(found) == {"sessions", "throttle"}
    scene.clock.advance(119)
    said = "2.9 min since the last session scan, 10 needed"
    assert shut(scene.check()) == ("throttle", said)
    assert shut(scene.check(throttle=ScanThrottle()))[0] == "sessions", "another process's own"


def test_only_other_transcripts_written_to_since_the_last_dream_count_oldest_first(
    scene: Scene,
) -> None:
    scene.dreamt(hours=30)
    scene.write_sessions(3, hours=40, prefix="old")
    scene.write_sessions(1, hours=30, prefix="same")
    scene.write_sessions(5, hours=2)
    scene.write_sessions(1, prefix="now")
    (scene.sessions / "now0.jsonl").rename(scene.sessions / "now.jsonl")
    (scene.sessions / "notes.txt").write_text("no transcript", "utf-8")
    report = scene.check()
    assert [path.name for path in report.sessions] == [f"s{n}.jsonl" for n in (4, 3, 2, 1, 0)]
    report = scene.check(sessions=scene.sessions / "nowhere", throttle=ScanThrottle())
    assert shut(report) == ("sessions", "0 other sessions since then, 5 needed")


@pytest.mark.behaviour("K1")
def test_sessions_that_did_not_fit_count_and_come_first(scene: Scene) -> None:
    scene.dreamt(hours=30, due=(42, 40))
    scene.write_sessions(4, hours=40, prefix="due")
    scene.write_sessions(3, hours=50, prefix="old")
    scene.write_sessions(1)
    report = scene.check()
    assert asked(report) == ALL_OPEN
    names = ["due3", "due2", "due1", "due0", "s0"]
    assert [path.stem for path in report.sessions] == names
    assert report.verdicts[3].cost == {"listings": 1, "stats": 8, "reads": 1}


def test_what_cannot_be_read_shuts_its_gate(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.write_sessions(5)

    def refuse(path: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as broken:
        broken.setattr(os, "lstat", refuse)
        assert shut(scene.check()) == ("time", "cannot be read: Permission denied")


def test_a_holder_at_work_shuts_the_last_gate_and_is_named(scene: Scene) -> None:
    """With 24 hours the lock's own mtime shuts the time gate first; here none are needed."""
    scene.write_sessions(5, hours=-1)
    assert isinstance(scene.lock(OTHER).try_acquire(), Held)
    assert shut(scene.check())[0] == "time"
    name, why = shut(scene.check(AT_ONCE))
    assert name == "lock"
    assert f"process {OTHER} is consolidating this memory" in why
    assert shut(scene.check(manual=True))[0] == "lock", "by hand, too"
    scene.alive.discard(OTHER)
    assert scene.check(AT_ONCE, throttle=ScanThrottle())


@pytest.mark.behaviour("J6")
def test_a_manual_dream_is_never_too_early_and_needs_no_sessions(scene: Scene) -> None:
    scene.dreamt(hours=0.1)
    scene.write_sessions(1, hours=0.05)
    assert not scene.check()
    for toggles in (ON, Toggles(), Toggles(daily_log=True)):
        report = scene.check(toggles, manual=True)
        assert asked(report) == ALL_OPEN
        assert [path.name for path in report.sessions] == ["s0.jsonl"]
    assert scene.throttle.last is None


@pytest.mark.behaviour("J1")
def test_a_shut_time_gate_costs_one_stat(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.dreamt(hours=3)
    scene.write_sessions(6)
    seen: list[object] = []
    real = os.lstat

    def counted(path: object) -> os.stat_result:
        seen.append(path)
        return real(path)  # type: ignore[arg-type]

    with monkeypatch.context() as watched:
        watched.setattr(os, "lstat", counted)
        watched.setattr(os, "open", None)
        watched.setattr(os, "scandir", None)
        assert shut(scene.check())[0] == "time"
    assert seen == [scene.lock().path]


@pytest.mark.behaviour("L4", "J6")
@pytest.mark.parametrize(
    ("states", "manual", "why"),
    [
        ({"auto_dream": True}, False, ""),
        ({}, False, "auto_dream is off (default)"),
        ({"auto_dream": True, "daily_log": True}, False, "daily_log is on (default)"),
        ({"daily_log": True}, True, ""),
        ({"auto_memory": False}, True, "auto_memory is off (default)"),
        ({"remote": True, "bare": True}, True, "remote is on (default); bare is on (default)"),
    ],
)
def test_the_switches_that_shut_the_first_gate(
    scene: Scene, states: dict[str, bool], manual: bool, why: str
) -> None:
    scene.write_sessions(5)
    report = scene.check(Toggles(**states), manual=manual)
    assert bool(report) == (not why)
    if why:
        assert shut(report) == ("toggles", why)
        assert report.verdicts[0].cost == {}


@pytest.mark.parametrize(
    ("hours", "shown", "state"), [(23.9999, "23.9", "shut"), (24, "24.0", "open")]
)
def test_the_time_gate_opens_after_24_hours_or_those_of_a_flag(
    scene: Scene, hours: float, shown: str, state: str
) -> None:
    scene.dreamt(hours=hours)
    report = scene.check()
    assert f"time {state}" in asked(report)
    assert report.verdicts[1].reason == f"{shown} h since the last consolidation, 24 needed"
    flagged = scene.check(Toggles(auto_dream=True, min_hours=30))
    assert shut(flagged) == ("time", f"{shown} h since the last consolidation, 30 needed")

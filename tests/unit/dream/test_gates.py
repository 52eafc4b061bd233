"""When a dream is due: five gates, the cheapest first, up to the first that is shut."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from memlab.dream import GateReport, ScanThrottle, Situation, check_gates
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings
from tests.unit.dream.test_lock import World

Patch = pytest.MonkeyPatch
ON, AT_ONCE = Toggles(auto_dream=True), Toggles(auto_dream=True, min_hours=0)
SAID: dict[str, tuple[str, dict[str, int]]] = {
    "toggles": ("every switch", {}),
    "time": ("30.0 h since", {"stats": 1}),
    "throttle": ("no session scan", {}),
    "sessions": ("5 other", {"listings": 1, "stats": 9, "reads": 0}),
    "lock": ("is free", {"stats": 2, "reads": 1}),
}


class Scene(World):
    """A memory directory, the sessions beside it, and one process's throttle."""

    def __init__(self, root: Path) -> None:
        super().__init__(root / "memory")
        self.directory.mkdir()
        self.sessions, self.throttle = root, ScanThrottle()

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
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def shut(report: GateReport) -> str:
    assert bool(report) == (report.shut is None)
    return "" if report.shut is None else report.shut.name


TIMES = "23.99 24 time, 24 24 -, 24 30 time, 30 30 -, -.06 24 time, -.1 24 -, no 30 -"


@pytest.mark.behaviour("J1")
@pytest.mark.parametrize("row", TIMES.split(", "))
def test_the_time_gate_opens_after_24_hours(scene: Scene, row: str) -> None:
    """A time that lies more than five minutes ahead is as good as none."""
    hours, least, which = row.split()
    if hours != "no":
        scene.dreamt(float(hours))
    scene.write(5, hours=-1)
    flag = Toggles(auto_dream=True, min_hours=None if least == "24" else float(least))
    assert shut(scene.check(flag)) == which.strip("-")


@pytest.mark.behaviour("J1")
def test_the_throttle_keeps_from_listing_every_turn(scene: Scene) -> None:
    scene.write(4)
    found = []
    for _ in range(31):  # a turn a minute
        found.append(shut(scene.check()))
        scene.clock.advance(60)
    assert [at for at in range(31) if found[at] == "sessions"] == [0, 10, 20, 30]
    assert {*found} == {"sessions", "throttle"}
    # the clock was set back
    scene.throttle.last = scene.clock.now() + timedelta(hours=9)
    assert shut(scene.check()) == "sessions"


@pytest.mark.behaviour("J1")
def test_only_others_since_then_count_and_at_what_cost(scene: Scene) -> None:
    scene.dreamt(30)
    scene.write(3, hours=40, name="old")
    scene.write(1, hours=30, name="same")
    scene.write(1, name="now")
    scene.write(4, hours=2)
    assert shut(scene.check()) == "sessions"
    scene.write(5, hours=2)
    report = scene.check(throttle=ScanThrottle())
    assert [path.stem for path in report.sessions] == ["s4", "s3", "s2", "s1", "s0"]
    assert [one.name for one in report.verdicts] == [*SAID]
    for one in report.verdicts:
        reason, cost = SAID[one.name]
        assert (reason in one.reason, one.cost) == (True, cost)
    flagged = Toggles(auto_dream=True, min_sessions=6)
    assert shut(scene.check(flagged, throttle=ScanThrottle())) == "sessions"


@pytest.mark.behaviour("K1")
def test_sessions_that_did_not_fit_count_and_come_first(scene: Scene) -> None:
    scene.dreamt(30, 42, 40)
    scene.write(4, hours=40, name="due")
    scene.write(3, hours=50, name="old")
    scene.write(1)
    found = " ".join(one.stem for one in scene.check().sessions)
    assert found == "due3 due2 due1 due0 s0"


@pytest.mark.behaviour("J1")
def test_a_shut_time_gate_costs_one_stat(scene: Scene, monkeypatch: Patch) -> None:
    scene.dreamt(3)
    scene.write(6)
    spy = mock.Mock(wraps=os.lstat)
    with monkeypatch.context() as watched:
        for name, call in (("lstat", spy), ("open", None), ("scandir", None)):
            watched.setattr(os, name, call)
        assert shut(scene.check()) == "time"
    assert spy.mock_calls == [mock.call(scene.lock().path)]


@pytest.mark.behaviour("J6")
def test_by_hand_it_is_never_too_early_but_never_beside_another(scene: Scene) -> None:
    scene.dreamt(0.1)
    scene.write(1, hours=0.05)
    assert not scene.check()
    for toggles in (ON, Toggles(), Toggles(daily_log=True)):
        assert len(scene.check(toggles, manual=True).sessions) == 1
    scene.write(5, hours=-1)
    scene.held(20)
    for report in (scene.check(AT_ONCE), scene.check(manual=True)):
        assert shut(report) == "lock"
        assert "process 20" in str(report.shut)


SWITCHES = """auto_dream: | : auto_dream | auto_dream daily_log: daily_log
    | by hand daily_log: | by hand auto_memory: auto_memory | by hand remote bare: remote bare"""


@pytest.mark.behaviour("L4", "J6")
@pytest.mark.parametrize("row", SWITCHES.split("|"))
def test_the_switches_that_shut_the_first_gate(scene: Scene, row: str) -> None:
    switched, against = (part.split() for part in row.split(":"))
    manual = "hand" in switched
    scene.write(5)
    named = {*switched} - {"by", "hand"}
    states: dict[str, Any] = {name: name != "auto_memory" for name in named}
    report = scene.check(Toggles(**states), manual=manual)
    assert shut(report) == ("toggles" if against else "")
    assert all(f"{name} is " in report.verdicts[0].reason for name in against)

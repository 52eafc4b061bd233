from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import STORY_START, CourseClock
from memlab.dream.gates import (
    GATES,
    Gate,
    GateReport,
    ScanThrottle,
    check_gates,
    gate_chain,
    gate_limits,
)
from memlab.dream.lock import ConsolidationLock, Held
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings
from tests.platforms import needs_limited_user, needs_strace

ON = Toggles(auto_dream=True)
PID, OTHER = 4_100, 4_200


class Scene:
    """A memory directory, its sessions and one process's throttle, on the course clock."""

    def __init__(self, root: Path) -> None:
        self.clock, self.throttle = CourseClock(), ScanThrottle()
        self.sessions, self.memory = root, root / "memory"
        self.memory.mkdir(parents=True)
        self.settings, self.alive = Settings(), {PID, OTHER}
        self.stats: list[str] = []
        self.listings: list[str] = []

    def lock(self, pid: int = PID) -> ConsolidationLock:
        return ConsolidationLock(
            self.memory,
            clock=self.clock,
            settings=self.settings,
            pid=pid,
            alive=lambda pid: pid in self.alive,
        )

    def dreamt(self, *, hours: float) -> None:
        """Leave what a dream leaves that ended well so many hours ago."""
        assert isinstance(self.lock().try_acquire(), Held)
        text = self.lock().path.read_bytes() + b"done\n"
        self.write_lock(text, hours=hours)

    def write_lock(self, text: bytes, *, hours: float) -> None:
        self.lock().path.write_bytes(text)
        self.age(self.lock().path, hours)

    def write_sessions(self, count: int, *, hours: float = 1, prefix: str = "s") -> None:
        for number in range(count):
            path = self.sessions / f"{prefix}{number}.jsonl"
            path.write_text("{}\n", "utf-8")
            self.age(path, hours + number / 60)

    def age(self, path: Path, hours: float) -> None:
        at = round((self.clock.now() - timedelta(hours=hours)).timestamp() * 1e6) * 1_000
        os.utime(path, ns=(at, at))

    def check(self, toggles: Toggles = ON, **more: Any) -> GateReport:
        def stat(path: Path) -> os.stat_result:
            self.stats.append(path.name)
            return os.lstat(path)

        def scandir(path: Path) -> Any:
            self.listings.append(path.name)
            return os.scandir(path)

        given: dict[str, Any] = {
            "lock": self.lock(),
            "toggles": toggles,
            "sessions": self.sessions,
            "current_session": "now",
            "clock": self.clock,
            "settings": self.settings,
            "throttle": self.throttle,
            "stat": stat,
            "scandir": scandir,
        }
        return check_gates(**given | more)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "-home-robin-tidebook")


def asked(report: GateReport) -> list[str]:
    return [f"{verdict.name} {'open' if verdict.open else 'shut'}" for verdict in report.verdicts]


# What is asked, in order: the one place in the tests that lists the gates.
NAMES = ["toggles", "time", "throttle", "sessions", "lock"]
ALL_OPEN = [f"{name} open" for name in NAMES]


@pytest.mark.behaviour("J1")
def test_all_are_asked_in_order_and_each_says_why_and_at_what_cost(scene: Scene) -> None:
    scene.dreamt(hours=30)
    scene.write_sessions(6)
    report = scene.check()
    assert asked(report) == ALL_OPEN
    assert report.open
    assert report.shut is None
    answers = {
        "toggles": ("every switch allows it", {}),
        "time": ("30.0 h since the last consolidation, 24 needed", {"stats": 1}),
        "throttle": ("no session scan yet", {}),
        "sessions": ("6 other sessions since then, 5 needed", {"listings": 1, "stats": 6}),
        "lock": ("the lock is free", {"stats": 2, "reads": 1}),
    }
    found = {verdict.name: (verdict.reason, dict(verdict.cost)) for verdict in report.verdicts}
    assert found | answers == found
    assert report.hours_since == 30
    assert report.verdicts[1].numbers == {"value": 30, "needed": 24}


def _is_open(limits: Any, gate: Gate, value: Any) -> bool:
    return not gate.is_shut(value, limits)


def test_each_row_of_the_table_can_be_open_and_shut_and_costs_what_it_says(scene: Scene) -> None:
    """One transcript, and by hand, so that every gate is asked."""
    scene.dreamt(hours=30)
    scene.write_sessions(1)
    report = scene.check(manual=True)
    assert {v.name: dict(v.cost) for v in report.verdicts} == {g.name: g.cost for g in GATES}
    limits = gate_limits(Settings())

    is_open = partial(_is_open, limits)

    def shut_gate(facts: dict[str, Any]) -> str:
        pairs = [(gate.name, partial(is_open, gate)) for gate in GATES]
        states = gate_chain(pairs, facts.__getitem__)
        return next((name for name, state in states if state == "shut"), "")

    assert [gate.name for gate in GATES] == NAMES
    for gate in GATES:
        facts = {each.name: each.open_value for each in GATES}
        assert shut_gate(facts) == ""
        facts[gate.name] = limits[gate.name] - 0.1 if gate.figure else not gate.opens_if
        assert shut_gate(facts) == gate.name
        if gate.figure:
            assert gate.figure.dial[1] < limits[gate.name] <= gate.open_value <= gate.figure.dial[2]
            facts[gate.name] = limits[gate.name]
            assert shut_gate(facts) == ""
            facts[gate.name] = None
            assert shut_gate(facts) == ""


@pytest.mark.behaviour("J1")
def test_no_gate_after_a_shut_one_is_asked() -> None:
    for gate in GATES:
        facts = {each.name: each.open_value for each in GATES}
        facts[gate.name] = -1 if gate.figure else not gate.opens_if
        asked: list[str] = []

        def look(name: str, facts: dict[str, Any] = facts, asked: list[str] = asked) -> Any:
            asked.append(name)
            return facts[name]

        is_open = partial(_is_open, gate_limits(Settings()))
        pairs = [(each.name, partial(is_open, each)) for each in GATES]
        states = gate_chain(pairs, look)
        place = NAMES.index(gate.name)
        assert asked == NAMES[: place + 1]
        assert [state for _, state in states] == [
            *["open"] * place,
            "shut",
            *["not asked"] * (len(NAMES) - place - 1),
        ]


@pytest.mark.parametrize(
    ("toggles", "reason"),
    [
        (Toggles(), "auto_dream is off (default)"),
        (
            Toggles(auto_dream=True, auto_memory=False, sources={"auto_memory": "user settings"}),
            "auto_memory is off (user settings)",
        ),
        (Toggles(auto_dream=True, daily_log=True), "daily_log is on (default)"),
        (
            Toggles(auto_dream=True, remote=True, sources={"remote": "MEMLAB_REMOTE"}),
            "remote is on (MEMLAB_REMOTE)",
        ),
        (Toggles(auto_dream=True, bare=True), "bare is on (default)"),
        (
            Toggles(bare=True),
            "bare is on (default); auto_dream is off (default)",
        ),
    ],
)
def test_a_switch_shuts_the_first_gate_without_a_look_at_the_disk(
    scene: Scene, toggles: Toggles, reason: str
) -> None:
    report = scene.check(toggles)
    assert asked(report) == ["toggles shut"]
    assert report.shut is not None
    assert report.shut.reason == reason
    assert (scene.stats, scene.listings, report.shut.cost) == ([], [], {})


@pytest.mark.behaviour("L4", "J6")
def test_the_table_of_all_combinations_that_open_and_shut_the_first_gate(scene: Scene) -> None:
    scene.write_sessions(5)
    names = ("auto_memory", "auto_dream", "daily_log", "remote", "bare", "fork", "manual")
    opened = []
    for states in product((True, False), repeat=len(names)):
        states_by_name = dict(zip(names, states, strict=True))
        said = dict(states_by_name)
        by_hand = {name: said.pop(name) for name in ("fork", "manual")}
        report = scene.check(Toggles(**said), **by_hand, throttle=ScanThrottle())
        if report.open:
            opened.append(frozenset(name for name, state in states_by_name.items() if state))
            continue
        assert report.shut is not None
        assert report.shut.name == "toggles"
        against = [
            *(["auto_memory is off"] * (not said["auto_memory"])),
            *(f"{name} is on" for name in ("remote", "bare") if said[name]),
            *(["auto_dream is off"] * (not said["auto_dream"] and not by_hand["manual"])),
            *(["daily_log is on"] * (said["daily_log"] and not by_hand["manual"])),
        ]
        reasons = [f"{one} (default)" for one in against]
        reasons = ["a fork does not dream"] * by_hand["fork"] + reasons
        assert report.shut.reason == "; ".join(reasons)
    by_hand_in_any_mode = [
        {"auto_memory", "manual", *more}
        for more in ([], ["auto_dream"], ["daily_log"], ["auto_dream", "daily_log"])
    ]
    assert set(opened) == set(map(frozenset, [{"auto_memory", "auto_dream"}, *by_hand_in_any_mode]))
    assert len(opened) == 5  # of 128


@pytest.mark.behaviour("J6")
def test_a_fork_never_dreams_not_even_by_hand(scene: Scene) -> None:
    for manual in (False, True):
        report = scene.check(fork=True, manual=manual)
        assert report.shut is not None
        assert report.shut.reason == "a fork does not dream"
    assert scene.stats == []


def test_recall_extraction_and_the_other_modes_do_not_matter_to_dreams(scene: Scene) -> None:
    scene.write_sessions(5)
    modes = Toggles(session_memory=True, team=True, personal=True)
    assert scene.check(replace(modes, auto_dream=True, recall=False, extraction=False)).open


@pytest.mark.parametrize(
    ("hours", "shown", "state"),
    [(0, "0.0", "shut"), (23.9999, "23.9", "shut"), (24, "24.0", "open"), (500, "500.0", "open")],
)
def test_the_time_gate_opens_after_24_hours_for_one_stat(
    scene: Scene, hours: float, shown: str, state: str
) -> None:
    scene.dreamt(hours=hours)
    report = scene.check()
    assert f"time {state}" in asked(report)
    assert report.verdicts[1].reason == f"{shown} h since the last consolidation, 24 needed"
    assert scene.stats[:1] == [".consolidate-lock"]
    if state == "shut":
        assert (scene.stats, scene.listings) == ([".consolidate-lock"], [])
        assert len(report.verdicts) == 2


@pytest.mark.parametrize("directory", ["empty", "missing"])
def test_without_a_lock_there_was_no_consolidation_and_every_session_counts(
    scene: Scene, directory: str
) -> None:
    if directory == "missing":
        scene.memory.rmdir()
    scene.write_sessions(5, hours=9_000)
    report = scene.check()
    assert asked(report) == ALL_OPEN
    assert report.hours_since is None
    assert len(report.sessions) == 5
    assert scene.memory.exists() == (directory == "empty")


def test_a_time_to_come_counts_as_unknown_from_five_minutes_on(scene: Scene) -> None:
    scene.write_sessions(5, hours=9_000)
    scene.dreamt(hours=-4 / 60)
    near = scene.check()
    assert asked(near) == ["toggles open", "time shut"]
    assert near.hours_since == 0
    scene.dreamt(hours=-6 / 60)
    far = scene.check()
    assert asked(far) == ALL_OPEN
    assert far.verdicts[1].reason == "no consolidation is known, or its time is in the future"
    assert (far.hours_since, len(far.sessions)) == (None, 5)


def test_the_numbers_of_a_flag_replace_the_settings(scene: Scene) -> None:
    scene.dreamt(hours=0)
    assert "time open" in asked(scene.check(Toggles(auto_dream=True, min_hours=0)))
    scene.throttle = ScanThrottle()
    scene.dreamt(hours=3)
    scene.write_sessions(2)
    flags = Toggles(auto_dream=True, min_hours=2, min_sessions=2)
    assert scene.check(flags).open
    report = scene.check(Toggles(auto_dream=True, min_hours=4))
    assert report.shut is not None
    assert report.shut.reason == "3.0 h since the last consolidation, 4 needed"
    scene.settings = Settings().with_changes(dream_min_hours=1, dream_min_sessions=3)
    scene.throttle = ScanThrottle()
    report = scene.check()
    assert report.shut is not None
    assert report.shut.reason == "2 other sessions since then, 3 needed"


@pytest.mark.behaviour("J1")
def test_the_throttle_keeps_a_shut_session_gate_from_listing_every_turn(scene: Scene) -> None:
    scene.write_sessions(4)
    shut = []
    for _ in range(31):  # a turn a minute
        report = scene.check()
        shut.append(report.shut.name if report.shut is not None else "")
        scene.clock.advance(60)
    assert shut.count("sessions") == len(scene.listings) == 4
    assert [number for number, name in enumerate(shut) if name == "sessions"] == [0, 10, 20, 30]
    assert set(shut) == {"sessions", "throttle"}


def test_the_throttle_says_how_long_ago_the_scan_was(scene: Scene) -> None:
    scene.check()
    scene.clock.advance(3 * 60 + 59)
    report = scene.check()
    assert report.shut is not None
    assert report.shut.reason == "3.9 min since the last session scan, 10 needed"
    assert report.shut.cost == {}


def test_another_process_has_a_throttle_of_its_own(scene: Scene) -> None:
    scene.check()
    assert asked(scene.check(throttle=ScanThrottle()))[-1] == "sessions shut"


def test_a_clock_set_back_does_not_hold_the_throttle_shut(scene: Scene) -> None:
    scene.check()
    earlier = CourseClock(STORY_START - timedelta(days=300))
    assert "throttle open" in asked(scene.check(clock=earlier))


def test_a_shut_time_gate_leaves_the_throttle_alone(scene: Scene) -> None:
    scene.dreamt(hours=1)
    scene.check()
    assert scene.throttle.last is None


def test_the_current_session_does_not_count(scene: Scene) -> None:
    scene.write_sessions(4)
    scene.write_sessions(1, prefix="now")
    (scene.sessions / "now0.jsonl").rename(scene.sessions / "now.jsonl")
    report = scene.check()
    assert asked(report)[-1] == "sessions shut"
    assert report.shut is not None
    assert report.shut.cost["stats"] == sum(name.startswith("s") for name in scene.stats) == 4
    assert scene.check(current_session="another", throttle=ScanThrottle()).open


def test_only_transcripts_written_to_since_the_last_dream_count_oldest_first(scene: Scene) -> None:
    scene.dreamt(hours=30)
    scene.write_sessions(3, hours=40, prefix="old")
    scene.write_sessions(5, hours=2)
    (scene.sessions / "notes.txt").write_text("no transcript", "utf-8")
    (scene.sessions / "folder.jsonl").mkdir()
    scene.write_sessions(1, hours=30, prefix="same")
    report = scene.check()
    assert [path.name for path in report.sessions] == [f"s{n}.jsonl" for n in (4, 3, 2, 1, 0)]


def test_a_folder_of_sessions_that_is_missing_has_none(scene: Scene) -> None:
    report = scene.check(sessions=scene.sessions / "nowhere")
    assert asked(report)[-1] == "sessions shut"
    assert report.shut is not None
    assert report.shut.reason == "0 other sessions since then, 5 needed"


def test_a_transcript_that_goes_while_we_look_is_no_error(scene: Scene) -> None:
    scene.write_sessions(5)

    def stat(path: Path) -> os.stat_result:
        if path.name == "s3.jsonl":
            path.unlink()
        return os.lstat(path)

    assert len(scene.check(stat=stat).sessions) == 4


def refusing(call: Callable[[Path], Any], *names: str) -> Callable[[Path], Any]:
    def refuse(path: Path) -> Any:
        if path.name in names:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return call(path)

    return refuse


def no_stat(scene: Scene) -> dict[str, Any]:
    return {"stat": refusing(os.lstat, ".consolidate-lock")}


def no_directory(scene: Scene) -> dict[str, Any]:
    scene.memory.rmdir()
    scene.memory.write_text("", "utf-8")
    return {}


def no_rights(scene: Scene) -> dict[str, Any]:
    scene.memory.chmod(0)
    return {}


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (no_stat, "Permission denied"),
        (no_directory, "Not a directory"),
        pytest.param(no_rights, "Permission denied", marks=needs_limited_user),
    ],
)
def test_a_lock_that_cannot_be_read_shuts_the_time_gate(
    scene: Scene, spoil: Callable[[Scene], dict[str, Any]], why: str
) -> None:
    scene.write_sessions(5)
    assert scene.check().open
    try:
        report = scene.check(**spoil(scene))
        assert asked(report) == ["toggles open", "time shut"]
        assert report.shut is not None
        assert report.shut.reason == f"cannot be read: {why}"
    finally:
        scene.memory.chmod(0o700)


def test_sessions_that_cannot_be_listed_shut_their_gate_and_are_not_asked_again_at_once(
    scene: Scene,
) -> None:
    scene.write_sessions(5)
    report = scene.check(scandir=refusing(os.scandir, scene.sessions.name))
    assert report.shut is not None
    assert (report.shut.name, report.shut.reason) == (
        "sessions",
        "cannot be read: Permission denied",
    )
    assert asked(scene.check())[-1] == "throttle shut"


def test_a_holder_at_work_shuts_the_last_gate_and_is_named(scene: Scene) -> None:
    """With 24 hours the lock's own mtime shuts the time gate first; here none are needed."""
    scene.write_sessions(5)
    assert isinstance(scene.lock(OTHER).try_acquire(), Held)
    assert asked(scene.check()) == ["toggles open", "time shut"]
    scene.write_sessions(5, hours=-1)
    scene.clock.advance(7_200 - 3_601)
    report = scene.check(Toggles(auto_dream=True, min_hours=0))
    assert asked(report) == [*ALL_OPEN[:-1], "lock shut"]
    assert report.shut is not None
    assert f"process {OTHER} is consolidating this memory" in report.shut.reason


@pytest.mark.parametrize("text", [b"", b"\xff\xfe nonsense"])
def test_a_lock_that_names_nobody_is_held_while_it_is_young(scene: Scene, text: bytes) -> None:
    scene.write_sessions(5, hours=-1)
    scene.write_lock(text, hours=0.5)
    flags = Toggles(auto_dream=True, min_hours=0)
    assert asked(scene.check(flags))[-1] == "lock shut"
    scene.write_lock(text, hours=1)
    assert scene.check(flags, throttle=ScanThrottle()).open


def test_a_dead_holder_leaves_the_lock_gate_open(scene: Scene) -> None:
    scene.write_sessions(5, hours=-1)
    assert isinstance(scene.lock(OTHER).try_acquire(), Held)
    scene.alive.discard(OTHER)
    assert scene.check(Toggles(auto_dream=True, min_hours=0)).open


def test_asking_changes_nothing_on_disk(scene: Scene) -> None:
    scene.dreamt(hours=30)
    scene.write_sessions(6)

    def state() -> list[tuple[str, int, int]]:
        paths = [*sorted(scene.sessions.rglob("*")), scene.lock().path]
        return [(str(p), p.stat().st_mtime_ns, p.stat().st_size) for p in paths]

    before = state()
    assert scene.check().open
    assert state() == before


@pytest.mark.behaviour("J6")
def test_a_manual_dream_is_never_too_early_and_needs_no_sessions(scene: Scene) -> None:
    scene.dreamt(hours=0.1)
    scene.write_sessions(1, hours=0.05)
    assert not scene.check().open
    for toggles in (ON, Toggles(), Toggles(daily_log=True)):
        report = scene.check(toggles, manual=True)
        assert asked(report) == ALL_OPEN
        assert [path.name for path in report.sessions] == ["s0.jsonl"]
    assert scene.throttle.last is None


@pytest.mark.parametrize("toggles", [Toggles(auto_memory=False), Toggles(remote=True)])
def test_a_manual_dream_needs_memory_and_a_mode_that_has_it(scene: Scene, toggles: Toggles) -> None:
    assert asked(scene.check(toggles, manual=True)) == ["toggles shut"]


@pytest.mark.behaviour("J6")
def test_a_manual_dream_never_skips_the_lock(scene: Scene) -> None:
    assert isinstance(scene.lock(OTHER).try_acquire(), Held)
    report = scene.check(manual=True)
    assert report.shut is not None
    assert report.shut.name == "lock"


def test_another_chain_decides_on_the_same_looks(scene: Scene) -> None:
    def ask_only(name: str) -> Callable[..., Any]:
        def chain(gates: Any, look: Callable[[str], Any]) -> list[tuple[str, str]]:
            look(name)
            return [(name, "shut" if look(name) else "open")]

        return chain

    assert asked(scene.check(chain=ask_only("lock"))) == ["lock open"]
    assert asked(scene.check(chain=ask_only("sessions"))) == ["sessions open"]
    scene.check(chain=ask_only("time"))
    assert scene.stats.count(".consolidate-lock") == 1


WATCHED = """
import os, sys
from pathlib import Path
from memlab.clock import CourseClock
from memlab.dream.gates import ScanThrottle, check_gates
from memlab.dream.lock import ConsolidationLock
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings

folder, clock, settings = Path(sys.argv[1]), CourseClock(), Settings()
told = dict(
    lock=ConsolidationLock(folder / "memory", clock=clock, settings=settings, pid=1),
    toggles=Toggles(auto_dream=True), sessions=folder, current_session="now",
    clock=clock, settings=settings, throttle=ScanThrottle(),
)
os.access("BEGIN", os.F_OK)
report = check_gates(**told)
os.access("END", os.F_OK)
print(*(v.name for v in report.verdicts))
"""


def watched(scene: Scene, tmp_path: Path) -> tuple[list[str], str]:
    """Run one check under strace; give its calls that name a file, and the gates asked."""
    log = tmp_path / "calls"
    command = ["strace", "-f", "-o", str(log), "-e", "trace=file,read,getdents64"]
    done = subprocess.run(
        [*command, sys.executable, "-c", WATCHED, str(scene.sessions)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split(maxsplit=1)[1] for line in log.read_text("utf-8").splitlines()]
    marks = [
        next(n for n, line in enumerate(lines) if f'"{mark}"' in line) for mark in ("BEGIN", "END")
    ]
    return lines[marks[0] + 1 : marks[1]], done.stdout.strip()


@pytest.mark.behaviour("J1")
@needs_strace
def test_the_system_sees_one_stat_for_a_shut_time_gate(scene: Scene, tmp_path: Path) -> None:
    scene.dreamt(hours=3)
    scene.write_sessions(6)
    calls, gates = watched(scene, tmp_path)
    assert gates == "toggles time"
    assert len(calls) == 1, calls
    assert ".consolidate-lock" in calls[0]
    assert "stat" in calls[0].split("(")[0]


@needs_strace
def test_the_system_sees_the_price_of_all_five(scene: Scene, tmp_path: Path) -> None:
    """One stat; one listing and a stat for each session; one open, stat and read of the lock."""
    scene.dreamt(hours=30)
    scene.write_sessions(6)
    calls, gates = watched(scene, tmp_path)
    assert gates.split() == NAMES
    kinds = [call.split("(")[0] for call in calls if "getdents" not in call]
    stats = [call for call in calls if re.search(r"/s\d+\.jsonl", call)]
    assert len(stats) == 6
    of_lock = [call for call in calls if ".consolidate-lock" in call]
    assert len(of_lock) == 2, calls
    assert kinds.count("read") == 1, calls

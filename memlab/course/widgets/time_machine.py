"""The time machine: hours, sessions, throttle, lock and flags to turn, and the gates that answer.

The real gates are asked, on a disk that is made up. Left out: the real disk, for which the lab has
``gates_for``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from html import escape
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from memlab.clock import CourseClock, to_nanoseconds
from memlab.course.gate_examples import COURSE, GATES, HOLDER, price, told
from memlab.course.tables import Table, table
from memlab.course.widgets.face import Face
from memlab.dream.gates import Chain, GateReport, ScanThrottle, check_gates, gate_chain
from memlab.dream.lock import ConsolidationLock
from memlab.dream.lock_file import LockFiles
from memlab.memdir.files import Found
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings

BODIES = {
    "the dream is over": b"4200\ntoken t\nbefore none\ndone\n",
    "a dream is at work": b"4200\ntoken t\nbefore none\n",
    "its process is gone": b"4300\ntoken t\nbefore none\n",
    "empty": b"",
}
_FOLDER = Path(os.path.abspath("/tidebook"))
_SIGNS = {"open": "✓", "shut": "✗", "not asked": "·"}


@dataclass(frozen=True)
class Moment:
    """One state of the world; ``hours`` since the lock's time, None for no lock file."""

    name: str = ""
    hours: float | None = 30
    sessions: int = 6
    scanned: float | None = None
    body: str = "the dream is over"
    toggles: Toggles = COURSE


MOMENTS = (
    Moment("a first evening, no lock yet", hours=None),
    Moment("30 hours and six sessions after a dream"),
    Moment("the same, dreams switched off", toggles=Toggles()),
    Moment("three hours after a dream", hours=3),
    Moment("two sessions are too few", sessions=2),
    Moment("four minutes after that scan", sessions=2, scanned=4),
    Moment("another agent dreams", hours=0.5, body="a dream is at work"),
    Moment(
        "the same, and a flag says 0 hours",
        hours=0.5,
        body="a dream is at work",
        toggles=Toggles(auto_dream=True, min_hours=0),
    ),
    Moment("a lock from tomorrow", hours=-24),
)


def ask_gates(moment: Moment, chain: Chain = gate_chain) -> GateReport:
    """Ask the real gates in a made-up moment."""
    clock, throttle = CourseClock(), ScanThrottle()
    if moment.scanned is not None:
        throttle.last = clock.now() - timedelta(minutes=moment.scanned)
    disk = _Disk(moment, clock)
    return check_gates(
        lock=disk.lock(),
        toggles=moment.toggles,
        sessions=_FOLDER,
        current_session="now",
        clock=clock,
        settings=Settings(),
        throttle=throttle,
        chain=chain,
        stat=disk.stat,
        scandir=disk.scandir,
    )


@dataclass(frozen=True)
class TimeMachine:
    """Moments, and what the gates say in each."""

    moments: Sequence[Moment] = MOMENTS
    chain: Chain = gate_chain

    @property
    def table(self) -> Table:
        """One line a moment: the five gates as signs, the reason of the last one, all costs."""
        rows = []
        for moment in self.moments:
            report = ask_gates(moment, self.chain)
            signs = "".join(_SIGNS[state] for _, state, _, _ in told(report))
            shut = report.shut
            why = "all open: the lock may be tried" if shut is None else shut.reason
            rows.append((moment.name, signs, why, price(_sum(report))))
        return table(rows, ("moment", "gates 1–5", "why", "cost"))

    @property
    def markdown(self) -> str:
        """The table, and what its signs mean."""
        order = ", ".join(GATES)
        return f"{self.table.markdown}\n\n✓ open, ✗ shut, · not asked. In order: {order}."

    def shown(self, moment: Moment) -> str:
        """Tell of one moment in HTML, gate by gate."""
        rows = "".join(
            f"<tr><td>{_SIGNS[state]}</td><td><b>{name}</b></td><td>{state}</td>"
            f"<td>{escape(why)}</td><td>{escape(cost)}</td></tr>"
            for name, state, why, cost in told(ask_gates(moment, self.chain))
        )
        return f"<table>{rows}</table><p>{escape(_lock_in_words(moment))}</p>"

    def __repr__(self) -> str:
        return repr(self.table)


def time_machine(chain: Chain = gate_chain) -> Face:
    """Turn hours, sessions, throttle, lock and flags; the gates answer, and the twin is a table.

    ``chain`` may be the learner's own.
    """
    machine = TimeMachine(chain=chain)
    return Face(machine, partial(_box, machine))


def _lock_in_words(moment: Moment) -> str:
    if moment.hours is None:
        return "There is no lock file."
    lines = BODIES[moment.body].decode().splitlines()
    when = f"{abs(moment.hours):g} h {'ago' if moment.hours >= 0 else 'ahead'}"
    return f"The lock file: {', '.join(lines) or 'empty'}; its time: {when}."


def _box(machine: TimeMachine, widgets: ModuleType) -> Any:
    wide = {"style": {"description_width": "190px"}, "layout": widgets.Layout(width="480px")}
    none = widgets.Checkbox(value=False, description="no lock file", indent=False)
    hours = widgets.FloatSlider(
        value=30, min=-24, max=48, step=0.5, description="hours since the lock's time", **wide
    )
    sessions = widgets.IntSlider(value=6, min=0, max=12, description="sessions since then", **wide)
    scanned = widgets.IntSlider(
        value=15, min=0, max=15, description="minutes since the last scan", **wide
    )
    needed = widgets.FloatSlider(
        value=24, min=0, max=48, step=0.5, description="hours needed, by flag", **wide
    )
    body = widgets.Dropdown(options=list(BODIES), description="the lock says", **wide)
    switches = {
        name: widgets.Checkbox(value=getattr(COURSE, name), description=name, indent=False)
        for name in ("auto_memory", "auto_dream", "daily_log", "remote", "bare")
    }
    answer = widgets.HTML("")

    def turned(change: Any = None) -> None:
        states = {name: box.value for name, box in switches.items()}
        moment = Moment(
            hours=None if none.value else hours.value,
            sessions=sessions.value,
            scanned=scanned.value,
            body=body.value,
            toggles=Toggles(**states, min_hours=needed.value),
        )
        answer.value = machine.shown(moment)

    for part in (none, hours, sessions, scanned, needed, body, *switches.values()):
        part.observe(turned, names="value")
    turned()
    row = widgets.HBox(list(switches.values()))
    return widgets.VBox([none, hours, sessions, scanned, needed, body, row, answer])


class _Disk:
    """A lock file and some transcripts that are nowhere."""

    def __init__(self, moment: Moment, clock: CourseClock) -> None:
        self._moment, self._clock = moment, clock

    def lock(self) -> ConsolidationLock:
        return ConsolidationLock(
            _FOLDER, clock=self._clock, alive=HOLDER.__eq__, files=_LookedAt(self._found())
        )

    def stat(self, path: Path) -> Any:
        if path.suffix == ".jsonl":
            return SimpleNamespace(
                st_mtime_ns=to_nanoseconds(self._clock.now() + timedelta(days=1))
            )
        if self._moment.hours is None:
            raise FileNotFoundError(str(path))
        return SimpleNamespace(st_mtime_ns=self._found().mtime)

    @contextmanager
    def scandir(self, path: Path) -> Iterator[list[Any]]:
        names = [f"{number}.jsonl" for number in range(self._moment.sessions)]
        yield [SimpleNamespace(name=name, is_file=lambda: True) for name in names]

    def _found(self) -> Found:
        hours = self._moment.hours
        if hours is None:
            return Found()
        at = self._clock.now() - timedelta(hours=hours)
        return Found(BODIES[self._moment.body], to_nanoseconds(at))


class _LookedAt(LockFiles):
    def __init__(self, found: Found) -> None:
        super().__init__()
        self._found = found

    def look(self, path: Path) -> Found:
        return self._found


def _sum(report: GateReport) -> dict[str, int]:
    kinds = ("listings", "stats", "reads")
    return {kind: sum(v.cost.get(kind, 0) for v in report.verdicts) for kind in kinds}

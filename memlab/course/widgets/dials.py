"""Dials for the gates of a dream. The real gates are asked, in a folder that
is made for each situation.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import Any

from memlab.clock import CourseClock, to_nanoseconds
from memlab.course.show import table
from memlab.course.widgets import Widget, on_main_loop
from memlab.dream.gates import (
    GATES,
    GateReport,
    ScanThrottle,
    Situation,
    check_gates,
)
from memlab.dream.lock import ConsolidationLock
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings

COURSE, HOLDER = Toggles(auto_dream=True), 4_200
OVER, AT_WORK = "the dream is over", "a dream is at work"
BODIES = {
    OVER: b"4200\ntoken t\nbefore none\ndone\n",
    AT_WORK: b"4200\ntoken t\nbefore none\n",
    "its process is gone": b"4300\ntoken t\nbefore none\n",
    "empty": b"",
}


@dataclass(frozen=True)
class Moment:
    """A situation: how many ``hours`` ago the lock was taken (None: there is
    no lock file) and what it says, how many ``minutes`` ago sessions were
    listed, how many ``sessions`` are newer.
    """

    hours: float | None = 30
    minutes: float = 15
    sessions: int = 6
    body: str = OVER
    toggles: Toggles = COURSE


MOMENTS = {
    "a first evening, no lock yet": Moment(hours=None),
    "30 hours and six sessions after a dream": Moment(),
    "the same, dreams switched off": Moment(toggles=Toggles()),
    "three hours after a dream": Moment(hours=3),
    "two sessions are too few": Moment(sessions=2),
    "four minutes after that scan": Moment(sessions=2, minutes=4),
    "another agent dreams": Moment(hours=0.5, body=AT_WORK),
    "the same, and a flag says 0 hours": Moment(
        hours=0.5,
        body=AT_WORK,
        toggles=Toggles(auto_dream=True, min_hours=0),
    ),
    "a lock from tomorrow": Moment(hours=-24),
}


def ask_gates(moment: Moment) -> GateReport:
    """Ask the gates about a folder that is made for the moment."""
    clock, throttle = CourseClock(), ScanThrottle()
    throttle.last = clock.now() - timedelta(minutes=moment.minutes)
    with tempfile.TemporaryDirectory(prefix="memlab-gates-") as name:
        folder = Path(name)
        lock = ConsolidationLock(folder, clock=clock, alive=HOLDER.__eq__)
        if moment.hours is not None:
            taken = clock.now() - timedelta(hours=moment.hours)
            _write(lock.path, BODIES[moment.body], taken)
        for number in range(moment.sessions):
            later = clock.now() + timedelta(days=1)
            _write(folder / f"{number}.jsonl", b"", later)
        return check_gates(
            Situation(
                lock=lock,
                toggles=moment.toggles,
                sessions=folder,
                current_session="now",
                clock=clock,
                settings=Settings(),
                throttle=throttle,
            )
        )


def _write(path: Path, data: bytes, moment: datetime) -> None:
    path.write_bytes(data)
    os.utime(path, ns=(to_nanoseconds(moment),) * 2)


def dials() -> Widget:
    """Show dials and what the gates answer; in words, what they answer in
    nine moments.
    """
    rows = []
    for name, moment in MOMENTS.items():
        report = ask_gates(moment)
        signs = "".join("✓" if one.open else "✗" for one in report.verdicts)
        why = "all open: the lock may be tried"
        if report.shut is not None:
            why = report.shut.reason
        cost: Counter[str] = Counter()
        for verdict in report.verdicts:
            cost.update(verdict.cost)
        rows.append((name, signs.ljust(len(GATES), "·"), why, _cost(cost)))
    headers = ("moment", f"gates 1–{len(GATES)}", "why", "cost")
    return Widget(table(rows, headers), _parts)


def _cost(cost: Mapping[str, int]) -> str:
    """Say what asking cost: "1 listing, 14 stats", or "no disk"."""
    words = [
        f"{cost[kind]} {kind.removesuffix('s') if cost[kind] == 1 else kind}"
        for kind in ("listings", "stats", "reads")
        if cost.get(kind)
    ]
    return ", ".join(words) or "no disk"


def _parts() -> list[Any]:
    import ipywidgets as make

    def number(label: str, value: float, least: float, most: float) -> Any:
        return make.BoundedFloatText(
            value=value,
            min=least,
            max=most,
            description=label,
            style={"description_width": "210px"},
            layout=make.Layout(width="320px"),
        )

    hours = number("hours since the lock's time", 30, -24, 48)
    minutes = number("minutes since the last scan", 15, 0, 15)
    sessions = number("sessions since then", 6, 0, 12)
    needed = number("hours needed, by flag", 24, 0, 48)
    body = make.Dropdown(options=[*BODIES, "no lock file"], description="lock")
    dreams = make.Checkbox(value=True, description="auto_dream", indent=False)
    answer = make.HTML()

    def turned(_: object = None) -> None:
        here = body.value in BODIES
        moment = Moment(
            hours=hours.value if here else None,
            minutes=minutes.value,
            sessions=int(sessions.value),
            body=body.value if here else OVER,
            toggles=Toggles(auto_dream=dreams.value, min_hours=needed.value),
        )
        answer.value = _answer(ask_gates(moment))

    controls = [hours, minutes, sessions, needed, body, dreams]
    for control in controls:
        control.observe(on_main_loop(turned), names="value")
    turned()
    return [answer, *controls]


def _answer(report: GateReport) -> str:
    verdicts = {verdict.name: verdict for verdict in report.verdicts}
    lines = []
    for gate in GATES:
        verdict = verdicts.get(gate.__name__)
        if verdict is None:
            words, tone = "· not asked", ""
        elif verdict.open:
            words, tone = "✓ open", "good"
        else:
            words, tone = f"✗ shut: {verdict.reason}", "bad"
        lines.append(
            f'<li><span class="{tone}"><b>{gate.__name__}</b>'
            f" {escape(words)}</span></li>"
        )
    end = "All gates are open." if report else "No dream."
    return f'<ol>{"".join(lines)}</ol><p role="status"><b>{end}</b></p>'

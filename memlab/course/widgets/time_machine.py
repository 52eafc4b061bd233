"""The time machine: five doors in a row, and dials, a lock and switches that
open and shut them.

The real gates are asked, in a directory that is made for each situation.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

from memlab.clock import CourseClock, to_nanoseconds
from memlab.course.display import Table, table
from memlab.course.widgets.widget import (
    Tone,
    Widget,
    make_button,
    on_main_loop,
)
from memlab.dream.gates import (
    GATES,
    GateReport,
    ScanThrottle,
    Situation,
    check_gates,
)
from memlab.dream.lock import ConsolidationLock
from memlab.memdir.toggles import SWITCHES, Toggles
from memlab.settings import Settings

BODIES = {
    "the dream is over": b"4200\ntoken t\nbefore none\ndone\n",
    "a dream is at work": b"4200\ntoken t\nbefore none\n",
    "its process is gone": b"4300\ntoken t\nbefore none\n",
    "empty": b"",
}
_SIGNS = {"open": "✓", "shut": "✗", "not asked": "·"}
_TONES: Mapping[str, Tone] = {
    "open": "good",
    "shut": "bad",
    "not asked": "plain",
}
_TURNED = ("auto_memory", "auto_dream", "daily_log", "remote", "bare")
_STYLE = """<style>
.memlab .doors { display: flex; flex-wrap: wrap; gap: 22px; padding: 0;
  margin: 6px 0; list-style: none; counter-reset: door; }
.memlab .doors li { flex: 1 1 125px; position: relative; padding: 8px;
  border: 2px solid #595959; border-radius: 6px 6px 0 0;
  border-bottom-width: 6px; min-height: 104px; }
.memlab .doors li + li::before { content: "→"; position: absolute;
  left: -20px; top: 40px; font-size: 18px;
  color: var(--jp-ui-font-color1, #1A1A1A); }
.memlab .doors b { display: block; font-size: 15px; }
.memlab .doors .shut { border-style: double; border-width: 5px; }
.memlab .doors .plain { background: #FFFFFF; color: #1A1A1A;
  border-style: dashed; }
.memlab .doors small { display: block; font-size: 13px; }
@media (max-width: 900px) { .memlab .doors li { flex-basis: 100%; }
  .memlab .doors li + li::before { content: ""; } }
</style>"""

COURSE = Toggles(auto_dream=True)
HOLDER = 4_200


# What the figure of a gate is called, its lowest and highest value, the step
# and where it starts: there the gate is open.
_DIALS: Mapping[str, tuple[str, float, float, float, float]] = {
    "time": ("hours since the lock's time", -24, 48, 0.5, 30),
    "throttle": ("minutes since the last scan", 0, 15, 1, 15),
    "sessions": ("sessions since then", 0, 12, 1, 6),
}


@dataclass(frozen=True)
class Moment:
    """A situation: what its ``figures`` do not set by the gate's name is where
    the dial starts.

    ``figures["time"]`` counts from the lock's time, and is None if there is no
    lock file.
    """

    name: str = ""
    figures: Mapping[str, float | None] = field(default_factory=dict)
    body: str = "the dream is over"
    toggles: Toggles = COURSE

    def figure(self, gate: str) -> float | None:
        """Return the position of a gate's dial."""
        return self.figures.get(gate, _DIALS[gate][-1])


MOMENTS = (
    Moment("a first evening, no lock yet", {"time": None}),
    Moment("30 hours and six sessions after a dream"),
    Moment("the same, dreams switched off", toggles=Toggles()),
    Moment("three hours after a dream", {"time": 3}),
    Moment("two sessions are too few", {"sessions": 2}),
    Moment("four minutes after that scan", {"sessions": 2, "throttle": 4}),
    Moment("another agent dreams", {"time": 0.5}, body="a dream is at work"),
    Moment(
        "the same, and a flag says 0 hours",
        {"time": 0.5},
        body="a dream is at work",
        toggles=Toggles(auto_dream=True, min_hours=0),
    ),
    Moment("a lock from tomorrow", {"time": -24}),
)


def ask_gates(moment: Moment) -> GateReport:
    """Ask the gates about a directory that is made for it."""
    clock, throttle = CourseClock(), ScanThrottle()
    minutes, hours = moment.figure("throttle"), moment.figure("time")
    throttle.last = clock.now() - timedelta(minutes=minutes or 0)
    with tempfile.TemporaryDirectory(prefix="memlab-gates-") as name:
        folder = Path(name)
        lock = ConsolidationLock(folder, clock=clock, alive=HOLDER.__eq__)
        if hours is not None:
            body = BODIES[moment.body]
            _write(lock.path, body, clock.now() - timedelta(hours=hours))
        for number in range(int(moment.figure("sessions") or 0)):
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


def gate_rows(report: GateReport) -> list[tuple[str, str, str, str]]:
    """List name, state, reason and cost of every gate, including those that
    were not asked.
    """
    verdicts = {verdict.name: verdict for verdict in report.verdicts}
    rows = []
    for gate in GATES:
        verdict = verdicts.get(gate.__name__)
        if verdict is None:
            rows.append((gate.__name__, "not asked", "", ""))
        else:
            state = "open" if verdict.open else "shut"
            cost = cost_in_words(verdict.cost)
            rows.append((gate.__name__, state, verdict.reason, cost))
    return rows


def cost_in_words(cost: Mapping[str, int]) -> str:
    """Say what asking cost: "1 listing, 14 stats", or "no disk"."""
    words = [
        f"{n} {kind.removesuffix('s') if n == 1 else kind}"
        for kind, n in cost.items()
        if n
    ]
    return ", ".join(words) or "no disk"


@dataclass(frozen=True)
class TimeMachine:
    """Moments, and what the gates say in each."""

    moments: Sequence[Moment] = MOMENTS

    @property
    def table(self) -> Table:
        """One row per moment: a sign per gate, the reason of the one that is
        shut, all costs.
        """
        rows = []
        for moment in self.moments:
            report = ask_gates(moment)
            signs = "".join(
                _SIGNS[state] for _, state, _, _ in gate_rows(report)
            )
            shut = report.shut
            why = (
                "all open: the lock may be tried"
                if shut is None
                else shut.reason
            )
            rows.append((moment.name, signs, why, cost_in_words(_sum(report))))
        return table(rows, ("moment", f"gates 1–{len(GATES)}", "why", "cost"))

    @property
    def markdown(self) -> str:
        """The table, and what its signs mean."""
        order = ", ".join(gate.__name__ for gate in GATES)
        return (
            f"{self.table.markdown}\n\n✓ open, ✗ shut, · not asked. In order:"
            f" {order}."
        )

    def shown(self, moment: Moment) -> str:
        """Show one moment in HTML: the gates as doors in a row, and the first
        one that is shut.
        """
        report = ask_gates(moment)
        doors = "".join(
            f'<li class="{_TONES[state]} {state.split()[-1]}">'
            f"<b>{number}. {name}</b> {_SIGNS[state]} {state}"
            f"<small>{escape(why)}</small>"
            f"<small>{escape(cost and f'cost: {cost}')}</small></li>"
            for number, (name, state, why, cost) in enumerate(
                gate_rows(report), start=1
            )
        )
        answer = "✓ All doors are open: the lock may be tried."
        if report.shut is not None:
            answer = f"✗ No dream: the door {report.shut.name} is shut."
        return (
            f'{_STYLE}<ol class="doors" aria-label="gates">{doors}</ol>'
            f'<p role="status"><b>{escape(answer)}</b>'
            f" {escape(_lock_in_words(moment))}</p>"
        )

    def __repr__(self) -> str:
        return repr(self.table)


def time_machine() -> Widget:
    """Show the dials and what the gates answer; the static version is a
    table.
    """
    machine = TimeMachine()
    return Widget(machine, lambda widgets: _Box(machine, widgets).box)


def _lock_in_words(moment: Moment) -> str:
    hours = moment.figure("time")
    if hours is None:
        return "There is no lock file."
    lines = BODIES[moment.body].decode().splitlines()
    when = f"{abs(hours):g} h {'ago' if hours >= 0 else 'ahead'}"
    return f"The lock file: {', '.join(lines) or 'empty'}; its time: {when}."


class _Box:
    """The doors, a button for each moment, and what can be turned."""

    def __init__(self, machine: TimeMachine, widgets: ModuleType) -> None:
        self._machine = machine
        self._setting = False
        self._none = widgets.Checkbox(
            value=False, description="no lock file", indent=False
        )
        self._dials = {
            name: _dial(dial, widgets) for name, dial in _DIALS.items()
        }
        self._needed = _dial(
            ("hours needed, by flag", 0, 48, 0.5, 24), widgets
        )
        self._body = widgets.Dropdown(
            options=list(BODIES), description="the lock says", **_wide(widgets)
        )
        self._switches = {
            name: widgets.Checkbox(
                value=getattr(COURSE, name),
                description=f"{name}: {SWITCHES[name]}",
                indent=False,
            )
            for name in _TURNED
        }
        turned = (
            self._none,
            *self._dials.values(),
            self._needed,
            self._body,
            *self._switches.values(),
        )
        for part in turned:
            part.observe(on_main_loop(self._turned), names="value")
        presets = [
            make_button(widgets, moment.name, partial(self.choose, moment))
            for moment in machine.moments
        ]
        self._answer = widgets.HTML("")
        self._turned()
        flowing = widgets.Layout(flex_flow="row wrap")
        side = widgets.Layout(flex="1 1 400px")
        self.box = widgets.VBox(
            [
                self._answer,
                widgets.HBox(presets, layout=flowing),
                widgets.HBox(
                    [
                        widgets.VBox(
                            [
                                *self._dials.values(),
                                self._needed,
                                self._body,
                                self._none,
                            ],
                            layout=side,
                        ),
                        widgets.VBox(
                            list(self._switches.values()), layout=side
                        ),
                    ],
                    layout=flowing,
                ),
            ]
        )

    def choose(self, moment: Moment) -> None:
        """Turn everything to a moment."""
        hours = moment.figure("time")
        needed = moment.toggles.min_hours
        self._setting = True
        self._none.value = hours is None
        for name, dial in self._dials.items():
            figure = moment.figure(name)
            if figure is not None:
                dial.value = figure
        self._needed.value = 24 if needed is None else needed
        self._body.value = moment.body
        for name, switch in self._switches.items():
            switch.value = getattr(moment.toggles, name)
        self._setting = False
        self._turned()

    def _turned(self, change: Any = None) -> None:
        if self._setting:
            return
        states = {name: box.value for name, box in self._switches.items()}
        figures = {name: dial.value for name, dial in self._dials.items()}
        if self._none.value:
            figures["time"] = None
        moment = Moment(
            figures=figures,
            body=self._body.value,
            toggles=Toggles(**states, min_hours=self._needed.value),
        )
        self._answer.value = self._machine.shown(moment)


def _dial(
    dial: tuple[str, float, float, float, float], widgets: ModuleType
) -> Any:
    """Make a field for a number; unlike ipywidgets' sliders, it has a name
    that a screen reader finds.
    """
    label, lowest, highest, step, start = dial
    kind = widgets.BoundedFloatText
    if isinstance(step, int):
        kind = widgets.BoundedIntText
    return kind(
        value=start,
        min=lowest,
        max=highest,
        step=step,
        description=label,
        **_wide(widgets),
    )


def _wide(widgets: ModuleType) -> dict[str, Any]:
    return {
        "style": {"description_width": "190px"},
        "layout": widgets.Layout(width="96%"),
    }


def _sum(report: GateReport) -> dict[str, int]:
    kinds = ("listings", "stats", "reads")
    return {
        kind: sum(v.cost.get(kind, 0) for v in report.verdicts)
        for kind in kinds
    }

"""The gates of a notebook's lab, and their answers as tables.

The gates and the lock are the real ones. Process ids, and which of these
processes are running, are made up, so that no output depends on the machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from memlab.clock import Clock, CourseClock, to_nanoseconds
from memlab.course.display import Table, table
from memlab.course.lab import Lab
from memlab.dream.gates import (
    GATES,
    Gate,
    GateReport,
    ScanThrottle,
    Situation,
    check_gates,
)
from memlab.dream.lock import ConsolidationLock
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings

COURSE = Toggles(auto_dream=True)
ME, HOLDER = 4_100, 4_200

_OPENS = {
    "toggles": ("yes", {}),
    "time": ("dream_min_hours", {"stats": 1}),
    "throttle": ("dream_scan_minutes", {}),
    "sessions": ("dream_min_sessions", {"listings": 1, "stats": 1}),
    "lock": ("no", {"stats": 2, "reads": 1}),
}
"""What opens each gate, a word or the setting with the least number, and what
asking it costs."""


def lock_for(
    lab: Lab,
    pid: int = ME,
    living: Collection[int] = (),
    clock: Clock | None = None,
) -> ConsolidationLock:
    """Return the lab's lock as one process sees it; the ``living`` are the
    others that still run.
    """
    alive = {pid, *living}
    return ConsolidationLock(
        lab.memory,
        clock=clock or lab.clock,
        settings=lab.settings,
        pid=pid,
        token=f"token-of-{pid}",
        alive=alive.__contains__,
    )


def gates_for(
    lab: Lab,
    throttle: ScanThrottle | None = None,
    *,
    at: datetime | None = None,
    ask: Callable[..., Any] | None = None,
    **more: Any,
) -> GateReport:
    """Ask the lab's gates now, or ``at`` another time.

    ``ask`` may take the place of ``gate_chain``, the learner's or ours.
    ``more`` goes to the situation, except other ``gates``.
    """
    clock = CourseClock(at) if at else lab.clock
    given: dict[str, Any] = {
        "lock": lock_for(lab, clock=clock),
        "toggles": COURSE,
        "sessions": lab.sessions,
        "current_session": "monday",
        "clock": clock,
        "settings": lab.settings,
        "throttle": throttle or ScanThrottle(),
    }
    gates = more.pop("gates", GATES)
    return check_gates(Situation(**given | more), gates=gates, chain=ask)


def leave_lock(
    lab: Lab, body: bytes, *, hours: float = 0, at: datetime | None = None
) -> None:
    """Write a lock file as a process left it so many hours before now, or
    before ``at``; below 0 is in the future.
    """
    path = lock_for(lab).path
    path.write_bytes(body)
    moment = (at or lab.clock.now()) - timedelta(hours=hours)
    nanoseconds = to_nanoseconds(moment)
    os.utime(path, ns=(nanoseconds, nanoseconds))


def gate_rows(
    report: GateReport, gates: Sequence[Gate] = GATES
) -> list[tuple[str, str, str, str]]:
    """List name, state, reason and cost of every gate, including those that
    were not asked.
    """
    verdicts = {verdict.name: verdict for verdict in report.verdicts}
    rows = []
    for gate in gates:
        verdict = verdicts.get(gate.__name__)
        if verdict is None:
            rows.append((gate.__name__, "not asked", "", ""))
        else:
            state = "open" if verdict.open else "shut"
            cost = cost_in_words(verdict.cost)
            rows.append((gate.__name__, state, verdict.reason, cost))
    return rows


def gate_table(report: GateReport, gates: Sequence[Gate] = GATES) -> Table:
    """Show a report gate by gate."""
    return table(gate_rows(report, gates), ("gate", "it is", "why", "cost"))


def all_gates(settings: Settings) -> Table:
    """Show the table of gates: what each one asks, what opens it, and what
    asking costs.
    """
    rows = []
    for gate in GATES:
        opens, cost = _OPENS[gate.__name__]
        if hasattr(settings, opens):
            [row] = settings.explain(opens)
            opens = f"{getattr(settings, opens):g} {row.unit} or more"
        question = (gate.__doc__ or "").partition("\n")[0]
        rows.append((gate.__name__, question, opens, cost_in_words(cost)))
    return table(
        rows, ("gate", "question", "opens it", "cost with one transcript")
    )


def cost_in_words(cost: Mapping[str, int]) -> str:
    """Say what asking cost: "1 listing, 14 stats", or "no disk"."""
    words = [
        f"{n} {kind.removesuffix('s') if n == 1 else kind}"
        for kind, n in cost.items()
        if n
    ]
    return ", ".join(words) or "no disk"

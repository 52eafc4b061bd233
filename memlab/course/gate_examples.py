"""Is a dream due in a notebook's lab? The gates asked there, and their answer as a table.

Process ids are made up here and so is which of them live, so that no output depends on the machine.
Left out: the gates and the lock, which are the real ones.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

from memlab.clock import to_nanoseconds
from memlab.course.lab import Lab
from memlab.course.tables import Table, table
from memlab.dream.gates import GateReport, ScanThrottle, check_gates
from memlab.dream.lock import ConsolidationLock
from memlab.dream.lock_file import LockFiles
from memlab.memdir.toggles import Toggles

GATES = ("toggles", "time", "throttle", "sessions", "lock")
COURSE = Toggles(auto_dream=True)
ME, HOLDER = 4_100, 4_200
STEPS = ("look", "write", "set_mtime", "sync", "replace")


def lock_for(
    lab: Lab, pid: int = ME, living: Collection[int] = (), files: LockFiles | None = None
) -> ConsolidationLock:
    """Give the lab's lock as one process sees it; the ``living`` are the others that still run."""
    alive = {pid, *living}
    return ConsolidationLock(
        lab.memory,
        clock=lab.clock,
        settings=lab.settings,
        pid=pid,
        token=f"token-of-{pid}",
        alive=alive.__contains__,
        files=files,
    )


def gates_for(lab: Lab, throttle: ScanThrottle | None = None, **more: Any) -> GateReport:
    """Ask the lab's gates, with the learner's chain if there is one; ``more`` goes to the gates."""
    told: dict[str, Any] = {
        "lock": lock_for(lab),
        "toggles": COURSE,
        "sessions": lab.sessions,
        "current_session": "monday",
        "clock": lab.clock,
        "settings": lab.settings,
        "throttle": throttle or ScanThrottle(),
        "chain": lab.parts.get("gate_chain"),
    }
    return check_gates(**told | more)


def leave_lock(lab: Lab, body: bytes, *, hours: float) -> None:
    """Lay down a lock file as some process left it so many hours ago; below 0 is still to come."""
    path = lock_for(lab).path
    path.write_bytes(body)
    moment = lab.clock.now() - timedelta(hours=hours)
    nanoseconds = to_nanoseconds(moment)
    os.utime(path, ns=(nanoseconds, nanoseconds))


def told(report: GateReport) -> list[tuple[str, str, str, str]]:
    """List name, state, reason and cost of all five gates, those not asked included."""
    asked = [
        (v.name, "open" if v.open else "shut", v.reason, price(v.cost)) for v in report.verdicts
    ]
    return asked + [(name, "not asked", "", "") for name in GATES[len(asked) :]]


def gate_table(report: GateReport) -> Table:
    """Show a report gate by gate."""
    return table(told(report), ("gate", "it is", "why", "cost"))


def price(cost: Mapping[str, int]) -> str:
    """Say what a look cost: "1 listing, 14 stats", or that only memory was read."""
    told = [f"{n} {kind.removesuffix('s') if n == 1 else kind}" for kind, n in cost.items() if n]
    return ", ".join(told) or "no disk"


class _Stopped(BaseException):
    """The end of a process, between two calls to the disk."""


class _StoppingFiles(LockFiles):
    """The real file calls of a lock; the process is gone before the first that is the one named."""

    def __init__(self, before: str) -> None:
        super().__init__()
        self._before, self.steps = before, list[str]()

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name not in STEPS:
            return value

        def call(*given: Any) -> Any:
            if name == self._before:
                raise _Stopped
            self.steps.append(name)
            return value(*given)

        return call


def holder_stops(lab: Lab, before: str, pid: int = HOLDER) -> list[str]:
    """Let a process take the lock and be gone before one of ``STEPS``, or "the end" of its dream.

    Gives the calls it made. What stays on the disk is what a kill leaves, since every call is
    carried out or not; the guard is free again, as the system sees to it.
    """
    files = _StoppingFiles(before)
    lock = lock_for(lab, pid, files=files)
    with suppress(_Stopped):
        lock.try_acquire()
    return files.steps

"""The gates and the lock of a notebook's lab, for a dream in it.

Process ids, and which of these processes are running, are made up, so that no
output depends on the machine.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from memlab.course.lab import Lab
from memlab.dream.gates import (
    GateReport,
    ScanThrottle,
    Situation,
    check_gates,
)
from memlab.dream.lock import ConsolidationLock
from memlab.memdir.toggles import Toggles

COURSE = Toggles(auto_dream=True)
ME, HOLDER = 4_100, 4_200


def lock_for(
    lab: Lab, pid: int = ME, living: Collection[int] = ()
) -> ConsolidationLock:
    """Return the lab's lock as one process sees it; the ``living`` are the
    others that still run.
    """
    alive = {pid, *living}
    return ConsolidationLock(
        lab.memory,
        clock=lab.clock,
        settings=lab.settings,
        pid=pid,
        token=f"token-of-{pid}",
        alive=alive.__contains__,
    )


def gates_for(lab: Lab, **more: Any) -> GateReport:
    """Ask the lab's gates now; ``more`` goes to the situation."""
    given: dict[str, Any] = {
        "lock": lock_for(lab),
        "toggles": COURSE,
        "sessions": lab.sessions,
        "current_session": "monday",
        "clock": lab.clock,
        "settings": lab.settings,
        "throttle": ScanThrottle(),
    }
    return check_gates(Situation(**given | more))

"""What the course does to the kernel that it runs in: it remembers the tasks
that it has started, and gives the notebook some names.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Any


class KernelState:
    """The tasks that the labs of this kernel have started: a second ``begin``
    has to know what the first one left.
    """

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[Any]] = []

    def own(self, task: asyncio.Task[Any]) -> None:
        """Remember a task, so that the next ``begin`` can cancel it."""
        self._tasks.append(task)

    def cancel_leftovers(self) -> None:
        """Cancel every task that still runs."""
        for task in self._tasks:
            if not task.done() and not task.get_loop().is_closed():
                task.cancel()
        self._tasks.clear()


KERNEL_STATE = KernelState()


def put_in_scope(names: Mapping[str, Any]) -> None:
    """Let a notebook use names without importing them; outside IPython,
    nothing happens.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is not None:
        shell.user_ns.update(names)

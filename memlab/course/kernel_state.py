"""What the course has to remember for as long as one kernel lives: locks,
tasks, hints given, answers to a quiz.

This is the only state that belongs to the process: a second ``begin`` has to
know what the first one started. Nothing here is written to disk.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any


class KernelState:
    """The folders this process has claimed, the tasks its labs started, the
    hints it gave.
    """

    def __init__(self) -> None:
        self._claims: dict[tuple[Path, str], tuple[Path, Any]] = {}
        self._tasks: list[asyncio.Task[Any]] = []
        self._hints: dict[str, int] = {}
        self.attempt: Any = None
        """The answers to the quiz shown last, as an ``Attempt``."""

    def claim(self, root: Path, name: str) -> Path:
        """Return a folder below ``root`` that no other process uses: ``name``,
        else ``name-2``, …

        The claim holds until this process ends, however it ends: it is a lock
        of the operating system. Where the file system has no locks, nothing is
        guarded.
        """
        key = (root, name)
        if key not in self._claims:
            self._claims[key] = _claimed(root, name)
        return self._claims[key][0]

    def release(self) -> None:
        """Release every claimed folder."""
        for _, lock in self._claims.values():
            if lock is not None:
                lock.release()
        self._claims.clear()

    def own(self, task: asyncio.Task[Any]) -> None:
        """Remember a task, so that the next ``begin`` can cancel it."""
        self._tasks = [
            *(known for known in self._tasks if not known.done()),
            task,
        ]

    def cancel_leftovers(self) -> int:
        """Cancel every task owned that still runs; returns their number."""
        left = [task for task in self._tasks if not task.done()]
        for task in left:
            if not task.get_loop().is_closed():
                task.cancel()
        self._tasks.clear()
        return len(left)

    def next_hint(self, name: str, of: int) -> int:
        """Count one more hint for a gap, up to the last; gives its
        number from 1.
        """
        self._hints[name] = min(of, self._hints.get(name, 0) + 1)
        return self._hints[name]


KERNEL_STATE = KernelState()


def _claimed(root: Path, name: str) -> tuple[Path, Any]:
    from filelock import FileLock, Timeout

    locks = root / ".locks"
    locks.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        folder = root / (name if number == 1 else f"{name}-{number}")
        lock = FileLock(
            locks / f"{folder.name}.lock",
            thread_local=False,
            preserve_lock_file=True,
            fallback_to_soft=False,
        )
        try:
            lock.acquire(timeout=0)
        except Timeout:
            number += 1
        except (NotImplementedError, OSError):
            return folder, None
        else:
            return folder, lock

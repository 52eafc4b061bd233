"""Real processes race for one lock, and those that believe they have it are counted."""

from __future__ import annotations

import multiprocessing
import os
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from memlab.dream.lock import LOCK, ConsolidationLock, Held
from tests.faults.test_kills import child
from tests.platforms import lacking

NOBODY_ALIVE = 2**30 - 1  # above the largest process id of Linux, macOS and Windows in practice


@dataclass(frozen=True)
class Race:
    """How many holders each contest had."""

    holders: list[int]

    @property
    def one_each(self) -> bool:
        return self.holders == [1] * len(self.holders)


def race(*, contests: int, jitter: float, start: str, seed: int = 0, processes: int = 4) -> Race:
    """Let processes race for a lock in one fresh directory after another; each waits a random part
    of ``jitter`` seconds before it starts. ``start``: the lock before is "stale", "none" or "done".
    """
    if not hasattr(os, "fork"):
        lacking("", "this system cannot fork")
    context = multiprocessing.get_context("fork")
    together, won = context.Barrier(processes), context.Array("i", contests)
    with tempfile.TemporaryDirectory(prefix="memlab-race-") as scratch:
        folders = [lock_directory(Path(scratch), number, start) for number in range(contests)]

        def run(number: int) -> None:
            chance = random.Random(seed * 100 + number)
            for contest, folder in enumerate(folders):
                together.wait()
                time.sleep(chance.random() * jitter)
                held = isinstance(ConsolidationLock(folder, wait=30).try_acquire(), Held)
                with won.get_lock():
                    won[contest] += held
            together.wait()  # who ended now would free the last lock: its holder would be gone

        ConsolidationLock(folders[0]).peek()  # what is imported once is not imported in each child
        racers = [child(lambda number=number: run(number)) for number in range(processes)]  # type: ignore[misc]
        assert [os.waitpid(pid, 0)[1] for pid in racers] == [0] * processes
    return Race([*won])


def lock_directory(scratch: Path, number: int, start: str) -> Path:
    """Make a directory for one contest, with the lock of a dream of thirty hours ago."""
    directory = scratch / str(number)
    directory.mkdir()
    if start != "none":
        rest = "token old\nbefore none\ndone\n" if start == "done" else ""
        (directory / LOCK).write_text(f"{NOBODY_ALIVE}\n{rest}")
        os.utime(directory / LOCK, (time.time() - 108_000,) * 2)
    return directory

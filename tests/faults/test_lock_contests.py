"""Real processes and threads at one lock: one winner, every time."""

from __future__ import annotations

import os
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memlab.dream import ConsolidationLock, Held
from tests.faults.killing import TIMES, until_killed
from tests.faults.racing import lock_directory, race
from tests.platforms import needs_fork


@pytest.mark.behaviour("J3")
@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("start", ["stale", "none", "done"])
def test_ours_has_one_holder(start: str, times: int) -> None:
    for seed, jitter in enumerate((0, 0.001, 0.01)):
        seen = race(contests=4 * times, jitter=jitter, start=start, seed=seed)
        assert seen.one_each, seen


@pytest.mark.slow
def test_threads_with_one_process_id_have_one_holder(tmp_path: Path) -> None:
    for contest in range(20):
        directory, together = lock_directory(tmp_path, contest, "stale"), threading.Barrier(3)

        def attempt(
            _: int, directory: Path = directory, all_: threading.Barrier = together
        ) -> bool:
            all_.wait()
            return isinstance(ConsolidationLock(directory).try_acquire(), Held)

        with ThreadPoolExecutor(3) as pool:
            assert sum(pool.map(attempt, range(3))) == 1


@needs_fork
@pytest.mark.behaviour("J5")
@pytest.mark.parametrize("kills", TIMES)
def test_a_killed_holder_leaves_a_lock_that_heals(tmp_path: Path, kills: int) -> None:
    """Wherever a kill falls, the next session finds the time before and can take the lock."""
    first = ConsolidationLock(tmp_path)
    first.peek()  # what is imported once is not imported in each child
    assert isinstance(first.try_acquire(), Held)
    assert first.finish()
    before, chance, rounds, unfinished = first.last_consolidated_at(), random.Random(1), 0, 0

    def work(pipe: int) -> None:
        while True:
            lock = ConsolidationLock(tmp_path)
            lock.try_acquire()
            lock.rollback()

    while rounds < kills or not unfinished:
        rounds += 1
        assert rounds < 20 * kills, "no kill fell between taking the lock and giving it back"
        until_killed(work, chance)
        lock = ConsolidationLock(tmp_path)
        unfinished += lock.heal() is not None
        assert lock.last_consolidated_at() == before
        assert isinstance(lock.try_acquire(), Held)
        assert lock.rollback()
        assert lock.last_consolidated_at() == before
    names = {*os.listdir(tmp_path)}
    assert names <= {".consolidate-lock", ".memlab"}, "and no temporary file is left in the end"

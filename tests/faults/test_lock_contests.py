"""Real processes and threads at one lock: one winner, every time; and the naive lock's two.

Left out: every order of the steps, which the explorer has, and waiting for an hour to pass.
"""

from __future__ import annotations

import os
import random
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memlab.dream import ConsolidationLock, Held
from tests.faults.racing import lock_directory, race
from tests.platforms import needs_fork


def test_two_naive_holders_are_seen() -> None:
    seen = race("naive", contests=60)
    assert max(holders for holders, count in seen.rows() if count) > 1
    assert sum(count for _, count in seen.rows()) == 60


@pytest.mark.behaviour("J3")
@pytest.mark.parametrize(("start", "jitter"), [("stale", 0), ("none", 0.001), ("done", 0.001)])
def test_ours_has_one_holder(start: str, jitter: float) -> None:
    seen = race(contests=20, jitter=jitter, start=start)
    assert seen.one_each, seen


@pytest.mark.soak
@pytest.mark.parametrize("jitter", [0, 0.001, 0.01])
def test_ours_has_one_holder_a_thousand_times(jitter: float) -> None:
    for seed, start in enumerate(("stale", "none", "done")):
        seen = race(contests=400, jitter=jitter, start=start, seed=seed)
        assert seen.one_each, seen


def test_threads_with_one_process_id_have_one_holder(tmp_path: Path) -> None:
    for contest in range(20):
        directory = lock_directory(tmp_path, contest, "stale")
        together = threading.Barrier(3)

        def attempt(directory: Path, together: threading.Barrier) -> bool:
            together.wait()
            return isinstance(ConsolidationLock(directory).try_acquire(), Held)

        with ThreadPoolExecutor(3) as pool:
            attempts = [pool.submit(attempt, directory, together) for _ in range(3)]
        assert sum(done.result() for done in attempts) == 1


@needs_fork
@pytest.mark.parametrize("kills", [10, pytest.param(300, marks=pytest.mark.soak)])
def test_a_killed_holder_leaves_a_lock_that_heals(tmp_path: Path, kills: int) -> None:
    """Wherever a kill falls, the next session finds the time before and can take the lock."""
    ConsolidationLock(tmp_path).peek()  # what is imported once is not imported in each child
    first = ConsolidationLock(tmp_path)
    assert isinstance(first.try_acquire(), Held)
    assert first.finish()
    before = first.last_consolidated_at()
    chance, rounds, unfinished = random.Random(1), 0, 0
    while rounds < kills or not unfinished:
        rounds += 1
        assert rounds < 20 * kills, "no kill fell between taking the lock and giving it back"
        read_end, write_end = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                while True:
                    lock = ConsolidationLock(tmp_path)
                    lock.try_acquire()
                    os.write(write_end, b".")
                    lock.rollback()
            finally:
                os._exit(1)
        os.close(write_end)
        for _ in range(chance.randrange(1, 6)):
            assert os.read(read_end, 1)
        for _ in range(chance.randrange(40_000)):
            pass
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(read_end)
        lock = ConsolidationLock(tmp_path)
        unfinished += lock.heal() is not None
        assert lock.last_consolidated_at() == before
        assert isinstance(lock.try_acquire(), Held)
        assert lock.rollback()
        assert lock.last_consolidated_at() == before
    names = {path.name for path in tmp_path.iterdir()}
    assert names <= {".consolidate-lock", ".memlab"}, "and no temporary file is left in the end"

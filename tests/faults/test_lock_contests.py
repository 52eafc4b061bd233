"""Real processes at one lock: one winner, every time, and none that was killed keeps it."""

from __future__ import annotations

import multiprocessing
import os
import random
from pathlib import Path

import pytest

from memlab.dream import ConsolidationLock, Held
from memlab.dream.lock import LOCK
from tests.faults.killing import TIMES, child, until_killed
from tests.platforms import needs_fork

pytestmark = [needs_fork, pytest.mark.parametrize("times", TIMES)]
RACERS = 4


@pytest.mark.behaviour("J3")
@pytest.mark.parametrize("rest", ["", None, "token old\nbefore none\ndone\n"])
def test_ours_has_one_holder(rest: str | None, times: int, tmp_path: Path) -> None:
    """The lock before: that of a dead holder, none, or one that is done."""
    folders = [tmp_path / f"{number}" for number in range(12 * times)]
    for folder in folders:
        folder.mkdir()
        if rest is not None:
            (folder / LOCK).write_text(f"{2**30 - 1}\n{rest}")  # no process has this number
            os.utime(folder / LOCK, (10**9, 10**9))
    context = multiprocessing.get_context("fork")
    together, won = context.Barrier(RACERS), context.Array("i", len(folders))

    def run(number: int) -> None:
        chance = random.Random(number)
        for contest, folder in enumerate(folders):
            together.wait()
            sum(range(chance.choice([0, 1_000, 100_000])))
            held = isinstance(ConsolidationLock(folder, wait=30).try_acquire(), Held)
            with won.get_lock():
                won[contest] += held
        together.wait()  # who ended now would free the last lock: its holder would be gone

    ConsolidationLock(tmp_path).peek()  # what is imported once is not imported in each child
    racers = [child(run, number) for number in range(RACERS)]
    assert [os.waitpid(pid, 0)[1] for pid in racers] == [0] * RACERS
    assert {*won} == {1}


@pytest.mark.behaviour("J5")
def test_a_killed_holder_leaves_a_lock_that_heals(tmp_path: Path, times: int) -> None:
    """Wherever a kill falls, the next session finds the time before and can take the lock."""
    first = ConsolidationLock(tmp_path)
    assert isinstance(first.try_acquire(), Held)
    assert first.finish()
    before, chance, rounds, unfinished = first.last_consolidated_at(), random.Random(1), 0, 0

    def work(pipe: int) -> None:
        while True:
            lock = ConsolidationLock(tmp_path)
            lock.try_acquire()
            lock.rollback()

    while rounds < times or not unfinished:
        rounds += 1
        assert rounds < 20 * times, "no kill fell between taking the lock and giving it back"
        until_killed(work, chance)
        lock = ConsolidationLock(tmp_path)
        unfinished += lock.heal() is not None
        assert lock.last_consolidated_at() == before
        assert isinstance(lock.try_acquire(), Held)
        assert lock.rollback()
        assert lock.last_consolidated_at() == before
    assert {*os.listdir(tmp_path)} <= {LOCK, ".memlab"}, "no temporary file is left in the end"

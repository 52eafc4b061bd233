"""A dream that is killed, robbed, starved or overtaken: the memory is as before or as after."""

from __future__ import annotations

import os
import random
import shutil
from contextlib import nullcontext
from typing import Any

import pytest

from memlab.memdir.index import parse_pointers
from memlab.memdir.places import INDEX
from memlab.memdir.store import MemoryStore
from tests.faults.disks import Disk, used_by_stores
from tests.faults.killing import DONE, TIMES, until_killed
from tests.house import House, note
from tests.platforms import needs_fork
from tests.unit.dream import night as n


@pytest.fixture
def night(house: House) -> House:
    house.fill(**n.PURSE)
    shutil.copytree(house.memory, house.home / "past")
    return house


def assert_whole(house: House) -> None:
    """No leftovers, one pointer a memory, and each content of the history to be had."""
    store, now = house.store, n.tree(house.memory)
    assert all(name.endswith(".md") for name in now)
    pointed = [one.file for one in parse_pointers(now[INDEX][0].decode())]
    assert sorted(pointed) == sorted(now.keys() - {INDEX})
    for entry in store.history():
        for sha in entry.hashes:
            store.content(sha)


def store_on(disk: Disk, house: House) -> MemoryStore:
    with used_by_stores(disk):
        return house.store


@pytest.mark.parametrize("fails", [1, 3, 5, 7, 0])
def test_a_disk_that_fails_or_another_writer_costs_nothing(night: House, fails: int) -> None:
    before, disk, context = n.tree(night.memory), Disk(night.memory), night.context()
    disk.fails, disk.lasting = fails or 10**9, True
    context.store = store_on(disk, night)
    context.store.journal.wait = 0
    with nullcontext() if fails else night.store.journal.guard():
        task = n.sleep(night, *n.merge(), context=context)
    assert task.phase == "failed"
    assert (os.strerror(5) if fails else "is writing") in task.notice
    assert n.tree(night.memory) == before
    assert n.lock(night).peek() is None
    assert not list(night.home.parent.glob("memlab-dream-*"))
    assert n.sleep(night, *n.merge()).phase == "done"


@pytest.mark.parametrize("call", ["make", "create", "append", "sync"])
def test_a_hand_that_is_quicker_than_the_commit_wins(night: House, call: str) -> None:
    """Somebody's editor saves a file while the commit is under way, at different moments."""
    mine = note("Robin uses spaces since 2026-03-30, and means it.", "tabs")
    disk, armed = Disk(night.memory), list[bool]()
    real, context = getattr(disk, call), night.context()
    context.store = store_on(disk, night)

    def quick(*given: Any) -> Any:
        if armed and armed.pop():
            (night.memory / "tabs.md").write_text(mine)
        return real(*given)

    setattr(disk, call, quick)
    steps = [*n.merge()[:2], lambda request: armed.append(True) or "Done."]
    task = n.sleep(night, *steps, context=context)
    assert night.files()["tabs.md"] == mine
    assert n.SQL in night.files()["sql.md"], "it rested on the other"
    assert task.receipt.change == "" or not task.receipt.memories
    assert_whole(night)


@needs_fork
@pytest.mark.behaviour("K3")
@pytest.mark.parametrize("kills", TIMES)
def test_a_killed_dream_leaves_the_memory_before_or_after(night: House, kills: int) -> None:
    chance, before, start = random.Random(kills), n.tree(night.memory), night.clock.now()
    started = n.sleep(night, *n.merge()).started
    after, ends = n.tree(night.memory), list[bool]()

    def work(pipe: int) -> None:
        assert n.sleep(night, *n.merge()).receipt.change
        os.write(pipe, DONE)
        os.read(pipe, 1)

    while len(ends) < kills or {*ends} != {True, False}:
        assert len(ends) < 10 * kills, "the kills ended it both ways"
        shutil.rmtree(night.memory)
        shutil.copytree(night.home / "past", night.memory)
        night.clock.__init__(start)  # type: ignore[misc]
        said = until_killed(work, chance, 100)
        assert n.lock(night).peek() is None, "its holder is dead"
        assert_whole(night)
        now = n.tree(night.memory)
        assert now in (before, after), "never between"
        ends.append(now == after)
        assert now == after or DONE not in said, "what was reported as done is done"
        n.lock(night).heal()
        stamp = n.lock(night).last_consolidated_at()
        assert stamp in ((None, started) if now == after else (None,)), "no day is lost"
    n.sleep(night, "All is in order.")
    assert not list(night.home.parent.glob("memlab-dream-*")), "and it has swept up"

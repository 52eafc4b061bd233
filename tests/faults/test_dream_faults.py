"""A dream that is killed, robbed, starved or overtaken: the memory is as before or as after."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import threading
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest

from memlab.dream import Held, StagedMemory
from memlab.dream.plan import Plan
from memlab.memdir.index import parse_pointers
from memlab.memdir.places import INDEX
from memlab.memdir.store import MemoryStore
from tests.faults.disks import Disk, Stopped, used_by_stores
from tests.faults.killing import DONE, TIMES, until_killed
from tests.house import House, note, run
from tests.platforms import needs_fork
from tests.unit.dream import night as n


@pytest.fixture
def night(house: House) -> House:
    house.fill(**n.PURSE)
    shutil.copytree(house.memory, house.home / "past")
    return house


def again(house: House, past: Path) -> None:
    shutil.rmtree(house.memory)
    shutil.copytree(past, house.memory)


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


@pytest.mark.behaviour("K3")
@pytest.mark.parametrize("way", ["commit", "undo"])
@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.soak)])
def test_a_commit_or_undo_stopped_anywhere_is_whole_or_not_at_all(
    night: House, way: str, every: int
) -> None:
    with StagedMemory(night.memory, clock=night.clock, room=night.home.parent) as staged:
        staged.store.write_text("tabs.md", note(f"{n.TABS} {n.SQL}", "tabs"))
        staged.store.write_text("sql.md", n.gone(superseded_by="tabs.md"))
        staged.store.write_text("freeze.md", n.gone(dropped="stale because Easter is over"))
        staged.store.write_text("ferry.md", note("It sails at 07:40.", "Ferry"))
        proposal = staged.proposal()

    def work(disk: Disk) -> None:
        store, mine = store_on(disk, night), n.lock(night, pid=4242)
        if way == "undo":
            store.undo()
            return
        mine.try_acquire()
        given: dict[str, Any] = {"evidence": store.support(), "by": {"who": "dream"}}
        Plan(proposal=proposal, store=store, lock=mine, **given).commit({})
        mine.finish()

    if way == "undo":
        n.sleep(night, *n.merge())
    past, before = shutil.copytree(night.memory, night.home / "start"), n.tree(night.memory)
    work(Disk(night.memory))
    after, seen, disk = n.tree(night.memory), list[bool](), Disk(night.memory)
    assert after != before
    for number in range(1, 200, every):
        again(night, past)
        disk = Disk(night.memory)
        disk.stop, disk.torn = number, number % 4 < 2
        with suppress(Stopped):
            work(disk)
        assert_whole(night)
        now = n.tree(night.memory)
        assert now in (before, after), "never between"
        seen.append(now == after)
        held = n.lock(night, pid=4243, alive=lambda pid: False).try_acquire()
        assert isinstance(held, Held), "the lock can be taken again"
        if len(disk.steps) + 1 < number:
            break
    assert seen == sorted(seen), "once it stands, it stands"
    assert {*seen} == {True, False}


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


@pytest.mark.behaviour("K3")
def test_others_may_write_all_the_while(night: House) -> None:
    stop, wrote = threading.Event(), list[str]()

    def writing() -> None:
        other = night.store
        while not stop.is_set() and len(wrote) < 60:
            name = f"note-{len(wrote)}.md"
            other.write_text(name, note(f"Kept is {name} {name}.", f"Note {name}"))
            wrote.append(name)

    thread = threading.Thread(target=writing)
    thread.start()
    try:
        ends = [n.sleep(night, *n.merge()).phase for _ in range(3)]
    finally:
        stop.set()
        thread.join()
    assert len(wrote) > 5
    assert {*wrote} <= night.files().keys()
    assert {*ends} <= {"done", "failed"}
    assert n.SQL in "".join(night.files().values())
    assert_whole(night)


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


def test_two_dreams_at_once_are_one(night: House) -> None:
    async def both() -> list[str]:
        dreams = [n.make(night).run(n.prefix(night)) for _ in range(2)]
        return [one.phase for one in await asyncio.gather(*dreams)]

    night.answers("dream", *n.merge())
    assert sorted(run(both())) == ["done", "failed"]
    assert_whole(night)


@needs_fork
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
        again(night, night.home / "past")
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

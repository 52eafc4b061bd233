"""A dream that is killed, robbed, starved or overtaken: the memory is as before or as after."""

from __future__ import annotations

import asyncio
import errno
import os
import random
import shutil
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from memlab.dream import Held, StagedMemory
from memlab.dream.plan import Plan
from memlab.memdir.folder import Folder
from memlab.memdir.index import parse_pointers
from memlab.memdir.places import INDEX
from memlab.memdir.store import MemoryStore
from tests.faults.disks import Disk, Stopped, used_by_stores
from tests.faults.killing import DONE, TIMES, until_killed
from tests.house import House, note, reads, run, use
from tests.platforms import needs_fork
from tests.unit.dream import night as n

AS_BEFORE = "The memory is as it was."


@pytest.fixture
def night(house: House) -> House:
    house.fill(**n.PURSE)
    shutil.copytree(house.memory, house.home / "past")
    return house


def again(house: House, past: str = "past") -> None:
    shutil.rmtree(house.memory, ignore_errors=True)
    shutil.copytree(house.home / past, house.memory)


def assert_whole(house: House) -> None:
    """No leftovers, one pointer a memory, and each content of the history to be had."""
    store, now = house.store, n.tree(house.memory)
    assert all(name.endswith(".md") for name in now)
    pointed = [one.file for one in parse_pointers(now[INDEX][0].decode())]
    assert sorted(pointed) == sorted(now.keys() - {INDEX})
    for entry in store.history():
        for sha in entry.hashes:
            store.content(sha)


def store_on(house: House, disk: Disk) -> MemoryStore:
    with used_by_stores(disk):
        return house.store


@pytest.mark.behaviour("K3")
@pytest.mark.parametrize("way", ["commit", "undo"])
@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.soak)])
def test_a_commit_or_undo_stopped_anywhere_is_whole_or_not_at_all(
    night: House, way: str, every: int
) -> None:
    room = night.home.parent
    with StagedMemory(night.memory, clock=night.clock, room=room) as staged:
        staged.store.write_text("tabs.md", note(f"{n.TABS} {n.SQL}", "tabs"))
        staged.store.write_text("sql.md", n.gone(superseded_by="tabs.md"))
        staged.store.write_text("freeze.md", n.gone(dropped="stale because Easter is over"))
        staged.store.write_text("ferry.md", note("It sails at 07:40.", "Ferry"))
        proposal = staged.proposal()

    def commit(disk: Disk) -> None:
        store, mine = store_on(night, disk), n.lock(night, pid=4242)
        mine.try_acquire()
        given: dict[str, Any] = {"evidence": store.support(), "by": {"who": "dream"}}
        Plan(proposal=proposal, store=store, lock=mine, **given).commit({})
        mine.finish()

    def undo(disk: Disk) -> None:
        store_on(night, disk).undo()

    states = [n.tree(night.memory)]
    commit(Disk(night.memory))
    states.append(n.tree(night.memory))
    shutil.copytree(night.memory, night.home / "undo")
    past, work = ("past", commit) if way == "commit" else ("undo", undo)
    before, after = states if way == "commit" else states[::-1]
    assert len(before.keys() ^ after.keys()) == 3
    seen, disk = list[bool](), Disk(night.memory)
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
    assert len(disk.steps) > 15


def fails_at(number: int) -> Callable[[House], dict[str, Any]]:
    def made(house: House) -> dict[str, Any]:
        disk, context = Disk(house.memory), house.context()
        disk.fails, disk.lasting = number, True
        context.store = store_on(house, disk)
        return {"context": context}

    return made


def busy(house: House) -> dict[str, Any]:
    context = house.context()
    context.store = MemoryStore(house.memory, clock=house.clock, wait=0)
    return {"context": context}


FULL = OSError(errno.ENOSPC, "No space left")


@pytest.mark.parametrize(
    ("how", "patch", "why"),
    [
        *((fails_at(number), None, os.strerror(errno.EIO)) for number in (1, 3, 5, 7)),
        (None, mock.patch.object(Path, "write_bytes", side_effect=FULL), "No space"),
        (None, mock.patch.object(Folder, "create", side_effect=FULL), "No space"),
        (busy, None, "is writing"),
    ],
)
def test_a_disk_that_fails(night: House, how: Any, patch: Any, why: str) -> None:
    before, more = n.tree(night.memory), how(night) if how else {}
    guard = night.store.journal.guard() if how is busy else None
    with patch or guard or nullcontext():
        task = n.sleep(night, *n.merge(), **more)
    assert (task.phase, why in task.notice) == ("failed", True)
    assert n.tree(night.memory) == before
    assert n.lock(night).peek() is None
    assert not list(night.home.parent.glob("memlab-dream-*"))
    assert n.sleep(night, *n.merge()).phase == "done"


def test_a_directory_removed_meanwhile_is_not_made_again(night: House) -> None:
    def removed(request: Any) -> str:
        night.memory.rename(night.home / "elsewhere")
        return "Done."

    before = n.tree(night.memory)
    task = n.sleep(night, *n.merge()[:2], removed)
    assert (task.phase, night.memory.exists()) == ("failed", False)
    assert n.tree(night.home / "elsewhere") == before
    (night.home / "elsewhere").rename(night.memory)
    assert n.lock(night, alive=lambda pid: False).heal()
    assert n.sleep(night, *n.merge()).phase == "done"


def test_a_clock_set_back_and_huge_transcripts_do_no_harm(night: House) -> None:
    huge, torn = night.folder / "huge.jsonl", night.folder / "torn.jsonl"
    with huge.open("wb") as target:
        target.truncate(100_000_000)
    torn.write_bytes(b'{"type": "user"\xff\xfe\x00 tabs ' * 1_000)
    told = list[Any]()

    def set_back(request: Any) -> list[Mapping[str, Any]]:
        told.extend(request.messages[-1]["content"])
        night.clock._now -= timedelta(days=365)
        return list(n.merge()[0])

    calls = []
    for path in (huge, torn):
        shown = f"~/{path.relative_to(night.home)}"
        calls += [use("Read", file_path=shown), use("Grep", pattern="tabs", path=shown)]
        calls += [use("Bash", command=f"head -c 2000 ..{shown.removeprefix('~')}")]
    task = n.sleep(night, calls, set_back, *n.merge()[1:], sessions=[huge, torn])
    assert task.notice == "The dream merged 1 memory, changed 1."
    assert len(told) == len(calls)
    assert max(len(str(one["content"])) for one in told) < 200_000
    assert_whole(night)


@pytest.mark.behaviour("K3")
def test_others_may_write_all_the_while(night: House) -> None:
    stop, wrote = threading.Event(), list[str]()
    other = night.store

    def writing() -> None:
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
    now = night.files()
    assert len(wrote) > 5
    assert {*wrote} <= now.keys()
    assert {*ends} <= {"done", "failed"}
    assert n.SQL in now["tabs.md"] + now.get("sql.md", "")
    assert_whole(night)


@pytest.mark.parametrize("call", ["make", "create", "append", "sync"])
def test_a_hand_that_is_quicker_than_the_commit_wins(night: House, call: str) -> None:
    """Somebody's editor saves a file while the commit is under way, at different moments."""
    mine = note("Robin uses spaces since 2026-03-30, and means it.", "tabs")
    disk, armed = Disk(night.memory), list[bool]()
    real, context = getattr(disk, call), night.context()
    context.store = store_on(night, disk)

    def quick(*given: Any) -> Any:
        if armed and armed.pop():
            (night.memory / "tabs.md").write_text(mine)
        return real(*given)

    def arm(request: Any) -> str:
        armed.append(True)
        return "Done."

    setattr(disk, call, quick)
    task = n.sleep(night, *n.merge()[:2], arm, context=context)
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
@pytest.mark.parametrize("way", ["dream", "undo"])
def test_a_killed_dream_leaves_the_memory_before_or_after(
    night: House, kills: int, way: str
) -> None:
    chance, before = random.Random(kills), n.tree(night.memory)
    start = night.clock.now()
    started = n.sleep(night, *n.merge()).started
    after, ends, undone = n.tree(night.memory), list[bool](), way == "undo"
    shutil.copytree(night.memory, night.home / "undo")
    if undone:
        before, after = after, before

    def work(pipe: int) -> None:
        if undone:
            night.store.undo()
        else:
            assert n.sleep(night, *n.merge()).receipt.change
        os.write(pipe, DONE)
        os.read(pipe, 1)

    while len(ends) < kills or {*ends} != {True, False}:
        assert len(ends) < 10 * kills, "the kills ended it both ways"
        again(night, "undo" if undone else "past")
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
        if not undone:
            assert stamp in (None, started)
            assert now == after or not stamp, "no day is lost"
    assert n.sleep(night, [reads("tabs.md")], "All is in order.").phase == "done"
    assert not list(night.home.parent.glob("memlab-dream-*")), "and it has swept up"

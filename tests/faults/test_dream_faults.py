"""A dream that is killed, robbed, starved or overtaken: the memory is as before or as after.

And the person is told which. Left out: a dreamer that means harm (``test_hostile_dreamer``).
"""

from __future__ import annotations

import asyncio
import errno
import os
import random
import shutil
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memlab.dream import ConsolidationLock, DreamTask, Held, Receipt, StagedMemory, plan
from memlab.dream.plan import Plan
from memlab.errors import StoreError
from memlab.events import Event
from memlab.evidence.review import Review
from memlab.memdir.folder import Folder
from memlab.memdir.index import parse_pointers
from memlab.memdir.places import INDEX
from memlab.memdir.store import MemoryStore
from tests.faults.disks import copy_tree, tree
from tests.faults.test_kills import needs_fork, until_killed
from tests.unit.agent.helpers import run, use
from tests.unit.dream.helpers import PURSE, DreamSetup, dream_setup, dreamer, live, text, tombstone
from tests.unit.memdir.test_journal import Crash, Disk

AS_BEFORE = "The memory is as it was."
Tree = dict[str, tuple[bytes, int]]


@pytest.fixture
def setup() -> Iterator[DreamSetup]:
    with dream_setup() as setup:
        yield setup


def memories(directory: Path) -> Tree:
    """Every file but our own records and the lock."""
    return {name: found for name, found in tree(directory).items() if not name.startswith(".")}


def assert_whole(setup: DreamSetup) -> None:
    """No leftovers, one pointer a memory, each content of the history to be had."""
    store = MemoryStore(setup.memory, clock=setup.clock)
    now = memories(setup.memory)
    assert all(name.endswith(".md") for name in now)
    pointed = [one.file for one in parse_pointers(now[INDEX][0].decode())]
    assert sorted(pointed) == sorted(now.keys() - {INDEX})
    for entry in store.history():
        for sha in entry.hashes:
            store.content(sha)


def prepared(setup: DreamSetup) -> StagedMemory:
    """A copy in which the two memories of tabs are one, a new one is there and one is dropped."""
    staged = StagedMemory(setup.memory, clock=setup.clock, room=setup.home.parent)
    body = f"{PURSE['tabs.md'][3]} {PURSE['tabs-again.md'][3]}"
    staged.store.write_text("tabs.md", text("Tabs", "user", "tabs everywhere", body))
    staged.store.write_text("tabs-again.md", tombstone(superseded_by="tabs.md"))
    staged.store.write_text("freeze.md", tombstone(dropped="stale because Easter is over"))
    staged.store.write_text("ferry.md", text("Ferry", "reference", "sails", "It sails at 07:40."))
    return staged


def store_on(setup: DreamSetup, disk: Disk | None) -> MemoryStore:
    """Open the memory, and then go on with this disk."""
    store = MemoryStore(setup.memory, clock=setup.clock)
    store.folder = store.journal.folder = disk or store.folder
    return store


def commit(setup: DreamSetup, disk: Disk | None = None, undo: bool = False) -> Receipt:
    """Commit the prepared copy, or take it back, on some disk."""
    with prepared(setup) as staged:
        lock = setup.lock(pid=4242, alive=lambda pid: False)
        lock.try_acquire()
        store = store_on(setup, None if undo else disk)
        made = Plan(
            proposal=staged.proposal(),
            store=store,
            lock=lock,
            evidence=store.support(),
            by={"who": "dream"},
        )
        receipt = made.commit({})
        lock.finish()
    if undo:
        store_on(setup, disk).undo(receipt.change)
    return receipt


@pytest.fixture(params=[False, True], ids=["commit", "undo"])
def undo(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.mark.behaviour("K3")
def test_a_commit_or_undo_stopped_anywhere_is_whole_or_not_at_all(
    setup: DreamSetup, undo: bool
) -> None:
    past = copy_tree(setup.memory, setup.home / "past")
    before = memories(setup.memory)

    def again(disk: Disk | None = None) -> None:
        shutil.rmtree(setup.memory)
        copy_tree(past, setup.memory)
        commit(setup, disk, undo)

    commit(setup)
    after = memories(setup.memory)
    assert {"tabs-again.md", "freeze.md"} == before.keys() - after.keys()
    again()
    assert memories(setup.memory) == (before if undo else after)
    seen: list[bool] = []
    disk = Disk(setup.memory)
    disk.left = 0
    while disk.left <= 0:
        disk = Disk(setup.memory)
        disk.left, disk.torn = len(seen) + 1, len(seen) % 2 == 0
        with suppress(Crash):
            again(disk)
        assert_whole(setup)
        now = memories(setup.memory)
        assert now in (before, after), "never between"
        seen.append(now == after)
        held = setup.lock(pid=4243, alive=lambda pid: False).try_acquire()
        assert isinstance(held, Held), "the lock can be taken again"
    assert seen == sorted(seen, reverse=undo), "once it stands, it stands"
    assert set(seen) == {True, False}
    assert len(seen) > 15


class Broken(Disk):
    """A disk that gives an error from some operation on."""

    error = errno.EIO

    def _tick(self) -> None:
        self.left -= 1
        if self.left <= 0:
            raise OSError(self.error, os.strerror(self.error), "memory")


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EIO], ids=errno.errorcode.get)
def test_a_disk_that_fails_at_the_commit_changes_nothing(setup: DreamSetup, error: int) -> None:
    before = memories(setup.memory)
    for number in (1, 3, 5, 7):
        disk = Broken(setup.memory)
        disk.left, disk.error = number, error
        setup.context.store = store_on(setup, disk)
        task = setup.sleep(*setup.merge())
        assert task.phase == "failed"
        assert os.strerror(error) in task.notice
        assert task.notice.endswith(AS_BEFORE)
        assert memories(setup.memory) == before
        assert setup.lock().peek() is None
    setup.context.store = MemoryStore(setup.memory, clock=setup.clock)
    assert setup.sleep(*setup.merge()).phase == "done"


def test_no_room_for_the_copy(setup: DreamSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree(setup.memory)

    def full(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    task = setup.sleep(*setup.merge())
    assert task.notice.startswith("The dream failed: ")
    assert "No space left" in task.notice
    assert tree(setup.memory) == before
    assert not list(setup.home.parent.glob("memlab-dream-*"))


def test_a_directory_that_can_only_be_read(
    setup: DreamSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(*given: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    before = tree(setup.memory)
    monkeypatch.setattr(Folder, "create", read_only)
    task = setup.sleep(*setup.merge())
    assert task.phase == "failed"
    assert "Read-only file system" in task.notice
    assert setup.model.requests == [], "no model was asked"
    assert tree(setup.memory) == before


def test_a_directory_removed_meanwhile_is_not_made_again(setup: DreamSetup) -> None:
    def removed(request: Any) -> str:
        setup.memory.rename(setup.home / "elsewhere")
        return "Done."

    before = memories(setup.memory)
    task = setup.sleep(*setup.merge()[:2], removed)
    assert task.phase == "failed"
    assert not setup.memory.exists()
    assert memories(setup.home / "elsewhere") == before
    (setup.home / "elsewhere").rename(setup.memory)
    assert setup.lock(alive=lambda pid: False).heal()
    assert setup.sleep(*setup.merge()).phase == "done"


@pytest.mark.parametrize("moment", ["before", "meanwhile"])
def test_a_clock_set_back_a_year(setup: DreamSetup, moment: str) -> None:
    def set_back(request: Any = None) -> str:
        setup.clock._now -= timedelta(days=365)
        return "Done."

    if moment == "before":
        setup.sleep("All is in order.")
        set_back()
    before = memories(setup.memory)
    task = setup.sleep(*setup.merge()[:2], "Done." if moment == "before" else set_back)
    assert task.notice == "The dream merged 1 memory, changed 1."
    assert_whole(setup)
    assert setup.lock().peek() is None
    MemoryStore(setup.memory, clock=setup.clock).undo(task.receipt.change)
    assert memories(setup.memory) == before


def test_transcripts_may_be_corrupt_and_huge(setup: DreamSetup) -> None:
    huge, torn = setup.sessions / "huge.jsonl", setup.sessions / "torn.jsonl"
    with huge.open("wb") as target:
        target.write(b'{"type": "user", "text": "tabs"}\n')
        target.truncate(100_000_000)
    torn.write_bytes(b'{"type": "user"\xff\xfe\x00 tabs ' * 1_000)
    shown = [setup.context.show(one) for one in (huge, torn)]
    calls = [use("Read", file_path=one) for one in shown]
    calls += [use("Grep", pattern="tabs", path=one, output_mode="content") for one in shown]
    calls += [use("Bash", command=f"head -c 2000 {one}") for one in (huge, torn)]
    calls += [use("Bash", command=f"grep -c -m 5 tabs {one}") for one in (huge, torn)]
    told: list[Any] = []

    def look(request: Any) -> list[Any]:
        told.extend(request.messages[-1]["content"])
        return setup.merge()[0]  # type: ignore[return-value]

    task = setup.sleep(calls, look, *setup.merge()[1:], sessions=[huge, torn])
    assert task.notice == "The dream merged 1 memory, changed 1."
    assert len(told) == len(calls)
    assert max(len(str(one["content"]).encode()) for one in told) < 200_000
    assert "10 MB" in told[0]["content"]


@pytest.mark.behaviour("K3")
def test_others_may_write_all_the_while(setup: DreamSetup) -> None:
    other, stop, wrote = (
        MemoryStore(setup.memory, clock=setup.clock),
        threading.Event(),
        list[str](),
    )

    def busy() -> None:
        while not stop.is_set() and len(wrote) < 60:
            name = f"note-{len(wrote)}.md"
            other.write_text(name, text(f"Note {name}", "user", name, f"Kept: {name} {name}."))
            wrote.append(name)

    thread = threading.Thread(target=busy)
    thread.start()
    ends = []
    try:
        for _ in range(3):
            ends.append(setup.sleep(*setup.merge()))
    finally:
        stop.set()
        thread.join()
    now = live(setup.memory)
    assert len(wrote) > 5
    assert {*wrote} <= now.keys()
    assert_whole(setup)
    assert {one.phase for one in ends} <= {"done", "failed"}
    assert "commas at the start" in now["tabs.md"] + now.get("tabs-again.md", "")


@pytest.mark.parametrize("call", ["make", "create", "append", "sync"])
def test_a_hand_that_is_quicker_than_the_commit_wins(
    setup: DreamSetup, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody's editor saves a file while the commit is under way, at different moments."""
    mine = text("Tabs", "user", "tabs", "Robin uses spaces since 2026-03-30, and means it.")
    armed, done = list[bool](), list[bool]()
    disk = Disk(setup.memory)
    real = getattr(disk, call)

    def quick(*given: Any) -> Any:
        if armed and not done:
            done.append(True)
            (setup.memory / "tabs.md").write_text(mine)
        return real(*given)

    monkeypatch.setattr(disk, call, quick)
    setup.context.store = store_on(setup, disk)

    def arm(request: Any) -> str:
        armed.append(True)
        return "Done."

    task = setup.sleep(*setup.merge()[:2], arm)
    assert done
    now = live(setup.memory)
    assert now["tabs.md"] == mine
    assert now["tabs-again.md"].endswith("at the start of a line.\n"), "it rested on the other"
    assert_whole(setup)
    assert task.receipt.change == "" or not task.receipt.memories


class Hasty(random.Random):
    """Chance for ``until_killed``: among many more moments, and with little delay after each."""

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        return super().randrange(start * 6)

    def random(self) -> float:
        return super().random() / 50


def sleep_in_child(setup: DreamSetup, pipe: int) -> None:
    """Dream once; say a byte at each event, each review, and each file call of the commit."""

    judge = plan.review

    def said(*given: Any, **more: Any) -> Review:
        os.write(pipe, b"r")
        return judge(*given, **more)

    def happened(event: Event) -> None:
        os.write(pipe, b"e")

    class Telling(Disk):
        def _tick(self) -> None:
            os.write(pipe, b"c")

    setup.events.subscribe(happened)
    setup.context.store = store_on(setup, Telling(setup.memory))
    plan.review = said
    task = setup.sleep(*setup.merge())
    plan.review = judge
    os.write(pipe, b"d" if task.receipt.change else b"f")


@needs_fork
@pytest.mark.parametrize("kills", [40, pytest.param(500, marks=pytest.mark.soak)])
def test_a_killed_dream_leaves_the_memory_before_or_after(setup: DreamSetup, kills: int) -> None:
    chance, past = Hasty(kills), copy_tree(setup.memory, setup.home / "past")
    before, start = memories(setup.memory), setup.clock.now()
    started = setup.sleep(*setup.merge()).started
    after, ends, number = memories(setup.memory), list[tuple[bool, bytes]](), 0
    # How many kills it takes to fall into the commit depends on the machine.
    while number < kills or {end for end, _ in ends} != {True, False} or not committing(ends):
        number += 1
        assert number < 10 * kills, "the kills fell into the commit, and ended both ways"
        shutil.rmtree(setup.memory)
        copy_tree(past, setup.memory)
        setup.clock._now = start
        said = until_killed(lambda pipe: sleep_in_child(setup, pipe), chance)
        lock = setup.lock()
        assert lock.peek() is None, "its holder is dead"
        MemoryStore(setup.memory, clock=setup.clock)
        now = memories(setup.memory)
        assert now in (before, after), "never between"
        ends.append((now == after, said[-1:]))
        if said.endswith(b"d"):
            assert now == after, "what was reported as done is done"
            assert (setup.memory / ".consolidate-lock").read_bytes().endswith(b"done\n")
        assert_whole(setup)
        lock.heal()
        stamp = lock.last_consolidated_at()
        assert stamp in (None, started)
        assert now == after or not stamp, "no day is lost by a dream that changed nothing"
        if kills < 100 and number % 4:
            continue
        setup.clock.advance(1)
        following = setup.sleep(*setup.merge())
        assert following.phase == "done", following.notice
        assert memories(setup.memory).keys() == after.keys()
        assert not list(setup.home.parent.glob("memlab-dream-*")), "and it has swept up"


def committing(ends: list[tuple[bool, bytes]]) -> int:
    return sum(said == b"c" for _, said in ends)


@needs_fork
@pytest.mark.parametrize("kills", [12, pytest.param(100, marks=pytest.mark.soak)])
def test_a_killed_undo_leaves_the_memory_before_or_after(setup: DreamSetup, kills: int) -> None:
    chance, before = random.Random(kills), memories(setup.memory)
    task: DreamTask = setup.sleep(*setup.merge())
    after, past = memories(setup.memory), copy_tree(setup.memory, setup.home / "past")
    seen, in_the_middle, rounds = set(), 0, 0
    while rounds < kills or seen != {True, False} or not in_the_middle:
        rounds += 1
        assert rounds < 20 * kills, f"no kill fell into the undoing, or all ended alike: {seen}"
        shutil.rmtree(setup.memory)
        copy_tree(past, setup.memory)

        def undoing(pipe: int) -> None:
            store = MemoryStore(setup.memory, clock=setup.clock)
            for _ in range(20):
                os.write(pipe, b"s")
                store.undo(task.receipt.change)
                os.write(pipe, b"d")
                store.undo(store.history()[-1].id)

        said = until_killed(undoing, chance)
        in_the_middle += said.endswith(b"s")
        store = MemoryStore(setup.memory, clock=setup.clock)
        now = memories(setup.memory)
        assert now in (before, after)
        seen.add(now == after)
        assert_whole(setup)
        if now == after:
            newest = store.history()[-1].id
            store.undo(task.receipt.change if newest == task.receipt.change else newest)
        assert isinstance(setup.lock(), ConsolidationLock)
        assert setup.lock().peek() is None


def test_a_store_that_is_busy_is_told(setup: DreamSetup) -> None:
    with MemoryStore(setup.memory, clock=setup.clock).journal.guard():
        setup.context.store = MemoryStore(setup.memory, clock=setup.clock, wait=0)
        task = setup.sleep(*setup.merge())
    assert "is writing" in task.notice
    assert task.notice.endswith(AS_BEFORE)
    with pytest.raises(StoreError):
        MemoryStore(setup.memory, clock=setup.clock).undo("change-0099")


def test_two_dreams_at_once_are_one(setup: DreamSetup) -> None:
    async def both() -> list[DreamTask]:
        dreams = [setup.dream(lock=setup.lock()) for _ in range(2)]
        return await asyncio.gather(*(one.run(setup.prefix()) for one in dreams))

    with dreamer(setup.model, *setup.merge()):
        ends = run(both)
    assert sorted(one.phase for one in ends) == ["done", "failed"]
    assert_whole(setup)

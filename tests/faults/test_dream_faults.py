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
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memlab.dream import ConsolidationLock, DreamTask, Held, Receipt, StagedMemory
from memlab.dream.lock import LockFiles
from memlab.dream.plan import Plan
from memlab.errors import StoreError
from memlab.events import Event
from memlab.memdir.files import RealFiles
from memlab.memdir.index import INDEX, parse_pointers
from memlab.memdir.review import review
from memlab.memdir.store import MemoryStore
from tests.faults.disks import (
    CHANGING,
    Failing,
    Stopped,
    Stopping,
    Watched,
    copy_tree,
    tree,
)
from tests.faults.test_kills import needs_fork, until_killed
from tests.unit.agent.desk import run, use
from tests.unit.dream.bed import PURSE, Bed, dreamer, live, made_bed, text, tombstone

AS_BEFORE = "The memory is as it was."
Tree = dict[str, tuple[bytes, int]]


@pytest.fixture
def bed() -> Iterator[Bed]:
    with made_bed() as bed:
        yield bed


def memories(directory: Path) -> Tree:
    """Every file but our own records and the lock."""
    return {name: found for name, found in tree(directory).items() if not name.startswith(".")}


def assert_whole(bed: Bed) -> None:
    """No leftovers, one pointer a memory, each content of the history to be had."""
    store = MemoryStore(bed.memory, clock=bed.clock)
    now = memories(bed.memory)
    assert all(name.endswith(".md") for name in now)
    pointed = [one.file for one in parse_pointers(now[INDEX][0].decode())]
    assert sorted(pointed) == sorted(now.keys() - {INDEX})
    for entry in store.history():
        for _, sha in entry.hashes():
            store.content(sha)


def prepared(bed: Bed) -> StagedMemory:
    """A copy in which the two memories of tabs are one, a new one is there and one is dropped."""
    staged = StagedMemory(bed.memory, clock=bed.clock, room=bed.home.parent)
    body = f"{PURSE['tabs.md'][3]} {PURSE['tabs-again.md'][3]}"
    staged.store.write_text("tabs.md", text("Tabs", "user", "tabs everywhere", body))
    staged.store.write_text("tabs-again.md", tombstone(superseded_by="tabs.md"))
    staged.store.write_text("freeze.md", tombstone(dropped="stale because Easter is over"))
    staged.store.write_text("ferry.md", text("Ferry", "reference", "sails", "It sails at 07:40."))
    return staged


def commit(bed: Bed, files: RealFiles | None = None, undo: bool = False) -> Receipt:
    """Commit the prepared copy, or take it back, through some file calls."""
    with prepared(bed) as staged:
        lock = bed.lock(pid=4242, alive=lambda pid: False)
        lock.try_acquire()
        store = MemoryStore(bed.memory, clock=bed.clock, files=None if undo else files)
        plan = Plan(staged.proposal(), store=store, lock=lock, review=review)
        receipt = plan.commit({}, who="dream")
        lock.finish()
    if undo:
        MemoryStore(bed.memory, clock=bed.clock, files=files).undo(receipt.change)
    return receipt


@pytest.fixture(params=[False, True], ids=["commit", "undo"])
def undo(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_commit_or_undo_stopped_anywhere_is_whole_or_not_at_all(
    bed: Bed, undo: bool, every: bool
) -> None:
    past = copy_tree(bed.memory, bed.home / "past")
    before = memories(bed.memory)

    def again(files: RealFiles | None = None) -> None:
        shutil.rmtree(bed.memory)
        copy_tree(past, bed.memory)
        commit(bed, files, undo)

    files = Watched()
    commit(bed, files.files)
    after = memories(bed.memory)
    assert {"tabs-again.md", "freeze.md"} == before.keys() - after.keys()
    if undo:
        files = Watched()
        again(files.files)
        assert memories(bed.memory) == before
    calls = [n for n, (name, _) in enumerate(files.trace, 1) if every or name in CHANGING]
    seen = []
    for number in calls:
        with pytest.raises(Stopped):
            again(Stopping(number, torn=number % 2 == 0).files)
        assert_whole(bed)
        now = memories(bed.memory)
        assert now in (before, after), "never between"
        seen.append(now == after)
        held = bed.lock(pid=4243, alive=lambda pid: False).try_acquire()
        assert isinstance(held, Held), "the lock can be taken again"
    assert seen == sorted(seen, reverse=undo), "once it stands, it stands"
    assert set(seen) == {True, False}
    assert len(calls) > 20


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EIO], ids=errno.errorcode.get)
def test_a_disk_that_fails_at_the_commit_changes_nothing(bed: Bed, error: int) -> None:
    before, files = memories(bed.memory), Watched()
    commit_calls = []
    for number in (3, 7, 15, 25):
        failing = Failing(number, error)
        bed.context.store = MemoryStore(bed.memory, clock=bed.clock, files=files.files)
        bed.context.store._files = bed.context.store._wal._files = failing.files
        bed.context.store._journal._files = failing.files
        task = bed.sleep(*bed.merge())
        commit_calls.append(len(failing.trace))
        assert task.phase == "failed"
        assert os.strerror(error) in task.notice
        assert task.notice.endswith(AS_BEFORE)
        assert memories(bed.memory) == before
        assert bed.lock().peek() is None
    bed.context.store = MemoryStore(bed.memory, clock=bed.clock)
    assert bed.sleep(*bed.merge()).phase == "done"
    assert min(commit_calls) >= 3


def test_no_room_for_the_copy(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree(bed.memory)

    def full(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    task = bed.sleep(*bed.merge())
    assert task.notice.startswith("The dream failed: ")
    assert "No space left" in task.notice
    assert tree(bed.memory) == before
    assert not list(bed.home.parent.glob("memlab-dream-*"))


def test_a_directory_that_can_only_be_read(bed: Bed) -> None:
    class ReadOnly(LockFiles):
        def write(self, path: Path, data: bytes, mode: int | None = None) -> None:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    before = tree(bed.memory)
    task = bed.sleep(*bed.merge(), lock=bed.lock(files=ReadOnly()))
    assert task.phase == "failed"
    assert "Read-only file system" in task.notice
    assert bed.model.requests == [], "no model was asked"
    assert tree(bed.memory) == before


def test_a_directory_removed_meanwhile_is_not_made_again(bed: Bed) -> None:
    def removed(request: Any) -> str:
        bed.memory.rename(bed.home / "elsewhere")
        return "Done."

    before = memories(bed.memory)
    task = bed.sleep(*bed.merge()[:2], removed)
    assert "the memory directory is gone" in task.notice
    assert not bed.memory.exists()
    assert memories(bed.home / "elsewhere") == before
    (bed.home / "elsewhere").rename(bed.memory)
    assert bed.lock(alive=lambda pid: False).heal()
    assert bed.sleep(*bed.merge()).phase == "done"


@pytest.mark.parametrize("moment", ["before", "meanwhile"])
def test_a_clock_set_back_a_year(bed: Bed, moment: str) -> None:
    def set_back(request: Any = None) -> str:
        bed.clock._now -= timedelta(days=365)
        return "Done."

    if moment == "before":
        bed.sleep("All is in order.")
        set_back()
    before = memories(bed.memory)
    task = bed.sleep(*bed.merge()[:2], "Done." if moment == "before" else set_back)
    assert task.notice == "The dream merged 1 memory, changed 1."
    assert_whole(bed)
    assert bed.lock().peek() is None
    MemoryStore(bed.memory, clock=bed.clock).undo(task.receipt.change)
    assert memories(bed.memory) == before


def test_transcripts_may_be_corrupt_and_huge(bed: Bed) -> None:
    huge, torn = bed.sessions / "huge.jsonl", bed.sessions / "torn.jsonl"
    with huge.open("wb") as target:
        target.write(b'{"type": "user", "text": "tabs"}\n')
        target.truncate(100_000_000)
    torn.write_bytes(b'{"type": "user"\xff\xfe\x00 tabs ' * 1_000)
    shown = [bed.context.show(one) for one in (huge, torn)]
    calls = [use("Read", file_path=one) for one in shown]
    calls += [use("Grep", pattern="tabs", path=one, output_mode="content") for one in shown]
    calls += [use("Bash", command=f"head -c 2000 {one}") for one in (huge, torn)]
    calls += [use("Bash", command=f"grep -c -m 5 tabs {one}") for one in (huge, torn)]
    told: list[Any] = []

    def look(request: Any) -> list[Any]:
        told.extend(request.messages[-1]["content"])
        return bed.merge()[0]  # type: ignore[return-value]

    task = bed.sleep(calls, look, *bed.merge()[1:], sessions=[huge, torn])
    assert task.notice == "The dream merged 1 memory, changed 1."
    assert len(told) == len(calls)
    assert max(len(str(one["content"]).encode()) for one in told) < 200_000
    assert "10 MB" in told[0]["content"]


def test_others_may_write_all_the_while(bed: Bed) -> None:
    other, stop, wrote = MemoryStore(bed.memory, clock=bed.clock), threading.Event(), list[str]()

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
            ends.append(bed.sleep(*bed.merge()))
    finally:
        stop.set()
        thread.join()
    now = live(bed.memory)
    assert len(wrote) > 5
    assert {*wrote} <= now.keys()
    assert_whole(bed)
    assert {one.phase for one in ends} <= {"done", "failed"}
    assert "commas at the start" in now["tabs.md"] + now.get("tabs-again.md", "")


@pytest.mark.parametrize("call", ["make_directory", "append", "sync"])
def test_a_hand_that_is_quicker_than_the_commit_wins(bed: Bed, call: str) -> None:
    """Somebody's editor saves a file while the commit is under way, at different moments."""
    mine = text("Tabs", "user", "tabs", "Robin uses spaces since 2026-03-30, and means it.")

    class Hand(Watched):
        done = False

        def step(self, name: str, method: Callable[..., Any], path: Path, *rest: Any) -> Any:
            if name == call and armed and not self.done:
                self.done = True
                (bed.memory / "tabs.md").write_text(mine)
            return method(path, *rest)

    armed, hand = list[bool](), Hand()
    bed.context.store = MemoryStore(bed.memory, clock=bed.clock, files=hand.files)

    def arm(request: Any) -> str:
        armed.append(True)
        return "Done."

    task = bed.sleep(*bed.merge()[:2], arm)
    assert hand.done
    now = live(bed.memory)
    assert now["tabs.md"] == mine
    assert now["tabs-again.md"].endswith("at the start of a line.\n"), "it rested on the other"
    assert_whole(bed)
    assert task.phase == "done"
    assert task.receipt.accepted == ()


def test_a_memory_that_never_holds_still_is_given_up(bed: Bed) -> None:
    class Restless(MemoryStore):
        count = 0

        def replace_many(self, *given: Any, **more: Any) -> Any:
            Restless.count += 1
            (bed.memory / "harbour.md").write_text(
                text("H", "user", "h", f"Number {Restless.count} is the last one.")
            )
            return super().replace_many(*given, **more)

    bed.context.store = Restless(bed.memory, clock=bed.clock)
    task = bed.sleep(*bed.merge())
    assert "others kept changing the memory" in task.notice
    assert live(bed.memory).keys() == {*PURSE, INDEX}
    assert Restless.count == 5


class Hasty(random.Random):
    """Chance for ``until_killed``: among many more moments, and with little delay after each."""

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        return super().randrange(start * 6)

    def random(self) -> float:
        return super().random() / 50


def sleep_in_child(bed: Bed, pipe: int) -> None:
    """Dream once; say a byte at each event, each review, and each file call of the commit."""

    def said(*given: Any, **more: Any) -> Receipt:
        os.write(pipe, b"r")
        return review(*given, **more)

    def happened(event: Event) -> None:
        os.write(pipe, b"e")

    class Telling(Watched):
        def step(self, name: str, method: Callable[..., Any], path: Path, *rest: Any) -> Any:
            if name in CHANGING:
                os.write(pipe, b"c")
            return method(path, *rest)

    bed.events.subscribe(happened)
    bed.context.store = MemoryStore(bed.memory, clock=bed.clock, files=Telling().files)
    task = bed.sleep(*bed.merge(), review=said)
    os.write(pipe, b"d" if task.receipt.change else b"f")


@needs_fork
@pytest.mark.parametrize("kills", [40, pytest.param(500, marks=pytest.mark.soak)])
def test_a_killed_dream_leaves_the_memory_before_or_after(bed: Bed, kills: int) -> None:
    chance, past = Hasty(kills), copy_tree(bed.memory, bed.home / "past")
    before, start = memories(bed.memory), bed.clock.now()
    started = bed.sleep(*bed.merge()).started
    after, ends = memories(bed.memory), list[tuple[bool, bytes]]()
    for number in range(kills):
        shutil.rmtree(bed.memory)
        copy_tree(past, bed.memory)
        bed.clock._now = start
        said = until_killed(lambda pipe: sleep_in_child(bed, pipe), chance)
        lock = bed.lock()
        assert lock.peek() is None, "its holder is dead"
        MemoryStore(bed.memory, clock=bed.clock)
        now = memories(bed.memory)
        assert now in (before, after), "never between"
        ends.append((now == after, said[-1:]))
        if said.endswith(b"d"):
            assert now == after, "what was reported as done is done"
            assert (bed.memory / ".consolidate-lock").read_bytes().endswith(b"done\n")
        assert_whole(bed)
        lock.heal()
        stamp = lock.last_consolidated_at()
        assert stamp in (None, started)
        assert now == after or not stamp, "no day is lost by a dream that changed nothing"
        if kills < 100 and number % 4:
            continue
        bed.clock.advance(1)
        following = bed.sleep(*bed.merge())
        assert following.phase == "done", following.notice
        assert memories(bed.memory).keys() == after.keys()
        assert not list(bed.home.parent.glob("memlab-dream-*")), "and it has swept up"
    assert {end for end, _ in ends} == {True, False}
    committing = [said for _, said in ends if said == b"c"]
    assert committing, "the kills fell into the commit"


@needs_fork
@pytest.mark.parametrize("kills", [12, pytest.param(100, marks=pytest.mark.soak)])
def test_a_killed_undo_leaves_the_memory_before_or_after(bed: Bed, kills: int) -> None:
    chance, before = random.Random(kills), memories(bed.memory)
    task: DreamTask = bed.sleep(*bed.merge())
    after, past = memories(bed.memory), copy_tree(bed.memory, bed.home / "past")
    seen, in_the_middle = set(), 0
    for _ in range(kills):
        shutil.rmtree(bed.memory)
        copy_tree(past, bed.memory)

        def undoing(pipe: int) -> None:
            store = MemoryStore(bed.memory, clock=bed.clock)
            for _ in range(20):
                os.write(pipe, b"s")
                store.undo(task.receipt.change)
                os.write(pipe, b"d")
                store.undo(store.history()[-1].id)

        said = until_killed(undoing, chance)
        in_the_middle += said.endswith(b"s")
        store = MemoryStore(bed.memory, clock=bed.clock)
        now = memories(bed.memory)
        assert now in (before, after)
        seen.add(now == after)
        assert_whole(bed)
        if now == after:
            newest = store.history()[-1].id
            store.undo(task.receipt.change if newest == task.receipt.change else newest)
        assert isinstance(bed.lock(), ConsolidationLock)
        assert bed.lock().peek() is None
    assert seen == {True, False}
    assert in_the_middle, "the kills fell into the undoing"


def test_a_store_that_is_busy_is_told(bed: Bed) -> None:
    with MemoryStore(bed.memory, clock=bed.clock)._guard({"who": "somebody"}):
        bed.context.store = MemoryStore(bed.memory, clock=bed.clock, wait=0)
        task = bed.sleep(*bed.merge())
    assert "is writing" in task.notice
    assert task.notice.endswith(AS_BEFORE)
    with pytest.raises(StoreError):
        MemoryStore(bed.memory, clock=bed.clock).undo("change-0099")


def test_two_dreams_at_once_are_one(bed: Bed) -> None:
    async def both() -> list[DreamTask]:
        dreams = [bed.dream(lock=bed.lock()) for _ in range(2)]
        return await asyncio.gather(*(one.run(bed.prefix()) for one in dreams))

    with dreamer(*bed.merge()):
        ends = run(both)
    assert sorted(one.phase for one in ends) == ["done", "failed"]
    assert_whole(bed)

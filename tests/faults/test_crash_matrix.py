"""Each kind of change, and each way in which a disk can let it down, at each operation: the change
is there or not, never half, and nothing is lost.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memlab.errors import StoreError
from memlab.memdir import folder as folder_module
from memlab.memdir.store import MemoryStore
from tests.faults.disks import (
    TENTH_AND_ALL,
    Disk,
    PowerCut,
    Stopped,
    copy_tree,
    leftovers,
    stopped,
    tree,
)
from tests.faults.scenes import CHANGES, TWO_STEPS, assert_whole, build, open_store, undo_all

Tree = dict[str, tuple[bytes, int]]
points = pytest.mark.parametrize("every", TENTH_AND_ALL)
each_change = pytest.mark.parametrize("name", CHANGES)


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("past") / "memory")


class Bench:
    """Copies of the past, and what one change makes of it."""

    def __init__(self, past: Path, room: Path, name: str) -> None:
        numbers = itertools.count()
        self.fresh = lambda: copy_tree(past, room / f"{next(numbers)}")
        self.work: Callable[[MemoryStore], object] = CHANGES[name]
        self.before = tree(past)
        whole = self.fresh()
        self.work(open_store(whole))
        self.after = tree(whole)
        self.undone = [undo_all(open_store(one)) for one in (self.fresh(), whole)]

    def do(self, disk: Disk) -> None:
        self.work(open_store(disk.path, disk))

    def settled(self, directory: Path, *states: Tree) -> int:
        """Open it as the next process does: is the change in the state (0) before, or (1) after?"""
        store = open_store(directory)
        found = tree(directory)
        assert found in (states or (self.before, self.after)), "never between"
        assert_whole(directory, store)
        is_after = found == self.after
        assert undo_all(store) == self.undone[is_after], "every change can be undone"
        shutil.rmtree(directory)
        return int(is_after)


@pytest.fixture
def bench(past: Path, tmp_path: Path, name: str) -> Bench:
    return Bench(past, tmp_path, name)


@pytest.mark.behaviour("A8")
@points
@each_change
@pytest.mark.parametrize("way", ["whole", "torn", "by paths", "power cut"])
def test_a_change_stopped_anywhere_is_there_or_not(
    bench: Bench, way: str, every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "BY_DESCRIPTOR", way != "by paths")
    kind, outcomes = PowerCut if way == "power cut" else Disk, []
    for disk in stopped(bench.do, bench.fresh, every, kind, torn=way != "whole"):
        left = disk.path
        if isinstance(disk, PowerCut):
            left = tmp_path / "left"
            disk.survivors(left)
        outcomes.append(bench.settled(left))
    assert outcomes == sorted(outcomes), "once it stands, it stands"
    assert set(outcomes) == {0, 1} or every > 1
    if kind is PowerCut:
        disk = PowerCut(bench.fresh())
        bench.do(disk)
        disk.survivors(tmp_path / "left")
        assert tree(tmp_path / "left") == bench.after, "what was reported as done is on the disk"


@pytest.mark.behaviour("A8")
@points
@each_change
def test_a_crash_while_a_crash_is_settled_does_no_harm(bench: Bench, every: int) -> None:
    for crashed in stopped(bench.do, bench.fresh, every, torn=True):

        def again(crashed: Path = crashed.path) -> Path:
            return copy_tree(crashed, bench.fresh() / "again")

        for number in itertools.count(1, every):
            disk = Disk(again())
            disk.stop, disk.torn = number, True
            try:
                open_store(disk.path, disk)
                is_over = True
            except Stopped:
                is_over = False
            bench.settled(disk.path)
            if is_over:
                break


@points
@each_change
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
def test_an_operation_that_fails_changes_nothing_or_is_made_up_for(
    bench: Bench, name: str, lasting: bool, every: int
) -> None:
    refused = 0
    for number in itertools.count(1, every):
        disk = Disk(bench.fresh())
        disk.fails, disk.lasting = number, lasting
        states = [bench.after]
        try:
            bench.do(disk)
        except StoreError as refusal:
            refused += bool(refusal.what and refusal.where and refusal.do)
            states = [bench.before, bench.after] if name in TWO_STEPS else [bench.before]
        if len(disk.steps) < number:
            break
        bench.settled(disk.path, *states)
    assert refused


@points
@each_change
def test_a_disk_with_room_for_so_many_bytes(bench: Bench, name: str, every: int) -> None:
    for room in itertools.count(0, 37 * every):
        disk = Disk(bench.fresh())
        disk.room = room
        try:
            bench.do(disk)
            refused = ""
        except StoreError as refusal:
            refused = str(refusal)
            assert "Make room on the disk" in refused or name in TWO_STEPS
        fits, disk.room = disk.room >= 0, 10**9
        assert refused or tree(disk.path) == bench.after
        bench.settled(disk.path, *([bench.before] if refused and name not in TWO_STEPS else []))
        if fits:
            assert not refused
            return


@points
@each_change
def test_a_hand_edit_before_the_crash_is_settled_is_kept(bench: Bench, every: int) -> None:
    for disk in stopped(bench.do, bench.fresh, every):
        for file in ("tabs.md", "MEMORY.md"):
            (disk.path / file).write_bytes(b"edited\n")
        store = open_store(disk.path)
        for file in ("tabs.md", "MEMORY.md"):
            assert (disk.path / file).read_bytes() == b"edited\n"
        assert not store.journal.unfinished
        assert not leftovers(disk.path)


@points
def test_the_first_change_of_all_is_there_or_not(tmp_path: Path, every: int) -> None:
    def fresh(numbers: Iterator[int] = itertools.count()) -> Path:  # noqa: B008
        made = tmp_path / f"{next(numbers)}"
        made.mkdir()
        return made

    def write(disk: Disk) -> None:
        CHANGES["write"](open_store(disk.path, disk))

    outcomes = set()
    for disk in stopped(write, fresh, (every + 2) // 3, PowerCut, torn=True):
        assert isinstance(disk, PowerCut)
        left = tmp_path / f"left-{disk.stop}"
        disk.survivors(left)
        for directory in (disk.path, left):
            open_store(directory)
            outcomes.add(tuple(tree(directory)))
    assert outcomes == {(), ("MEMORY.md", "kayaks.md")}

"""Each kind of change, and each way in which a disk can let it down, at each operation: the change
is there or not, never half, and nothing is lost.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
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
    stopped,
    tree,
)
from tests.faults.scenes import CHANGES, TWO_STEPS, assert_whole, build, open_store, undo_all

Tree = dict[str, tuple[bytes, int]]
points = pytest.mark.parametrize("every", TENTH_AND_ALL)
each_change = pytest.mark.parametrize("name", [*CHANGES, "first"])


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("past") / "memory")


class Bench:
    """Copies of the past, and what one change makes of it."""

    def __init__(self, past: Path, room: Path, name: str) -> None:
        numbers = itertools.count()
        if name == "first":  # the first change of all
            past, name = room / "empty", "write"
            past.mkdir()
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
        is_cut = isinstance(disk, PowerCut)
        outcomes.append(bench.settled(disk.survivors(tmp_path / "left") if is_cut else disk.path))
    assert outcomes == sorted(outcomes), "once it stands, it stands"
    assert set(outcomes) == {0, 1} or every > 1
    if kind is PowerCut:
        disk = PowerCut(bench.fresh())
        bench.do(disk)
        left = tree(disk.survivors(tmp_path / "left"))
        assert left == bench.after, "what was reported as done is on the disk"


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
@pytest.mark.parametrize("how", ["fails once", "fails from then on", "is full"])
def test_a_disk_that_fails_changes_nothing_or_that_is_made_up_for(
    bench: Bench, name: str, how: str, every: int
) -> None:
    for number in itertools.count(1, every):
        disk = Disk(bench.fresh())
        if how == "is full":
            disk.room = 37 * number
        else:
            disk.fails, disk.lasting = number, how != "fails once"
        states, told = [bench.after], set[str]()
        try:
            bench.do(disk)
        except StoreError as refusal:
            states = [bench.before, *[bench.after][: name in TWO_STEPS]]
            told.add(refusal.do.partition(",")[0])
        is_over = disk.room >= 0 if how == "is full" else len(disk.steps) < number
        assert not is_over or states == [bench.after]
        does = (
            "Make room on the disk"
            if how == "is full"
            else "Make sure that you may read and write it"
        )
        assert told <= {does} or name in TWO_STEPS
        disk.room = 10**9
        bench.settled(disk.path, *states)
        if is_over:
            return

"""Each kind of change, and each way in which a disk can let it down, at each operation: the change
is there or not, never half, and nothing is lost.
"""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest

from memlab.errors import StoreError
from memlab.memdir import folder as folder_module
from tests.faults.disks import TENTH_AND_ALL, Disk, PowerCut, Stopped, stopped, tree
from tests.faults.scenes import CHANGES, TWO_STEPS, assert_whole, build, open_store, undo_all

points = pytest.mark.parametrize("every", TENTH_AND_ALL)
pytestmark = [points, pytest.mark.parametrize("name", [*CHANGES, "first"])]


class Bench:
    """Copies of a past, and what one change makes of it."""

    def __init__(self, room: Path, past: Path, name: str) -> None:
        self.room, self.numbers, self.past = room, itertools.count(), past
        self.change = CHANGES["write" if name == "first" else name]
        if name == "first":  # of all
            self.past = room / "past"
            self.past.mkdir()
        self.before, whole = tree(self.past), self.fresh()
        self.change(open_store(whole))
        self.after = tree(whole)
        self.undone = [undo_all(open_store(one)) for one in (self.fresh(), whole)]

    def fresh(self, past: Path | None = None) -> Path:
        return shutil.copytree(past or self.past, self.room / f"{next(self.numbers)}")

    def do(self, disk: Disk) -> None:
        self.change(open_store(disk.path, disk))

    def settled(self, directory: Path, may_be: tuple[bool, ...] = (False, True)) -> bool:
        """Open it as the next process does; tell whether the change is there."""
        store = open_store(directory)
        found = tree(directory)
        is_after = found == self.after
        assert found in (self.before, self.after), "never between"
        assert is_after in may_be
        assert_whole(directory, store)
        assert undo_all(store) == self.undone[is_after], "every change can be undone"
        shutil.rmtree(directory)
        return is_after


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("past") / "memory")


@pytest.fixture
def bench(tmp_path: Path, past: Path, name: str) -> Bench:
    return Bench(tmp_path, past, name)


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("way", ["whole", "torn", "by paths", "power cut"])
def test_a_change_stopped_anywhere_is_there_or_not(
    bench: Bench, way: str, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "BY_DESCRIPTOR", way != "by paths")
    kind, outcomes, left = PowerCut if way == "power cut" else Disk, [], bench.room / "left"
    for disk in stopped(bench.do, bench.fresh, every, kind, torn=way != "whole"):
        is_cut = isinstance(disk, PowerCut)
        outcomes.append(bench.settled(disk.survivors(left) if is_cut else disk.path))
    assert outcomes == sorted(outcomes), "once it stands, it stands"
    assert {*outcomes} == {False, True} or every > 1
    if kind is PowerCut:
        disk = PowerCut(bench.fresh())
        bench.do(disk)
        assert tree(disk.survivors(left)) == bench.after, "what is done is on the disk"


@pytest.mark.behaviour("A8")
def test_a_crash_while_a_crash_is_settled_does_no_harm(bench: Bench, every: int) -> None:
    for crashed in stopped(bench.do, bench.fresh, every, torn=True):
        for number in itertools.count(1, every):
            disk = Disk(bench.fresh(crashed.path))
            disk.stop, disk.torn = number, True
            try:
                open_store(disk.path, disk)
            except Stopped:
                bench.settled(disk.path)
            else:
                break


@pytest.mark.parametrize("how", ["fails once", "fails from then on", "is full"])
def test_a_disk_that_fails_changes_nothing_or_that_is_made_up_for(
    bench: Bench, name: str, how: str, every: int
) -> None:
    for number in itertools.count(1, every):
        disk = Disk(bench.fresh())
        disk.lasting, may_be = how == "fails from then on", (True,)
        disk.fails, disk.room = (10**9, 37 * number) if how == "is full" else (number, 10**9)
        try:
            bench.do(disk)
        except StoreError:
            may_be = (False, True) if name in TWO_STEPS else (False,)
        is_over = disk.room >= 0 and len(disk.steps) < number + 10**9 * (how == "is full")
        assert not is_over or may_be == (True,)
        disk.room = 10**9
        bench.settled(disk.path, may_be)
        if is_over:
            return

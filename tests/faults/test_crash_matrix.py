"""Stop each kind of change before its k-th operation on the disk, for every k, and look at what is
left: the change is there or not, never half, and nothing is lost.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memlab.errors import StoreError
from memlab.memdir import folder as folder_module
from memlab.memdir.journal import JOURNAL, content_hash
from memlab.memdir.store import MemoryStore
from tests.faults import scenes
from tests.faults.disks import Disk, PowerCut, Stopped, copy_tree, leftovers, tree

ChangeOf = Callable[[MemoryStore], None]
Tree = dict[str, tuple[bytes, int]]

# They may be refused when the change itself is made: something of it is left to be done.
TWO_STEPS = (scenes.accept, scenes.forget)


@pytest.fixture(scope="module")
def past(room: Path) -> Path:
    directory = room / "past"
    scenes.build(directory)
    return directory


@pytest.fixture(scope="module", params=scenes.CHANGES, ids=lambda change: change.__name__)
def change(request: pytest.FixtureRequest) -> ChangeOf:
    chosen: ChangeOf = request.param
    return chosen


@pytest.fixture(scope="module")
def after(past: Path, change: ChangeOf, room: Path) -> Tree:
    directory = copy_tree(past, room / f"after-{change.__name__}")
    change(scenes.open_store(directory))
    return tree(directory)


@pytest.fixture
def copies(past: Path, space: Path) -> Iterator[Path]:
    """Fresh copies of the past, one for each run."""
    return (copy_tree(past, space / f"{number}" / "memory") for number in itertools.count())


@pytest.fixture(params=["descriptors", "paths"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reach files in both ways that a Folder knows: from open folders, and by real paths."""
    if request.param == "paths":
        monkeypatch.setattr(folder_module, "BY_DESCRIPTOR", False)


def stopped(change: ChangeOf, copies: Iterator[Path], **how: bool) -> Iterator[Path]:
    """Give a directory in which a change was stopped, for each operation."""
    for number in itertools.count(1):
        disk = Disk(next(copies))
        disk.stop, disk.torn = number, how.get("torn", False)
        try:
            change(scenes.open_store(disk.path, disk))
        except Stopped:
            yield disk.path
        else:
            assert number > 15
            return


def settled(directory: Path, *states: Tree) -> int:
    """Open the directory as the next process does, and say which of the states it is in."""
    store = scenes.open_store(directory)
    found = tree(directory)
    assert found in states, "never between"
    scenes.assert_whole(directory, store)
    return states.index(found)


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("torn", [False, True], ids=["whole", "torn"])
def test_a_change_stopped_anywhere_is_there_or_not(
    past: Path,
    change: ChangeOf,
    after: Tree,
    copies: Iterator[Path],
    way: None,
    torn: bool,
) -> None:
    before, outcomes = tree(past), []
    first = scenes.undo_all(scenes.open_store(next(copies)))
    done = next(copies)
    change(scenes.open_store(done))
    last = scenes.undo_all(scenes.open_store(done))
    assert set(first) == set(last) == {"MEMORY.md", "tabs.md"}, "which was edited by hand"
    for directory in stopped(change, copies, torn=torn):
        outcomes.append(settled(directory, before, after))
        left = scenes.undo_all(scenes.open_store(directory))
        assert left == (last if outcomes[-1] else first), "every change can be undone"
    assert outcomes == sorted(outcomes), "once it stands, it stands"
    assert set(outcomes) == {0, 1}


@pytest.mark.behaviour("A8")
def test_a_crash_while_a_crash_is_settled_does_no_harm(
    past: Path, change: ChangeOf, after: Tree, copies: Iterator[Path], space: Path
) -> None:
    before, recoveries, seen = tree(past), 0, set()
    for crashed in stopped(change, copies, torn=True):
        files = sorted(path for path in crashed.rglob("*") if path.is_file())
        whole = b"".join(str(path).encode() + path.read_bytes() for path in files)
        state = hashlib.sha256(whole.replace(str(crashed).encode(), b"")).digest()
        if state in seen:
            continue  # stopped before a call that changed nothing
        seen.add(state)
        for number in itertools.count(1):
            disk = Disk(copy_tree(crashed, space / "again"))
            disk.stop, disk.torn = number, True
            try:
                scenes.open_store(disk.path, disk)
                is_over = True
            except Stopped:
                is_over = False
            settled(disk.path, before, after)
            recoveries += 1
            shutil.rmtree(disk.path)
            if is_over:
                break
    print(f"{recoveries} recoveries")
    assert recoveries > 100


@pytest.mark.behaviour("A8")
def test_a_change_survives_a_power_cut(
    past: Path, change: ChangeOf, after: Tree, copies: Iterator[Path], space: Path
) -> None:
    before, outcomes = tree(past), []
    for number in itertools.count(1):
        disk = PowerCut(next(copies))
        disk.stop = number
        try:
            change(scenes.open_store(disk.path, disk))
            is_over = True
        except Stopped:
            is_over = False
        left = space / f"left-{number}"
        disk.survivors(left)
        if is_over:
            assert tree(left) == after, "what was reported as done is on the disk"
            break
        outcomes.append(settled(left, before, after))
    assert set(outcomes) == {0, 1}


def test_the_first_change_of_all_is_there_or_not(space: Path) -> None:
    outcomes = set()
    for number in itertools.count(1):
        directory = space / f"{number}"
        directory.mkdir()
        disk = PowerCut(directory)
        disk.stop = number
        try:
            scenes.write(scenes.open_store(directory, disk))
            is_over = True
        except Stopped:
            is_over = False
        disk.survivors(space / f"{number}-left")
        for left in (directory, space / f"{number}-left"):
            scenes.open_store(left)
            names = tuple(tree(left))
            outcomes.add(names)
            assert not is_over or names
        if is_over:
            break
    assert outcomes == {(), ("MEMORY.md", "kayaks.md")}


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
def test_an_operation_that_fails_changes_nothing_or_is_made_up_for(
    past: Path, change: ChangeOf, after: Tree, copies: Iterator[Path], lasting: bool
) -> None:
    before, refused = tree(past), 0
    for number in itertools.count(1):
        disk = Disk(next(copies))
        disk.fails, disk.lasting = number, lasting
        states: tuple[Tree, ...] = (after,)
        try:
            change(scenes.open_store(disk.path, disk))
        except StoreError as refusal:
            scenes.assert_helpful(refusal)
            refused += 1
            if change not in TWO_STEPS and not lasting:
                assert tree(disk.path) == before
            states = (before, after) if change in TWO_STEPS else (before,)
        if len(disk.steps) < number:
            break
        settled(disk.path, *states)
    assert refused > 10


@pytest.mark.parametrize("step", [37, pytest.param(1, marks=pytest.mark.soak)])
def test_a_disk_with_room_for_so_many_bytes(
    past: Path, change: ChangeOf, after: Tree, copies: Iterator[Path], step: int
) -> None:
    before = tree(past)
    for room in range(0, 30_000, step):
        disk = Disk(next(copies))
        disk.room = room
        try:
            change(scenes.open_store(disk.path, disk))
            refused = ""
        except StoreError as refusal:
            refused = str(refusal)
            is_over = change in TWO_STEPS and tree(disk.path) != before
            assert is_over or "Make room on the disk" in refused
        fitted = disk.room >= 0
        disk.room = 10**9
        settled(disk.path, before, after)
        if fitted:
            assert not refused
            assert tree(disk.path) == after
            return
    pytest.fail("it never fitted")


def test_a_hand_edit_before_the_crash_is_settled_is_kept(
    change: ChangeOf, copies: Iterator[Path]
) -> None:
    for directory in stopped(change, copies):
        (directory / "tabs.md").write_bytes(b"edited\n")
        (directory / "MEMORY.md").write_bytes(b"edited too\n")
        store = scenes.open_store(directory)
        assert (directory / "tabs.md").read_bytes() == b"edited\n"
        assert (directory / "MEMORY.md").read_bytes() == b"edited too\n"
        assert not store.journal.unfinished
        assert not leftovers(directory)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", [scenes.edit, scenes.undo, scenes.forget], ids=lambda c: c.__name__
)
def test_a_long_history_changes_nothing_of_that(past: Path, space: Path, change: ChangeOf) -> None:
    long = copy_tree(past, space / "long")
    lines = [json.loads(line) for line in (long / JOURNAL).read_bytes().splitlines()]
    at = scenes.NOW.isoformat()
    for number in range(2_000):
        texts = [f"{number} {side}\n".encode() for side in ("before", "after")]
        for data in texts:
            (long / ".memlab" / "images" / content_hash(data)).write_bytes(data)
        both = dict(zip(("before", "after"), map(content_hash, texts), strict=True))
        made = {
            "id": f"change-9{number:04d}",
            "at": at,
            "who": "test",
            "what": "write",
        }
        lines += [made | {"changes": [{"file": f"x{number}.md", **both}]}, {"applied": made["id"]}]
    (long / JOURNAL).write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    def copied() -> Iterator[Path]:
        for number in itertools.count():
            target = space / f"{number}"
            shutil.copytree(long, target, copy_function=os.link)
            os.unlink(target / JOURNAL)  # the one file that is changed in place
            shutil.copy2(long / JOURNAL, target / JOURNAL)
            yield target

    copies = copied()
    whole = next(copies)
    change(scenes.open_store(whole))
    before, after = tree(long), tree(whole)
    outcomes = []
    for directory in stopped(change, copies, torn=True):
        outcomes.append(settled(directory, before, after))
        shutil.rmtree(directory)
    assert set(outcomes) == {0, 1}


def test_the_same_crashes_show_a_naive_write_losing_a_memory(space: Path) -> None:
    seen = set()
    for number in itertools.count(1):
        directory = space / f"{number}"
        directory.mkdir()
        (directory / "tabs.md").write_bytes(b"old")
        disk = Disk(directory)
        disk.stop, disk.torn = number, True
        try:
            disk.create("tabs.md", b"much newer", 0)  # not through a temporary file
        except Stopped:
            seen.add(tree(directory).get("tabs.md", (None, 0))[0])
        else:
            break
    assert seen - {b"old", b"much newer"}, "neither the old memory nor the new one"

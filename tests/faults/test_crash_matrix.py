"""Stop each kind of change before its k-th file call, for every k, and look at what is left.

A stop before a call that only reads leaves what a stop before the next call that changes something
leaves, so only the latter are visited.
"""

from __future__ import annotations

import errno
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memlab.bridge import RealFiles
from memlab.errors import StoreError
from memlab.memdir.index import INDEX
from memlab.memdir.store import MemoryStore
from tests.faults import scenes
from tests.faults.disks import (
    CHANGING,
    Failing,
    PowerCut,
    Stopped,
    Stopping,
    Watched,
    copy_tree,
    tree,
)
from tests.platforms import needs_posix

ChangeOf = Callable[[MemoryStore], None]
Tree = dict[str, tuple[bytes, int]]


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


@pytest.fixture
def numbers(change: ChangeOf, copies: Iterator[Path]) -> list[int]:
    """Number the calls to stop at."""
    return calls_of(change, next(copies))


def calls_of(change: ChangeOf, directory: Path) -> list[int]:
    files = Watched()
    change(scenes.open_store(directory, files.files))
    calls = enumerate(files.trace, start=1)
    return [number for number, (name, _) in calls if name in CHANGING]


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
    numbers: list[int],
    torn: bool,
) -> None:
    before, outcomes = tree(past), []
    for number in numbers:
        directory = next(copies)
        with pytest.raises(Stopped):
            change(scenes.open_store(directory, Stopping(number, torn=torn).files))
        outcomes.append(settled(directory, before, after))
    assert outcomes == sorted(outcomes), "once it stands, it stands"
    assert set(outcomes) == {0, 1}


@pytest.mark.behaviour("A8")
def test_a_change_survives_a_power_cut_whatever_the_disk_kept(
    past: Path,
    change: ChangeOf,
    after: Tree,
    copies: Iterator[Path],
    numbers: list[int],
    space: Path,
) -> None:
    before, outcomes = tree(past), set()
    for number in numbers:
        directory = next(copies)
        files = PowerCut(directory, number)
        with pytest.raises(Stopped):
            change(scenes.open_store(directory, files.files))
        for names, data in (("synced", "synced"), ("all", "synced"), ("synced", "all")):
            left = space / f"{number}-{names}-{data}"
            files.survivors(left, names=names, data=data)
            outcomes.add(settled(left, before, after))
    assert outcomes == {0, 1}


def test_what_was_reported_as_done_outlives_a_power_cut(
    change: ChangeOf, after: Tree, copies: Iterator[Path], space: Path
) -> None:
    directory = next(copies)
    files = PowerCut(directory, 10_000)
    change(scenes.open_store(directory, files.files))
    files.survivors(space / "left", names="synced", data="synced")
    assert tree(space / "left") == after


def test_the_first_change_of_all_survives_a_power_cut(space: Path) -> None:
    outcomes = set()
    for number in itertools.count(1):
        directory = space / f"{number}"
        directory.mkdir()
        files = PowerCut(directory, number)
        stopped = False
        try:
            scenes.write(scenes.open_store(directory, files.files))
        except Stopped:
            stopped = True
        files.survivors(space / f"{number}-left", names="synced", data="synced")
        store = scenes.open_store(space / f"{number}-left")
        outcomes.add(names := tuple(tree(store.directory)))
        assert names in ((), ("MEMORY.md", "kayaks.md"))
        assert len(store.history()) == bool(names), "no memory without its past"
        if not stopped:
            assert names, "what was reported as done is there"
            break
    assert len(outcomes) == 2


def test_a_failing_call_changes_nothing(
    past: Path,
    change: ChangeOf,
    after: Tree,
    copies: Iterator[Path],
    numbers: list[int],
    space: Path,
) -> None:
    before, refused = tree(past), 0
    for number in numbers:
        directory = next(copies)
        files = PowerCut(directory, 10_000)
        files.fail_at = (number, errno.ENOSPC)
        wanted = after
        try:
            change(scenes.open_store(directory, files.files))
        except StoreError as refusal:
            scenes.assert_helpful(refusal)
            refused += 1
            erasing = change is scenes.forget and tree(directory) == after
            wanted = after if erasing else before
        assert tree(directory) == wanted
        files.survivors(space / f"left-{number}", names="synced", data="synced")
        settled(space / f"left-{number}", wanted)
        settled(directory, wanted)
    assert refused > 10


def test_a_disk_that_stays_full_leaves_one_state_or_the_other(
    past: Path, change: ChangeOf, after: Tree, copies: Iterator[Path], numbers: list[int]
) -> None:
    before, refused = tree(past), 0
    for number in numbers:
        directory = next(copies)
        try:
            change(scenes.open_store(directory, Failing(number, errno.ENOSPC).files))
        except StoreError:
            refused += 1
        settled(directory, before, after)
    assert refused > 10


def test_a_crash_while_a_crash_is_settled_does_no_harm(
    past: Path,
    change: ChangeOf,
    after: Tree,
    copies: Iterator[Path],
    numbers: list[int],
    space: Path,
) -> None:
    before = tree(past)
    for late in numbers[len(numbers) // 2 :: 2 if len(numbers) > 40 else 6]:
        crashed = next(copies)
        with pytest.raises(Stopped):
            change(scenes.open_store(crashed, Stopping(late, torn=True).files))
        for number in calls_of(lambda _: None, copy_tree(crashed, space / f"again-{late}")):
            directory = copy_tree(crashed, space / f"again-{late}-{number}")
            with pytest.raises(Stopped):
                scenes.open_store(directory, Stopping(number, torn=True).files)
            settled(directory, before, after)


def test_the_steps_of_a_change_come_in_the_order_that_makes_it_safe(
    change: ChangeOf, after: Tree, copies: Iterator[Path]
) -> None:
    directory = next(copies)
    files = Watched()
    store = scenes.open_store(directory, files.files)
    files.trace.clear()
    change(store)
    steps = [(name, path) for name, path in files.trace if name in CHANGING]
    journal = directory / ".memlab" / "journal.jsonl"
    line = steps.index(("append", journal))
    assert steps[line + 1] == ("sync", journal)
    for place, (name, path) in enumerate(steps):
        if name == "write":
            then = [step for step, where in steps[place:] if where == path]
            assert then[-3:] in (["set_mtime", "sync", "replace"], ["write", "sync", "replace"])
            assert ("sync_directory", path.parent) in steps[place:]
        in_memory = not path.is_relative_to(directory / ".memlab")
        if name == "write" and in_memory:
            assert place < line, "no room is needed once the line is on the disk"
        if name in ("replace", "remove") and in_memory:
            assert place > line + 1, "no memory changes before the line is on the disk"
            synced = steps.index(("sync_directory", path.parent), place)
            assert synced < steps.index(("append", journal), line + 1), "nor is it called done"
    assert tree(directory) == after


def binary(index: Path) -> None:
    index.write_bytes(b"\x00\xff\xfe not a text")


def missing(index: Path) -> None:
    index.unlink()


def link(index: Path) -> None:
    index.unlink()
    index.symlink_to("/etc/hostname")


@needs_posix
@pytest.mark.parametrize("spoil", [binary, missing, link])
def test_a_rebuilt_index_is_whole_or_not_there(
    copies: Iterator[Path], spoil: Callable[[Path], None]
) -> None:
    def rebuild(store: MemoryStore) -> None:
        store.rebuild_index(who="code")

    def spoilt() -> Path:
        directory = next(copies)
        spoil(directory / INDEX)
        return directory

    whole = spoilt()
    rebuild(scenes.open_store(whole))
    wanted = (whole / INDEX).read_bytes()
    for number in calls_of(rebuild, spoilt()):
        directory = spoilt()
        with pytest.raises(Stopped):
            rebuild(scenes.open_store(directory, Stopping(number, torn=True).files))
        again = scenes.open_store(directory)
        if not again.index_trouble():
            assert (directory / INDEX).read_bytes() == wanted, "never between"
        rebuild(again)
        if spoil is not link:
            scenes.assert_whole(directory, again)
        assert (directory / INDEX).read_bytes() == wanted
        aside = [path.readlink() for path in directory.glob("MEMORY.md.set-aside-*")]
        assert aside == [Path("/etc/hostname")] * (spoil is link)
        if spoil is binary:
            kept = again.history()[-1].change_of(INDEX)
            assert kept
            assert again.content(kept.before) == b"\x00\xff\xfe not a text"


def naive_write(files: RealFiles, path: Path, data: bytes) -> None:
    files.write(path, data)
    files.sync(path)


def naive_rename(files: RealFiles, path: Path, data: bytes) -> None:
    files.write(path.with_name("new"), data)
    files.replace(path.with_name("new"), path)
    files.sync_directory(path.parent)


@pytest.mark.parametrize(
    ("way", "names", "data"),
    [(naive_write, "all", "all"), (naive_rename, "all", "synced")],
    ids=["in place", "no fsync"],
)
def test_the_same_crashes_show_naive_writes_losing_memories(
    space: Path, way: Callable[[RealFiles, Path, bytes], None], names: str, data: str
) -> None:
    seen = set()
    for number in range(1, 5):
        directory = space / f"{number}"
        directory.mkdir()
        (directory / "tabs.md").write_bytes(b"old")
        files = PowerCut(directory, number)
        files.torn = True
        try:
            way(files.files, directory / "tabs.md", b"much newer")
        except Stopped:
            files.survivors(space / f"left-{number}", names=names, data=data)
            left = tree(space / f"left-{number}").get("tabs.md", (None, 0))[0]
            seen.add(left)
    assert seen - {b"old", b"much newer"}, "neither the old memory nor the new one"

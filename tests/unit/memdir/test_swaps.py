"""A folder that is swapped for a link between two steps: nothing outside is read or written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.dream.stage import snapshot
from memlab.errors import MemlabError, StoreError
from memlab.memdir import folder
from memlab.memdir import scan as scan_module
from memlab.memdir.doctor import diagnose
from memlab.memdir.folder import MAX_FOLDERS, Folder, Found
from memlab.memdir.scan import scan_memory_files
from memlab.memdir.store import MemoryStore
from tests.faults.disks import Disk, used_by_stores
from tests.platforms import needs_links

pytestmark = needs_links

TABS = "---\nname: Tabs\ndescription: tabs, not spaces\ntype: reference\n---\n\nTabs, not spaces.\n"
THEIRS = TABS.replace("not spaces", "the key of the boat house")
BOTH_WAYS = pytest.mark.parametrize("by_descriptor", [True, False])


class Tree:
    """A memory directory with one memory in ``team``, and one of the same name outside."""

    def __init__(self, top: Path) -> None:
        self.memory, self.outside = top / "memory", top / "outside"
        self.aside = top / "aside"
        (self.memory / "team").mkdir(parents=True)
        (self.memory / "team" / "tabs.md").write_text(TABS)
        self.outside.mkdir()
        (self.outside / "tabs.md").write_text(TABS)

    def swap(self) -> None:
        """Put a link to the folder outside in the place of ``team``."""
        (self.memory / "team").rename(self.aside)
        (self.memory / "team").symlink_to(self.outside)

    def is_untouched(self) -> bool:
        names = [path.name for path in self.outside.iterdir()]
        return names == ["tabs.md"] and (self.outside / "tabs.md").read_text() == TABS


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


class Swapping(Disk):
    """A real folder, whose ``team`` is swapped right before operation ``number``, from 1; reading
    is one, too.
    """

    def __init__(self, tree: Tree, number: int) -> None:
        super().__init__(tree.memory)
        self.tree, self.number = tree, number

    def read(self, name: str, most: int = -1) -> Found:
        self._step("read", name)
        return super().read(name, most)

    def _step(self, name: str, file: str) -> None:
        if len(self.steps) + 1 == self.number:
            self.tree.swap()
        super()._step(name, file)


CHANGES: dict[str, Callable[[MemoryStore], object]] = {
    "write": lambda store: store.write_text("team/tabs.md", TABS.replace("Tabs,", "TABS,")),
    "remove": lambda store: store.remove("team/tabs.md"),
    "read": lambda store: store.read("team/tabs.md"),
}


@pytest.mark.behaviour("H5")
@BOTH_WAYS
@pytest.mark.parametrize("change", CHANGES)
def test_a_swap_before_any_step_of_a_change_reaches_nothing_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, by_descriptor: bool
) -> None:
    monkeypatch.setattr(folder, "BY_DESCRIPTOR", by_descriptor)

    def steps(number: int) -> list[tuple[str, str]]:
        tree = Tree(tmp_path / str(number))
        disk = Swapping(tree, number)
        with suppress(MemlabError), used_by_stores(disk):
            CHANGES[change](MemoryStore(tree.memory, clock=CourseClock()))
        assert tree.aside.exists() is bool(number)
        assert tree.is_untouched(), (number, disk.steps[number - 1])
        return disk.steps

    undisturbed = steps(0)
    assert len(undisturbed) >= (3 if change == "read" else 20)
    for number in range(1, len(undisturbed) + 1):
        steps(number)


class TestTheDirectoryItself:
    def test_it_may_be_a_link_to_another_disk(self, tree: Tree, tmp_path: Path) -> None:
        disk = tmp_path / "disk"
        tree.memory.rename(disk)
        tree.memory.symlink_to(disk)
        store = MemoryStore(tree.memory, clock=CourseClock())
        store.write_text("boats.md", TABS.replace("Tabs", "Boats").replace("tabs", "boats"))
        assert (disk / "boats.md").exists()
        assert store.read("team/tabs.md").name == "Tabs"

    def test_a_link_that_is_put_in_its_place_later_is_not_followed(
        self, tree: Tree, tmp_path: Path
    ) -> None:
        store = MemoryStore(tree.memory, clock=CourseClock())
        store.read("team/tabs.md")
        tree.memory.rename(tmp_path / "moved")
        tree.memory.symlink_to(tree.outside)
        with pytest.raises(StoreError):
            store.write_text("boats.md", TABS.replace("abs", "oats"))
        assert tree.is_untouched()

    def test_one_that_was_removed_is_made_again(self, tree: Tree) -> None:
        store = MemoryStore(tree.memory, clock=CourseClock())
        store.write_text("boats.md", TABS.replace("Tabs", "Boats").replace("tabs", "boats"))
        shutil.rmtree(tree.memory)
        store.write_text("tabs.md", TABS)
        assert (tree.memory / "tabs.md").read_text() == TABS


class TestReaders:
    """Whoever lists first and reads later: the scan, recall, the dream's copy, the doctor."""

    @BOTH_WAYS
    def test_the_scan(
        self, tree: Tree, monkeypatch: pytest.MonkeyPatch, by_descriptor: bool
    ) -> None:
        monkeypatch.setattr(folder, "BY_DESCRIPTOR", by_descriptor)
        assert [one.filename for one in scan_memory_files(tree.memory)] == ["team/tabs.md"]
        (tree.outside / "tabs.md").write_text(THEIRS)
        newest = scan_module.newest_memories

        def swap_then_read(*files: Any) -> Any:
            tree.swap()
            return newest(*files)

        monkeypatch.setattr(scan_module, "newest_memories", swap_then_read)
        scan = scan_memory_files(tree.memory)
        assert list(scan) == []
        assert [name for name, _ in scan.skipped] == ["team/tabs.md"]

    def test_recall(self, tree: Tree) -> None:
        (header,) = scan_memory_files(tree.memory)
        assert header.read().data == TABS.encode()
        tree.swap()
        with pytest.raises(OSError, match="Not a directory"):
            header.read()

    def test_the_copy_of_a_dream(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        (tree.outside / "tabs.md").write_text(THEIRS)
        read = Folder.read

        def swap_then_read(folder: Folder, name: str, most: int = -1) -> Found:
            tree.swap()
            return read(folder, name, most)

        monkeypatch.setattr(Folder, "read", swap_then_read)
        seen = snapshot(tree.memory)
        assert seen.files == {}
        assert list(seen.odd) == ["team/tabs.md"]


class TestBounds:
    @pytest.fixture
    def deep(self, tree: Tree) -> Iterator[Tree]:
        here = os.open(tree.memory, os.O_RDONLY)
        for level in range(1_100):
            os.mkdir("d", dir_fd=here)
            below = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
            if level in (MAX_FOLDERS - 1, MAX_FOLDERS):
                file = os.open("deep.md", os.O_CREAT | os.O_WRONLY, dir_fd=here)
                os.write(file, TABS.encode())
                os.close(file)
        try:
            yield tree
        finally:  # pytest cannot remove so deep a tree
            for level in reversed(range(1_100)):
                if level in (MAX_FOLDERS - 1, MAX_FOLDERS):
                    os.unlink("deep.md", dir_fd=here)
                above = os.open("..", os.O_RDONLY, dir_fd=here)
                os.close(here)
                os.rmdir("d", dir_fd=above)
                here = above
            os.close(here)

    def test_eleven_hundred_nested_folders(self, deep: Tree) -> None:
        store = MemoryStore(deep.memory, clock=CourseClock())
        store.write_text("boats.md", "---\nname: Boats\ndescription: 14\ntype: user\n---\n\nB.\n")
        scan = scan_memory_files(deep.memory)
        assert len(scan) == 3
        assert [why for _, why in scan.skipped] == ["it is nested more than 32 folders deep"]
        assert len(snapshot(deep.memory).files) == 4
        assert diagnose(deep.memory).memories == 3
        with pytest.raises(MemlabError, match="more than 32 folders"):
            store.write_text("d/" * 33 + "x.md", TABS)

    def test_a_sparse_file_of_two_gigabytes(self, tree: Tree) -> None:
        with open(tree.memory / "big.md", "wb") as file:
            file.write(TABS.replace("Tabs", "Big").encode())
            file.truncate(2_000_000_000)
        store = MemoryStore(tree.memory, clock=CourseClock())
        store.write_text("boats.md", "---\nname: Boats\ndescription: 14\ntype: user\n---\n\nB.\n")
        with pytest.raises(MemlabError, match="larger than"):
            store.read("big.md")
        assert "larger than" in snapshot(tree.memory).odd["big.md"]
        assert ("big.md", "it is larger than 1 MB") in [
            (one.file, one.message) for one in diagnose(tree.memory).findings
        ]

"""The one way to files below a memory directory: complete, durable, and never through a link."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.dream.stage import snapshot
from memlab.errors import MemlabError
from memlab.memdir import folder as module
from memlab.memdir.folder import SWAPPED, Folder, Found
from memlab.memdir.scan import scan_memory_files
from memlab.memdir.store import MemoryStore
from tests.faults.disks import Disk, Stopped, tree, used_by_stores
from tests.house import note
from tests.platforms import needs_links, needs_posix

DAY = 1_774_861_200_000_000_100


@pytest.fixture(params=[True, False], ids=["by descriptor", "by path"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: Any) -> Folder:
    """A directory with a file in a folder; ``by path`` as on Windows."""
    monkeypatch.setattr(module, "BY_DESCRIPTOR", module.BY_DESCRIPTOR and request.param)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.md").write_bytes(b"theirs")
    made = Folder(tmp_path / "memory")
    made.write("team/a.md", b"ours", DAY)
    return made


def is_untouched(folder: Folder) -> bool:
    outside = folder.path.with_name("outside")
    return {one.name: one.read_bytes() for one in outside.iterdir()} == {"a.md": b"theirs"}


def names(folder: Folder) -> list[str]:
    failed: list[Any] = []
    found = sorted(name for name, _ in folder.walk(failed))
    assert failed == []
    return found


@needs_posix
def test_what_is_written_has_its_content_its_time_and_its_mode(folder: Folder) -> None:
    for data in (b"\r\n\0", b""):
        folder.write("team/a.md", data, DAY + 100)
        assert folder.read("team/a.md") == (data, DAY + 100, 0o600)
    assert (folder.path / "team").stat().st_mode & 0o777 == 0o700
    if module.BY_DESCRIPTOR:
        (folder.path / "team/a.md").chmod(0o664)
        folder.write("team/a.md", b"y", DAY)
        assert folder.read("team/a.md").mode == 0o664
    assert folder.read("none.md") == folder.read("none/a.md") == Found()
    assert folder.read("team/a.md", 0).data == b""
    for line in (b"1\n", b"2\n"):
        folder.append("log/day", line)
    folder.rename("log/day", "team/a.md")
    assert folder.read("team/a.md").data == b"1\n2\n"
    for _ in range(2):
        folder.remove("team/a.md")
    assert names(folder) == ["log", "team"]


@needs_posix
@pytest.mark.parametrize("most", [0, 6, 7, 24])
def test_a_full_disk_leaves_what_was_there(folder: Folder, most: int) -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for change in (folder.append, lambda name, data: folder.write(name, data, DAY)):
        folder.write("team/a.md", b"before\n", DAY)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
        try:
            with pytest.raises(OSError, match="large"):
                change("team/a.md", b"x" * 25)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert folder.read("team/a.md").data == b"before\n"
        assert names(folder) == ["team", "team/a.md"]


def test_a_write_that_is_stopped_leaves_the_old_file_or_the_new_one(folder: Folder) -> None:
    states = set()
    for number in range(1, 10):
        folder.write("team/a.md", b"ours", DAY)
        disk = Disk(folder.path)
        disk.stop, disk.torn = number, True
        with suppress(Stopped):
            disk.write("team/a.md", b"new", DAY)
        states.add(folder.read("team/a.md").data)
    assert states == {b"ours", b"new"}
    left = {*names(folder)} - {"team", "team/a.md"}
    assert all(Path(name).match("team/.memlab-*.tmp") for name in left)


@needs_posix
def test_contents_are_on_the_disk_before_their_name_is(tmp_path: Path, monkeypatch: Any) -> None:
    steps: list[str] = []

    def noted(name: str) -> None:
        real = getattr(os, name)

        def call(*given: Any, **more: Any) -> Any:
            is_folder = name == "fsync" and os.path.isdir(f"/dev/fd/{given[0]}/")
            steps.append(f"{name} folder" if is_folder else name)
            return real(*given, **more)

        monkeypatch.setattr(os, name, call)

    for name in ("fsync", "replace", "mkdir"):
        noted(name)
    Folder(tmp_path / "memory").write("a.md", b"x", DAY)
    assert steps == ["mkdir", "fsync folder", "fsync", "replace", "fsync folder"]
    steps.clear()
    Folder(tmp_path / "memory", durable=False).write("b/a.md", b"x", DAY)
    assert steps == ["mkdir", "replace"]


CALLS: dict[str, Callable[[Folder, str], object]] = {
    "read": lambda folder, name: folder.read(name),
    "write": lambda folder, name: folder.write(name, b"x", DAY),
    "append": lambda folder, name: folder.append(name, b"x"),
    "rename": lambda folder, name: folder.rename("b.md", f"{name}/b.md"),
    "make": lambda folder, name: folder.make(f"{name}/new"),
    "sync": lambda folder, name: folder.sync(f"{name}/a.md"),
    "set_time": lambda folder, name: folder.set_time(name, DAY),
}


@needs_links
@pytest.mark.behaviour("H5")
@pytest.mark.parametrize("call", CALLS)
def test_no_link_is_followed_and_no_pipe_waited_for(folder: Folder, call: str) -> None:
    folder.write("b.md", b"b", DAY)
    os.mkfifo(folder.path / "pipe")
    before = names(folder)
    for target in ("outside/a.md", "outside", "nowhere"):
        (folder.path / "link").symlink_to(Path("..", target))
        for name in ("link", "link/a.md", "pipe"):
            if name == "pipe" and call not in ("read", "append", "set_time"):
                continue
            with pytest.raises(OSError) as refusal:  # noqa: PT011
                CALLS[call](folder, name)
            assert refusal.value.errno in SWAPPED
        assert is_untouched(folder)
        (folder.path / "link").unlink()
    assert names(folder) == before


@needs_links
@pytest.mark.parametrize(
    "name", ["", "..", "../outside/a.md", "team/../a.md", "/etc/hosts", "a//b"]
)
def test_a_name_that_leads_out_is_refused(folder: Folder, name: str) -> None:
    with pytest.raises(OSError, match="it leads out, or nowhere"):
        folder.read(name)


@needs_links
def test_the_directory_itself_may_be_a_link_but_not_become_one(folder: Folder) -> None:
    alias = folder.path.with_name("alias")
    alias.symlink_to(folder.path)
    assert Folder(alias).read("team/a.md").data == b"ours"
    store = MemoryStore(folder.path, clock=CourseClock())
    folder.path.rename(folder.path.with_name("moved"))
    folder.path.symlink_to("outside")
    for call in (
        lambda: folder.write("a.md", b"x", DAY),
        lambda: store.write_text("a.md", note("x")),
    ):
        with pytest.raises((OSError, MemlabError)):
            call()
    assert is_untouched(folder)


# A folder that is swapped for a link between two steps

TABS = note("Tabs, not spaces.", type="reference")


class Swapping(Disk):
    """A folder whose ``team`` is swapped right before a step, from 1; reading is one, too."""

    def __init__(self, path: Path, number: int) -> None:
        super().__init__(path)
        self.number = number

    def read(self, name: str, most: int = -1) -> Found:
        self._step("read", name)
        return super().read(name, most)

    def _step(self, name: str, file: str) -> None:
        if len(self.steps) + 1 == self.number:
            swap(self.path)
        super()._step(name, file)


def swap(memory: Path) -> None:
    """Put a link to the folder outside in the place of ``team``."""
    (memory / "team").rename(memory.with_name("aside"))
    (memory / "team").symlink_to("../outside")


@needs_links
@pytest.mark.behaviour("H5")
@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("change", ["write", "remove", "read"])
@pytest.mark.parametrize("by_descriptor", [True, False])
def test_a_swap_before_a_step_of_a_change_reaches_nothing_outside(
    tmp_path: Path, monkeypatch: Any, change: str, by_descriptor: bool, every: int
) -> None:
    monkeypatch.setattr(module, "BY_DESCRIPTOR", by_descriptor)

    def is_over(number: int) -> bool:
        memory, outside = tmp_path / f"{number}" / "memory", tmp_path / f"{number}" / "outside"
        for place in (memory / "team", outside):
            place.mkdir(parents=True)
            (place / "tabs.md").write_text(TABS)
        before, disk = tree(outside), Swapping(memory, number)
        with suppress(MemlabError), used_by_stores(disk):
            store = MemoryStore(memory, clock=CourseClock())
            given = [TABS.replace("Tabs,", "TABS,")] if change == "write" else []
            getattr(store, "write_text" if change == "write" else change)("team/tabs.md", *given)
        assert tree(outside) == before, (number, disk.steps[number - 1])
        return not (memory.parent / "aside").exists()

    number = 1
    while not is_over(number):
        number += every
    assert number > (2 if change == "read" else 15)


@needs_links
def test_whoever_lists_first_and_reads_later_reads_nothing_outside(folder: Folder) -> None:
    folder.write("team/a.md", TABS.encode(), DAY)
    (header,) = scan_memory_files(folder.path)
    swap(folder.path)
    with pytest.raises(OSError, match=r"Not a directory|link"):
        header.read()
    assert [*scan_memory_files(folder.path)] == []
    assert snapshot(folder.path).files == {}

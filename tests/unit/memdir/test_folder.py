"""The one way to files below a memory directory: complete, durable, and never through a link."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from memlab.clock import CourseClock
from memlab.errors import MemlabError
from memlab.memdir import folder as module
from memlab.memdir.folder import SWAPPED, Folder, Found
from memlab.memdir.places import read_settings
from memlab.memdir.store import MemoryStore
from memlab.models.tape import Tape
from memlab.prompts import Prompts
from tests.faults.disks import Disk, tree, used_by_stores
from tests.house import note
from tests.platforms import needs_links, needs_pipes, needs_posix

DAY = 1_774_861_200_000_000_100
TABS = note("Tabs, not spaces.", type="reference")


@pytest.fixture(params=[True, False], ids=["by descriptor", "by path"])
def folder(request: Any, tmp_path: Path, monkeypatch: Any) -> Folder:
    """A directory with a file in a folder; ``by path`` as on Windows."""
    monkeypatch.setattr(module, "BY_DESCRIPTOR", module.BY_DESCRIPTOR and request.param)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.md").write_bytes(b"theirs")
    made = Folder(tmp_path / "memory")
    made.write("team/a.md", b"ours", DAY)
    return made


def outside(folder: Folder) -> list[bytes]:
    return [one.read_bytes() for one in folder.path.with_name("outside").iterdir()]


def names(folder: Folder) -> list[str]:
    return sorted(name for name, _ in folder.walk([]))


@needs_posix
def test_what_is_written_has_its_content_its_time_and_its_mode(folder: Folder) -> None:
    for data in (b"\r\n\0", b""):
        folder.write("team/a.md", data, DAY + 100)
        assert folder.read("team/a.md") == (data, DAY + 100, 0o600)
    assert (folder.path / "team").stat().st_mode & 0o777 == 0o700
    assert folder.read("none.md") == folder.read("none/a.md") == Found()
    folder.append("team/a.md", b"1\n")
    assert folder.read("team/a.md").data == b"1\n"


@needs_posix
def test_a_full_disk_leaves_what_was_there(folder: Folder) -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    folder.write("team/a.md", b"before\n", DAY)
    for change in (folder.append, lambda name, data: folder.write(name, data, DAY)):
        resource.setrlimit(resource.RLIMIT_FSIZE, (24, limits[1]))
        try:
            with pytest.raises(OSError, match="large"):
                change("team/a.md", b"x" * 25)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert folder.read("team/a.md").data == b"before\n"
        assert names(folder) == ["team", "team/a.md"]


def test_two_may_write_a_file_of_the_project_at_once(tmp_path: Path) -> None:
    folder = Folder(tmp_path, private=False)
    folder.write("a.py", b"before", DAY)
    made = folder.create

    def meanwhile(*given: Any) -> None:
        made(*given)
        Folder(tmp_path, private=False).write("a.py", b"theirs", DAY)

    with mock.patch.object(folder, "create", side_effect=meanwhile):
        folder.write("a.py", b"ours", DAY)
    assert (names(folder), folder.read("a.py").data) == (["a.py"], b"ours")


@pytest.mark.parametrize("name", ["a.md", f"v1.{'9' * 56}.md"])
def test_what_a_killed_write_left_is_swept(folder: Folder, name: str) -> None:
    killed = mock.patch.object(folder, "rename", side_effect=KeyboardInterrupt)
    with killed, pytest.raises(KeyboardInterrupt):
        folder.write(name, b"x", DAY)
    folder.sweep()
    assert names(folder) == ["team", "team/a.md"]


@needs_posix
def test_contents_are_on_the_disk_before_their_name(tmp_path: Path) -> None:
    steps = mock.Mock()
    with mock.patch.multiple(os, fsync=steps.fsync, replace=steps.replace):
        steps.replace.side_effect = lambda *given, **more: None
        Folder(tmp_path / "new").write("a.md", b"x", DAY)
    called = [name for name, *_ in steps.mock_calls]
    assert called == ["fsync", "fsync", "replace", "fsync"], "the folder's, too"


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
        assert outside(folder) == [b"theirs"]
        (folder.path / "link").unlink()
    assert names(folder) == before
    for name in ("", "..", "../outside/a.md", "team/../a.md", "/etc/hosts", "a//b"):
        with pytest.raises(OSError, match="it leads out, or nowhere"):
            folder.read(name)


NAMED: dict[str, Callable[[Path], object]] = {
    "settings": read_settings,
    "prompt": lambda path: Prompts(path.parent).check(),
    "tape to replay": Tape.read,
    "tape to record": lambda path: Tape.begin(path, {"models": {}}),
}


@needs_pipes
@pytest.mark.parametrize("what", NAMED)
def test_no_pipe_is_waited_for_in_the_place_of_a_file_that_a_person_names(
    tmp_path: Path, what: str
) -> None:
    os.mkfifo(tmp_path / "agent.md")
    with pytest.raises(MemlabError, match=r"agent\.md.* plain file"):
        NAMED[what](tmp_path / "agent.md")


@needs_links
def test_the_directory_may_be_a_link_but_not_become_one(folder: Folder) -> None:
    alias = folder.path.with_name("alias")
    alias.symlink_to(folder.path)
    assert Folder(alias).read("team/a.md").data == b"ours"
    store = MemoryStore(folder.path, clock=CourseClock())
    folder.path.rename(folder.path.with_name("moved"))
    folder.path.symlink_to("outside")
    with pytest.raises(OSError, match=r"Not a directory|link|changed"):
        folder.write("a.md", b"x", DAY)
    with pytest.raises(MemlabError):
        store.write_text("a.md", TABS)
    assert outside(folder) == [b"theirs"]


class Swapping(Disk):
    """A folder whose ``team`` is swapped right before a step, from 1; reading is one, too."""

    number = 0

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
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("change", ["write_text", "remove", "read"])
def test_a_swap_before_a_step_of_a_change_reaches_nothing_outside(
    folder: Folder, change: str, every: int
) -> None:
    for number in range(1, 99, every):
        memory = folder.path / f"{number}" / "memory"
        theirs = memory.with_name("outside")
        for place in (memory / "team", theirs):
            place.mkdir(parents=True)
            (place / "tabs.md").write_text(TABS)
        before, disk = tree(theirs), Swapping(memory)
        disk.number = number
        with suppress(MemlabError), used_by_stores(disk):
            store = MemoryStore(memory, clock=CourseClock())
            given = [TABS.replace("Tabs,", "TABS,")] * (change == "write_text")
            getattr(store, change)("team/tabs.md", *given)
        assert tree(theirs) == before, disk.steps[number - 1]
        if not memory.with_name("aside").exists():
            break
    assert number > (2 if change == "read" else 15)

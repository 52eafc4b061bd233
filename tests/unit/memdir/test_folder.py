"""The one way to files below a memory directory: complete, durable, and never through a link."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from memlab.memdir import folder as module
from memlab.memdir.folder import SWAPPED, Folder, Found
from tests.platforms import needs_links, needs_posix

DAY = 1_774_861_200_000_000_100


@pytest.fixture(params=[True, False], ids=["by descriptor", "by path"])
def folder(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Folder:
    """A directory with a file in a folder; ``by path`` as on Windows."""
    if not request.param:
        monkeypatch.setattr(module, "BY_DESCRIPTOR", False)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.md").write_bytes(b"theirs")
    made = Folder(tmp_path / "memory")
    made.write("team/a.md", b"ours", DAY)
    return made


def outside(folder: Folder) -> dict[str, bytes]:
    files = (folder.path.parent / "outside").rglob("*")
    return {path.name: path.read_bytes() if path.is_file() else b"(folder)" for path in files}


def names(folder: Folder) -> list[str]:
    failed: list[tuple[str, OSError | ValueError]] = []
    found = sorted(name for name, _ in folder.walk(failed))
    assert failed == []
    return found


class TestWriting:
    def test_a_file_has_the_content_and_the_time_that_it_was_given(self, folder: Folder) -> None:
        for data in (b"\r\n\0", b""):
            folder.write("team/a.md", data, DAY + 100)
            assert folder.read("team/a.md")[:2] == (data, DAY + 100)
        assert folder.read("team/a.md", 0).data == b""
        assert folder.read("none.md") == folder.read("none/a.md") == Found()
        assert names(folder) == ["team", "team/a.md"]

    @needs_posix
    def test_a_mode_stays_and_what_is_new_is_private(self, folder: Folder) -> None:
        assert folder.read("team/a.md").mode == 0o600
        assert (folder.path / "team").stat().st_mode & 0o777 == 0o700
        if module.BY_DESCRIPTOR:
            (folder.path / "team/a.md").chmod(0o664)
            folder.write("team/a.md", b"y", DAY)
            assert folder.read("team/a.md").mode == 0o664

    def test_a_file_is_added_to_renamed_and_removed(self, folder: Folder) -> None:
        for line in (b"1\n", b"2\n"):
            folder.append("log/day", line)
        folder.rename("log/day", "team/a.md")
        assert folder.read("team/a.md").data == b"1\n2\n"
        folder.remove("team/a.md")
        folder.remove("team/a.md")
        assert names(folder) == ["log", "team"]

    @needs_posix
    @pytest.mark.parametrize("most", range(0, 40, 3))
    def test_a_disk_that_is_full_leaves_what_was_there(self, folder: Folder, most: int) -> None:
        import resource

        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        for change in (folder.append, lambda name, data: folder.write(name, data, DAY)):
            folder.write("team/a.md", b"before\n", DAY)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
            try:
                with suppress(OSError):
                    change("team/a.md", b"x" * 25)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            whole = (b"before\n" + b"x" * 25, b"x" * 25)
            assert folder.read("team/a.md").data in (b"before\n", *whole)
            assert names(folder) == ["team", "team/a.md"]

    @needs_posix
    def test_contents_are_on_the_disk_before_their_name_is(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        steps: list[str] = []
        real = {name: getattr(os, name) for name in ("fsync", "replace", "mkdir")}

        def noted(name: str) -> Callable[..., object]:
            def call(*given: object, **more: object) -> object:
                kind = ""
                if name == "fsync":
                    kind = " folder" if os.path.isdir(f"/dev/fd/{given[0]}/") else " file"
                steps.append(name + kind)
                return real[name](*given, **more)

            return call

        for name in real:
            monkeypatch.setattr(os, name, noted(name))
        made = Folder(tmp_path / "memory")
        made.write("a.md", b"x", DAY)
        assert steps == ["mkdir", "fsync folder", "fsync file", "replace", "fsync folder"]
        steps.clear()
        Folder(made.path, durable=False).write("b/a.md", b"x", DAY)
        assert steps == ["mkdir", "replace"]


CALLS: dict[str, Callable[[Folder, str], object]] = {
    "read": lambda folder, name: folder.read(name),
    "write": lambda folder, name: folder.write(name, b"x", DAY),
    "append": lambda folder, name: folder.append(name, b"x"),
    "rename": lambda folder, name: folder.rename("b.md", f"{name}/b.md"),
    "make": lambda folder, name: folder.make(f"{name}/new"),
    "sync": lambda folder, name: folder.sync(f"{name}/a.md"),
}


@needs_links
class TestLinks:
    @pytest.mark.behaviour("H5")
    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize("target", ["outside/a.md", "outside", "nowhere"])
    @pytest.mark.parametrize("name", ["link", "link/a.md"])
    def test_no_link_is_followed(self, folder: Folder, call: str, target: str, name: str) -> None:
        folder.write("b.md", b"b", DAY)
        (folder.path / "link").symlink_to(Path("..", target))
        with pytest.raises(OSError) as refusal:  # noqa: PT011
            CALLS[call](folder, name)
        assert refusal.value.errno in SWAPPED
        assert outside(folder) == {"a.md": b"theirs"}
        assert names(folder) == ["b.md", "link", "team", "team/a.md"]

    @pytest.mark.behaviour("H5")
    def test_a_folder_is_swapped_for_a_link_during_three_thousand_writes(
        self, folder: Folder
    ) -> None:
        top, done = folder.path, threading.Event()

        def swap() -> None:
            while not done.is_set():
                with suppress(OSError):
                    (top / "team").rename(top / "aside")
                    (top / "team").symlink_to("../outside")
                    (top / "team").unlink()
                    (top / "aside").rename(top / "team")

        other = threading.Thread(target=swap)
        other.start()
        quick, written = Folder(top, durable=False), 0
        for number in range(3_000):
            with suppress(OSError):
                quick.write("team/a.md", b"%d" % number, DAY)
                written += 1
        done.set()
        other.join()
        assert written > 0
        assert outside(folder)["a.md"] == b"theirs"
        # without descriptors an empty file may be made there, and nothing more
        left = [data for name, data in outside(folder).items() if name != "a.md"]
        assert left == [] or (not module.BY_DESCRIPTOR and set(left) == {b""})

    def test_the_directory_itself_may_be_a_link_but_not_become_one(self, folder: Folder) -> None:
        alias = folder.path.with_name("alias")
        alias.symlink_to(folder.path)
        assert Folder(alias).read("team/a.md").data == b"ours"
        folder.path.rename(folder.path.with_name("moved"))
        folder.path.symlink_to("outside")
        for name in ("a.md", "new/a.md"):
            with pytest.raises(OSError):  # noqa: PT011
                folder.write(name, b"x", DAY)
        assert outside(folder) == {"a.md": b"theirs"}

    def test_a_pipe_is_not_waited_for(self, folder: Folder) -> None:
        os.mkfifo(folder.path / "pipe")
        for call in ("read", "append"):
            with pytest.raises(OSError) as refusal:  # noqa: PT011
                CALLS[call](folder, "pipe")
            assert refusal.value.errno in SWAPPED


@pytest.mark.parametrize(
    "name", ["", "..", "../outside/a.md", "team/../a.md", "/etc/hosts", "a//b"]
)
def test_a_name_that_leads_out_is_refused(folder: Folder, name: str) -> None:
    with pytest.raises(OSError, match="it leads out, or nowhere"):
        folder.read(name)


class TestWalk:
    @needs_links
    def test_links_are_named_and_not_entered(self, folder: Folder) -> None:
        (folder.path / "loop").symlink_to(folder.path)
        folder.write(".hidden/b.md", b"", DAY)
        assert names(folder) == [".hidden", ".hidden/b.md", "loop", "team", "team/a.md"]
        entered = folder.walk([], lambda name: name != ".hidden")
        assert "\0".join(sorted(name for name, _ in entered)).count("b.md") == 0
        assert [name for name, _ in folder.walk([], below="team")] == ["team/a.md"]

    def test_what_cannot_be_listed_is_given_with_its_reason(self, folder: Folder) -> None:
        folder.make("/".join("d" * 40))
        failed: list[tuple[str, OSError | ValueError]] = []
        assert len(list(folder.walk(failed))) == 2 + 33
        assert [(name, str(error.args[1])) for name, error in failed] == [
            ("d/" * 33, "it is nested more than 32 folders deep")
        ]
        list(Folder(folder.path / "none").walk(failed))
        assert failed[-1][0] == ""


@needs_posix
def test_no_descriptor_is_left_open(folder: Folder) -> None:
    def count() -> int:
        return len(os.listdir("/dev/fd"))

    before = count()
    for call in CALLS.values():
        for name in ("team", "team/a.md", "none/a.md"):
            with suppress(OSError):
                call(folder, name)
    assert count() == before


def test_it_can_be_loaded_alone() -> None:
    script = (
        "import importlib.util as u, sys; s = u.spec_from_file_location('f', sys.argv[1]);"
        " m = u.module_from_spec(s); s.loader.exec_module(m);"
        " assert not [n for n in sys.modules if n.startswith('memlab')]"
    )
    assert isinstance(module.__file__, str)
    subprocess.run([sys.executable, "-c", script, module.__file__], check=True)


def steps_of(folder: Folder) -> Iterator[type[Folder]]:
    """A Folder for each step of a write that ends the process right before it."""
    for name in ("create", "rename"):

        def stop(self: Folder, *given: object) -> None:
            raise KeyboardInterrupt

        yield type("Stopping", (Folder,), {name: stop})


def test_a_write_that_is_stopped_leaves_the_old_file(folder: Folder) -> None:
    for stopping in steps_of(folder):
        with pytest.raises(KeyboardInterrupt):
            stopping(folder.path).write("team/a.md", b"new", DAY)
        assert folder.read("team/a.md").data == b"ours"
    left = [name for name in names(folder) if name not in ("team", "team/a.md")]
    assert all(Path(name).match("team/.memlab-*.tmp") for name in left)

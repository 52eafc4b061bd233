"""Where memories may be read and written: the attack set, races after a look, any text."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from memlab.errors import MemoryPathError
from memlab.evals.attacks import PathCase, fill, load_path_cases, load_trees, set_up
from memlab.memdir import path_safety as guard
from memlab.memdir.path_safety import open_inside, resolve_memory_path
from tests.platforms import needs_posix
from tests.work import calls

TREE = load_trees().paths
CASES = load_path_cases()


def made(case: PathCase, top: Path) -> tuple[Path, str]:
    """The tree of a case; gives the memory directory and the path to be judged."""
    directories = TREE.make(top)
    set_up([fill(entry, directories) for entry in case.setup], directories["MEMORY"])
    return directories["MEMORY"], fill(case.path, directories)


def is_allowed(directory: Path, path: str) -> bool:
    try:
        return resolve_memory_path(directory, path).is_relative_to(directory)
    except MemoryPathError:
        return False


def judged_wrongly(half: str, top: Path) -> list[PathCase]:
    cases = [case for case in CASES if case.half == half]
    return [case for case in cases if is_allowed(*made(case, top / case.id)) is not case.allow]


@needs_posix
def test_the_work_half_of_the_attack_set_is_judged_rightly(tmp_path: Path) -> None:
    assert judged_wrongly("work", tmp_path) == []


@needs_posix
def test_the_final_half_of_the_attack_set_is_judged_rightly(tmp_path: Path) -> None:
    assert judged_wrongly("final", tmp_path) == []


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return TREE.make(tmp_path)["MEMORY"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../outside/secret.md", "it leads out of the memory directory"),
        ("/etc/passwd", "it leads out of the memory directory"),
        ("..%2fsecret.md", "it holds an encoded character"),
        ("notes\u2100.md", "some systems take a character in it for a separator"),
        ("no\u200btes.md", "it holds a character that is not seen"),
        ("Notes.md", "some systems take it for 'notes.md'"),
        ("notes.md ", "a blank in front, or a blank or a dot behind"),
        ("nul.md", "on Windows this name means something else"),
        (".memlab/journal.jsonl", "its owner alone writes there"),
        ("a" * 253 + ".md", "longer than 255 bytes"),
        ("team/", "it names no file"),
    ],
)
def test_a_refusal_says_why_and_what_to_do(memory: Path, path: str, said: str) -> None:
    with pytest.raises(MemoryPathError, match="Give a plain path below") as refusal:
        resolve_memory_path(memory, path)
    assert said in refusal.value.what
    assert refusal.value.where.isascii()


def test_the_place_is_below_the_directory_however_it_is_told(memory: Path) -> None:
    assert resolve_memory_path(memory, "team/./tabs.md") == memory / "team" / "tabs.md"
    assert resolve_memory_path(memory, f"{memory}/tabs.md") == memory / "tabs.md"


@needs_posix
def test_a_directory_that_is_reached_by_a_link_may_be_told_by_both_names(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    alias = tmp_path / "alias"
    alias.symlink_to("real")
    for front in (alias, tmp_path / "real"):
        assert resolve_memory_path(alias, f"{front}/tabs.md") == alias / "tabs.md"
    with pytest.raises(MemoryPathError):
        resolve_memory_path(tmp_path / "real", f"{alias}/tabs.md")


def test_nothing_need_exist(tmp_path: Path) -> None:
    assert resolve_memory_path(tmp_path / "new", "team/tabs.md") == tmp_path / "new/team/tabs.md"


def opened_text(directory: Path, path: str, *, by_descriptor: bool) -> str:
    with open(open_inside(directory, path, by_descriptor=by_descriptor)) as source:
        return source.read()


BOTH_WAYS = pytest.mark.parametrize("by_descriptor", [True, False])


@needs_posix
class TestOpenInside:
    @BOTH_WAYS
    def test_a_file_is_read_written_and_made(self, memory: Path, by_descriptor: bool) -> None:
        assert opened_text(memory, "notes.md", by_descriptor=by_descriptor) == "the real notes\n"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        (memory / "team").mkdir()
        for name in ("notes.md", "team/new.md"):
            with open(open_inside(memory, name, flags, by_descriptor=by_descriptor), "w") as target:
                target.write("short\n")
            assert (memory / name).read_text() == "short\n"

    @BOTH_WAYS
    def test_what_is_not_there_is_an_error_of_the_system(
        self, memory: Path, by_descriptor: bool
    ) -> None:
        with pytest.raises(FileNotFoundError):
            open_inside(memory, "nothing.md", by_descriptor=by_descriptor)

    @BOTH_WAYS
    @pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_WRONLY | os.O_TRUNC])
    @pytest.mark.parametrize(
        ("path", "turn"),
        [
            ("notes.md", lambda memory: (memory / "notes.md").unlink()),
            ("team/secret.md", lambda memory: (memory / "team").rmdir()),
        ],
    )
    def test_a_link_turned_after_the_look_is_not_followed(
        self,
        memory: Path,
        monkeypatch: pytest.MonkeyPatch,
        path: str,
        turn: Callable[[Path], None],
        flags: int,
        by_descriptor: bool,
    ) -> None:
        (memory / "team").mkdir()
        look = guard.resolve_memory_path

        def look_then_turn(directory: Path, told: str) -> Path:
            place = look(directory, told)
            turn(memory)
            (memory / path.split("/")[0]).symlink_to(
                "../outside/secret.md" if path == "notes.md" else "../outside"
            )
            return place

        monkeypatch.setattr(guard, "resolve_memory_path", look_then_turn)
        before = len(os.listdir("/dev/fd"))
        with pytest.raises(MemoryPathError, match="since it was looked at"):
            open_inside(memory, path, flags, by_descriptor=by_descriptor)
        assert (memory / path).read_text() == "outside\n"  # who only looks first is led there
        assert len(os.listdir("/dev/fd")) == before

    def test_a_link_turned_back_in_time_is_noticed_by_the_file_itself(
        self, memory: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (memory / "team").mkdir()
        (memory / "team" / "secret.md").write_text("inside\n")
        real_open = os.open

        def open_elsewhere(path: Path, *rest: int) -> int:
            (memory / "team").rename(memory / "aside")
            (memory / "team").symlink_to("../outside")
            try:
                return real_open(path, *rest)
            finally:
                (memory / "team").unlink()
                (memory / "aside").rename(memory / "team")

        assert opened_text(memory, "team/secret.md", by_descriptor=False) == "inside\n"
        monkeypatch.setattr(os, "open", open_elsewhere)
        with pytest.raises(MemoryPathError, match="since it was looked at"):
            open_inside(memory, "team/secret.md", by_descriptor=False)

    @BOTH_WAYS
    def test_a_pipe_put_there_after_the_look_is_not_waited_for(
        self, memory: Path, monkeypatch: pytest.MonkeyPatch, by_descriptor: bool
    ) -> None:
        os.mkfifo(memory / "desk.md")
        monkeypatch.setattr(guard, "resolve_memory_path", lambda directory, path: directory / path)
        for flags in (os.O_RDONLY, os.O_WRONLY):
            with pytest.raises(MemoryPathError):
                open_inside(memory, "desk.md", flags, by_descriptor=by_descriptor)

    def test_a_hard_link_is_seen_by_nobody(self, memory: Path) -> None:
        os.link(memory.parent / "outside" / "secret.md", memory / "hard.md")
        assert opened_text(memory, "hard.md", by_descriptor=True) == "outside\n"


@needs_posix
def test_a_directory_of_many_memories_is_little_work(memory: Path) -> None:
    for number in range(200):
        (memory / f"memory-number-{number}.md").touch()

    assert statistics.median(calls(partial(is_allowed, memory, case.path)) for case in CASES) < 500
    assert calls(partial(is_allowed, memory, "memory-number-7.md")) < 500
    assert calls(partial(is_allowed, memory, "new-one.md")) < 500 + 200 * 10

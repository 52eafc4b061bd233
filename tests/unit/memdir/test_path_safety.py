"""Paths that mean the same file everywhere, and the names that memories get."""

from __future__ import annotations

import os
import statistics
import unicodedata
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from memlab.errors import MemoryPathError
from memlab.evals.attacks import PathCase, fill, load_path_cases, load_trees, set_up
from memlab.memdir import path_safety as guard
from memlab.memdir.path_safety import (
    MAX_FILE_NAME_BYTES,
    file_name,
    open_inside,
    resolve_memory_path,
    slug,
)
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


@pytest.mark.behaviour("H5")
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
        *(
            (path, "it leads out of the memory directory")
            for path in ("~", "~/a.md", "~root", "~root/a.md", "\uff5e/a.md", "~root/.bashrc")
        ),
        ("/etc/passwd", "it leads out of the memory directory"),
        ("..%2fsecret.md", "it holds an encoded character"),
        ("notes\u2100.md", "some systems take a character in it for a separator"),
        ("no\u200btes.md", "it holds a character that is not seen"),
        ("Notes.md", "some systems take it for 'notes.md'"),
        ("notes.md ", "begins with a space, or ends with a space or a dot"),
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

    @pytest.mark.behaviour("H5")
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


DEVICES = ("con", "prn", "aux", "nul", "com1", "com9", "lpt1", "lpt9")
STEMS = ("tides", "café", "straße", "Ωμέγα", "İstanbul", "हिन्दी", "潮汐", "한국어", "ﬁle", "ﷺ")
ODD = dict.fromkeys(
    [
        *(
            "",
            " ",
            ".",
            "..",
            "...",
            "-",
            "--",
            "/",
            "\\",
            "~",
            "NUL\0",
            "\ud83d",
            "\r\n",
            "_",
            "___",
        ),
        *("MEMORY", "memory", "Memory.md", "MEMORY.MD", "ｍｅｍｏｒｙ", "mem\u00adory", "mem ory"),
        *(
            "🛶",
            "🚣",
            "👩‍💻",
            "❤️",
            "❤",
            "🏳️‍🌈",
            "🛶 tides",
            "tides 🛶",
            "\u3164",
            "\u2800",
            "\u200b",
        ),
        *("../../etc/passwd", "/etc/passwd", "C:\\tides", "\\\\host\\share", "~/.ssh/id", "a/../b"),
        *(
            "℀",
            "℅",
            "‥",
            "‥/x",
            "％2e％2e",
            "．．／",
            "a\u2215b",
            "a\u2044b",
            "⒈",
            "1.",
            "½",
            "1⁄2",
        ),
        *("v1..v2", "coverage 80%", ".hidden", "..hidden", "x.", "x ", " x", "x...", "x. . ", "x"),
        *(
            "a\u202eb",
            "a\u200db",
            "a\ufeffb",
            "ab",
            "a\u0301",
            "á",
            "\u0301",
            "\u0338x",
            "a\u034fb",
        ),
        *("K", "\u212a", "k", "ſ", "s", "ı", "i", "I", "İ", "ß", "ss", "SS", "ẞ", "ς", "σ", "Σ"),
        *(f"{device}{end}" for device in DEVICES for end in ("", ".txt", ".", " ", ".md", " file")),
        *(device.upper() for device in DEVICES),
        *("COM¹", "com²", "CON ", "a" * 5000, "é" * 200, "潮" * 200, "🛶" * 200, "x-" * 200),
        *("long " * 60 + str(n) for n in range(40)),
        *(form(stem) for stem in STEMS for form in (str.upper, str.lower, str.title)),
        *(unicodedata.normalize(form, s) for s in STEMS for form in ("NFC", "NFD", "NFKC", "NFKD")),
        *(f"Tides {mark} today" for mark in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
        *(f"{stem}{end}" for stem in STEMS for end in (".md", "-", "--", " (2)", ":stream", "\t")),
    ]
)


def same_to_some_system(file: str) -> str:
    """Case-folded and composed, as Windows and macOS compare names."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", file).casefold())


def all_files() -> dict[str, str]:
    taken: dict[str, str] = {}
    for name in ODD:
        file = file_name(name, taken)
        assert file not in taken
        taken[file] = name
    return taken


@pytest.mark.behaviour("A7")
def test_odd_names_get_distinct_files_even_where_case_and_form_do_not_count() -> None:
    assert len(ODD) >= 300
    files = all_files()
    assert len(files) == len(ODD)
    assert len({same_to_some_system(file) for file in files}) == len(ODD)
    assert len({same_to_some_system(file) for file in ("Café.md", "cafe\u0301.md")}) == 1


def is_safe(file: str) -> bool:
    """Say whether a name is one plain component on Linux, macOS and Windows."""
    stem = file.removesuffix(".md")
    return (
        len(stem) > 0
        and file.endswith(".md")
        and file == file.lower()
        and len(file.encode()) <= MAX_FILE_NAME_BYTES
        and unicodedata.is_normalized("NFKC", file)
        and stem.lower().split(".")[0] not in {*DEVICES, "memory"}
        and all(unicodedata.category(char)[0] in "LNM" or char == "-" for char in stem)
        and all(char.isprintable() for char in file)
        and stem[0] != "-" != stem[-1]
        and not unicodedata.combining(stem[0])
    )


@pytest.mark.behaviour("A7")
def test_every_file_name_is_safe_on_three_systems() -> None:
    unsafe = ["con.md", "MEMORY.md", ".md", "a b.md", "x", "../x.md", "%2e.md", "é" * 60 + ".md"]
    assert [file for file in unsafe if is_safe(file)] == []
    assert [file for file in all_files() if not is_safe(file)] == []


def test_the_files_can_all_be_made_in_one_folder(tmp_path: Path) -> None:
    files = all_files()
    for file in files:
        (tmp_path / file).touch(exist_ok=False)
    assert len(list(tmp_path.iterdir())) == len(ODD)


def test_a_name_keeps_its_file_whatever_else_is_there() -> None:
    files = all_files()
    assert files == all_files()
    for file, name in files.items():
        assert not name or file_name(name, files) == file
        assert not name or file_name(name, dict(reversed(files.items()))) == file
    assert (
        file_name("tides", {"written by hand.md": "tides", "tides.md": "x"}) == "written by hand.md"
    )
    assert file_name("memory", {"MEMORY.md": "memory"}).startswith("memory-")


def test_a_memory_without_a_name_never_takes_the_file_of_another() -> None:
    taken = {"broken.md": "", "tides.md": "tides"}
    assert file_name("tides", taken) == "tides.md"
    assert file_name("", taken) not in taken
    assert file_name("", {file_name(""): ""}) != file_name("")


def test_readable_names_stay_readable() -> None:
    assert slug("Answers short, no filler") == "answers-short-no-filler"
    assert slug("answers-short") == "answers-short"
    assert slug("Täglich: Straße №5") == "täglich-straße-no5"
    assert slug("हिन्दी 潮汐") == "हिन्दी-潮汐"
    assert file_name("v1..v2") == "v1-v2.md"


def test_a_second_name_with_the_same_slug_gets_a_stable_file_of_its_own() -> None:
    first, second = file_name("No mocks!"), file_name("no mocks?", {"no-mocks.md": "No mocks!"})
    assert (first, second) == ("no-mocks.md", file_name("no mocks?", ["NO-MOCKS.md"]))
    assert second.startswith("no-mocks-")
    third = file_name("no mocks?", [first, second])
    assert third not in (first, second)


@pytest.mark.parametrize("name", ["🛶", "", "CON", "Memory", "long " * 60])
def test_a_name_without_a_usable_slug_gets_the_same_one_every_time(name: str) -> None:
    stem = slug(name)
    assert stem == slug(name)
    assert slug(stem) == stem
    assert stem.rpartition("-")[2].isalnum()
    assert stem != slug(name + "x")

"""Which paths are refused, and which names memories get."""

from __future__ import annotations

import statistics
import unicodedata
from functools import partial
from pathlib import Path

import pytest

from memlab.errors import MemoryPathError
from memlab.evals.attacks import fill, load_path_cases, load_trees, set_up
from memlab.evals.labelled import Label
from memlab.memdir.folder import Folder
from memlab.memdir.names import file_name, memory_file, plain_file, slug
from tests.platforms import needs_posix
from tests.work import calls

TREE = load_trees().paths
CASES = load_path_cases()


def is_allowed(directory: Path, path: str) -> bool:
    try:
        return bool(plain_file(Folder(directory), path))
    except MemoryPathError:
        return False


def judged_wrongly(half: str, top: Path) -> list[Label]:
    wrong = []
    for case in CASES:
        if case.half == half:
            directories = TREE.make(top / case.id)
            memory = directories["MEMORY"]
            set_up([fill(entry, directories) for entry in case.setup], memory)
            if is_allowed(memory, fill(case.path, directories)) is not case.allow:
                wrong.append(case)
    return wrong


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


OUT = "it leads out of the memory directory"
AMBIGUOUS = "it names no file, or some system or program takes it for another"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        *((path, OUT) for path in ("../outside/secret.md", "~", "~/a.md", "~root", "\uff5e/a.md")),
        *((path, OUT) for path in ("/etc/passwd", "\u2025/a.md", "a/../../b.md", "team/..")),
        *(
            (path, AMBIGUOUS)
            for path in ("..%2fsecret.md", "..%20/a.md", "notes\u2100.md", "nul.md")
        ),
        *((path, AMBIGUOUS) for path in ("notes.md ", "notes.md.", "c:a.md", "a\\b.md", "team/")),
        ("no\u200btes.md", "it holds a character that is not seen"),
        ("blank\u2800.md", "it holds a character that is not seen"),
        ("Notes.md", "some systems take it for 'notes.md'"),
        (".memlab/journal.jsonl", "this is no memory, and its owner alone writes there"),
        ("a" * 253 + ".md", "it goes through more than 32 folders, or is too long"),
        ("d/" * 33 + "x.md", "it goes through more than 32 folders, or is too long"),
    ],
)
def test_a_refusal_says_why_and_what_to_do(memory: Path, path: str, why: str) -> None:
    with pytest.raises(MemoryPathError, match="Give a plain path below") as refusal:
        plain_file(Folder(memory), path)
    assert refusal.value.what == why
    assert refusal.value.where.isascii()


def test_the_name_goes_on_from_the_directory_however_it_is_typed(memory: Path) -> None:
    for typed in ("team/./tabs.md", f"{memory}/team/tabs.md", "team//tabs.md"):
        assert memory_file(Folder(memory), typed) == "team/tabs.md"
    assert memory_file(Folder(memory / "new"), "tabs.md") == "tabs.md"


@needs_posix
def test_a_directory_behind_a_link_may_be_typed_by_both_names(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    alias = tmp_path / "alias"
    alias.symlink_to("real")
    for front in (alias, tmp_path / "real"):
        assert memory_file(Folder(alias), f"{front}/tabs.md") == "tabs.md"
    with pytest.raises(MemoryPathError):
        memory_file(Folder(tmp_path / "real"), f"{alias}/tabs.md")


@pytest.mark.parametrize("emoji", ["❤️", "👩‍💻", "🏳️‍🌈", "1️⃣", "👍🏽", "🇩🇪"])
def test_what_joins_emoji_need_not_be_seen(memory: Path, emoji: str) -> None:
    assert memory_file(Folder(memory), f"{emoji}.md") == f"{emoji}.md"


def test_only_a_memory_or_an_index_that_was_asked_for_passes(memory: Path) -> None:
    folder = Folder(memory)
    assert memory_file(folder, "team/MEMORY.md", or_index=True) == "team/MEMORY.md"
    for name in ("MEMORY.md", "deep/memory.md", "notes.txt", ".hidden/a.md", "a.md).md"):
        with pytest.raises(MemoryPathError):
            memory_file(folder, name, or_index=name == "deep/memory.md")


@needs_posix
def test_a_directory_of_many_memories_is_little_work(memory: Path) -> None:
    for number in range(200):
        (memory / f"memory-number-{number}.md").touch()
    assert statistics.median(calls(partial(is_allowed, memory, case.path)) for case in CASES) < 500
    assert calls(partial(is_allowed, memory, "new-one.md")) < 500 + 200 * 10


DEVICES = ("con", "prn", "aux", "nul", "com1", "com9", "lpt1", "lpt9")
STEMS = ("tides", "café", "straße", "Ωμέγα", "İstanbul", "हिन्दी", "潮汐", "한국어", "ﬁle", "ﷺ")
ODD = dict.fromkeys(
    [
        *("", " ", ".", "..", "...", "-", "--", "/", "\\", "~", "NUL\0", "\ud83d", "\r\n", "_"),
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
        *("COM¹", "com²", "CON ", "a" * 5000, "é" * 200, "潮" * 200, "🛶" * 200, "x-" * 200),
        *("long " * 60 + str(number) for number in range(40)),
        *(form(stem) for stem in STEMS for form in (str.upper, str.lower, str.title)),
        *(unicodedata.normalize(form, s) for s in STEMS for form in ("NFC", "NFD", "NFKC", "NFKD")),
        *(f"Tides {mark} today" for mark in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
        *(f"{stem}{end}" for stem in STEMS for end in (".md", "-", "--", " (2)", ":stream", "\t")),
    ]
)


def all_files() -> dict[str, str]:
    taken: dict[str, str] = {}
    for name in ODD:
        file = file_name(name, taken)
        assert file not in taken
        taken[file] = name
    return taken


def same_to_some_system(file: str) -> str:
    """Case-folded and composed, as Windows and macOS compare names."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", file).casefold())


@pytest.mark.behaviour("A7")
def test_odd_names_get_distinct_files_even_where_case_and_form_do_not_count() -> None:
    assert len(ODD) >= 300
    assert len({same_to_some_system(file) for file in all_files()}) == len(ODD)
    assert len({same_to_some_system(file) for file in ("Café.md", "cafe\u0301.md")}) == 1


def is_safe(file: str) -> bool:
    """Say whether a name is one plain component on Linux, macOS and Windows."""
    stem = file.removesuffix(".md")
    return (
        file.endswith(".md")
        and file == file.lower()
        and len(file.encode()) <= 120
        and unicodedata.is_normalized("NFKC", file)
        and stem.split(".")[0] not in {"", *DEVICES, "memory"}
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


def test_a_name_keeps_its_file_whatever_else_is_there() -> None:
    files = all_files()
    for file, name in files.items():
        assert not name or file_name(name, files) == file
    hand_written = {"written by hand.md": "tides", "tides.md": "x"}
    assert file_name("tides", hand_written) == "written by hand.md"
    assert file_name("memory", {"MEMORY.md": "memory"}).startswith("memory-")


def test_a_memory_without_a_name_never_takes_the_file_of_another() -> None:
    assert file_name("tides", {"broken.md": "", "tides.md": "tides"}) == "tides.md"
    assert file_name("", {file_name("", {}): ""}) != file_name("", {})


def test_readable_names_stay_readable() -> None:
    assert slug("Answers short, no filler") == "answers-short-no-filler"
    assert slug("Täglich: Straße №5") == "täglich-straße-no5"
    assert slug("हिन्दी 潮汐") == "हिन्दी-潮汐"
    assert slug("don´t mock") == "don-t-mock"
    assert file_name("v1..v2", {}) == "v1-v2.md"


def test_a_second_name_with_the_same_slug_gets_a_stable_file_of_its_own() -> None:
    second = file_name("no mocks?", {"no-mocks.md": "No mocks!"})
    assert second == file_name("no mocks?", {"NO-MOCKS.md": ""})
    assert second.startswith("no-mocks-")
    taken = {"no-mocks.md": "", second: ""}
    assert file_name("no mocks?", taken) not in taken


@pytest.mark.parametrize("name", ["🛶", "", "CON", "Memory", "long " * 60])
def test_a_name_without_a_usable_slug_gets_the_same_one_every_time(name: str) -> None:
    stem = slug(name)
    assert slug(stem) == stem == slug(name)
    assert stem != slug(name + "x")

"""Which paths are refused as names of memories, and which names memories get."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest

from memlab.errors import MemoryPathError
from memlab.evals.attacks import fill, load_path_cases, load_trees, set_up
from memlab.memdir.folder import Folder
from memlab.memdir.names import file_name, memory_file, plain_file, slug
from memlab.text import words
from tests.platforms import needs_posix
from tests.work import calls

TREE = load_trees().paths


def refusal(memory: Path, path: str) -> str:
    try:
        return "" if plain_file(Folder(memory), path) else "no name"
    except MemoryPathError as error:
        return error.what if error.where.isascii() else "it is not told in ASCII"


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = TREE.make(tmp_path_factory.mktemp("tree"))["MEMORY"]
    return made


@pytest.mark.behaviour("H5")
@needs_posix
def test_the_attack_set_is_judged_as_labelled(memory: Path, tmp_path: Path) -> None:
    wrong = []
    for case in load_path_cases():
        directories = TREE.make(tmp_path / case.id if case.setup else memory.parent)
        top = directories["MEMORY"]
        set_up([fill(entry, directories) for entry in case.setup], top)
        refused = refusal(top, fill(case.path, directories))
        if bool(refused) is case.allow:
            wrong.append(case.id)
    assert wrong == []


@pytest.mark.behaviour("H5")
@pytest.mark.parametrize(
    ("why", "paths"),
    [
        ("leads out", "../outside/secret.md|~|~/a.md|~root|\uff5e/a.md|team/../../x"),
        ("leads out", "/etc/passwd|\u2025/a.md|a/../../b.md"),
        ("takes it for another", "..%2fa.md|..%20/a.md|notes\u2100.md|nul.md|COM\u00b9.md"),
        ("takes it for another", "notes.md |a.md.|c:a.md|a\\b.md|team/|.|%252e.md|con .md"),
        ("not seen", "no\u200btes.md|blank\u2800.md|a\x00.md|a\u202eb.md|\ud800.md"),
        ("take it for 'notes.md'", "Notes.md|NOTES.md"),
        ("owner", ".memlab/journal.jsonl|.consolidate-lock|.git/config"),
        ("too long", "a" * 253 + ".md|" + "d/" * 33 + "x.md"),
        ("", "a" * 252 + ".md|" + "d/" * 32 + "x.md|v1..v2.md|~a.md|Größe 潮.md"),
        ("", "❤️.md|👩‍💻.md|🏳️‍🌈.md|1️⃣.md|🇩🇪.md"),
    ],
)
def test_a_refusal_says_why(memory: Path, why: str, paths: str) -> None:
    found = {path: refusal(memory, path) for path in paths.split("|")}
    assert all(why in told for told in found.values()), found
    assert why or not any(found.values()), found


def test_the_name_goes_on_from_the_directory_however_it_is_typed(memory: Path) -> None:
    for typed in ("team/./tabs.md", f"{memory}/team/tabs.md", "team//tabs.md"):
        assert memory_file(Folder(memory), typed) == "team/tabs.md"
    assert memory_file(Folder(memory / "new"), "tabs.md") == "tabs.md"


@needs_posix
def test_a_directory_behind_a_link_may_be_typed_by_both_names(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")
    folder = Folder(tmp_path / "alias")
    for front in ("alias", "real"):
        assert memory_file(folder, f"{tmp_path}/{front}/a.md") == "a.md"
    assert refusal(tmp_path / "real", f"{tmp_path}/alias/a.md")


def test_only_a_memory_or_an_index_that_was_asked_for_passes(memory: Path) -> None:
    folder = Folder(memory)
    assert memory_file(folder, "team/MEMORY.md", or_index=True) == "team/MEMORY.md"
    for name in ("MEMORY.md", "deep/memory.md", "a.txt", ".x/a.md", "a.md).md"):
        with pytest.raises(MemoryPathError):
            memory_file(folder, name, or_index=name == "deep/memory.md")


@needs_posix
def test_a_directory_of_many_memories_is_little_work(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f"memory-number-{number}.md").touch()
    assert calls(lambda: refusal(tmp_path, "new-one.md")) < 500 + 200 * 10


DEVICES = words("con prn aux nul com1 com9 lpt1 lpt9")
RESERVED = {"", "memory", *DEVICES}
FAMILIES = (
    "| |.|..|-|/|\\|~|NUL\0|\ud83d|\n|_|\u3164|\u200b|v1..v2|80%|.x|x.|x|hello|hel\u200dlo",
    "MEMORY|memory|Memory.md|ｍｅｍｏｒｙ|mem\u00adory|mem-ory|🛶|🚣|👩‍💻|❤️|❤|℀|‥/x|％2e|½",
    "../../etc/passwd|C:\\tides|\\\\host\\x|~/.ssh/id|a/../b|a\u2215b|a\u202eb|a\ufeffb|ab",
    "a\u0301|á|\u0301|\u0338x|a\u034fb|K|\u212a|ſ|s|ı|i|I|İ|ß|ss|ẞ|ς|σ|STRASSE|straße",
    "ΩΜΈΓΑ|Ωμέγα|ﬁle|file|हिन्दी|한국어|한국어|cafe\u0301|café|COM¹|CON ",
    "|".join(f"{one}|{one}.txt|{one} |{one}.md" for one in DEVICES),
    "|".join(f"{char * 200}|{char * 200}x" for char in "aé潮🛶"),
    "|".join(f"Tides {mark} today" for mark in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{}~"),
)
ODD = dict.fromkeys(one for family in FAMILIES for one in family.split("|"))


def is_safe(file: str) -> bool:
    """Say whether it is one plain component on Linux, macOS and Windows, and shown as it is."""
    stem = file.removesuffix(".md")
    kinds = {unicodedata.category(char)[0] for char in stem.replace("-", "")}
    kinds -= {*"LNM"}
    plain = unicodedata.normalize("NFKC", stem.lower()).strip("-") + ".md"
    kinds |= {stem} & RESERVED
    return file == plain and len(file.encode()) <= 120 and not kinds


@pytest.mark.behaviour("A7")
def test_odd_names_get_safe_and_distinct_files_and_keep_them() -> None:
    taken: dict[str, str] = {}
    for name in ODD:
        taken[file_name(name, taken)] = name
    assert [file for file in taken if not is_safe(file)] == []
    # as Windows and macOS compare names
    forms = {unicodedata.normalize("NFC", file.casefold()) for file in taken}
    assert len(forms) == len(taken) == len(ODD)
    assert all(file_name(name, taken) == file for file, name in taken.items() if name)


@pytest.mark.behaviour("A7")
@pytest.mark.parametrize(
    ("name", "taken", "file"),
    [
        ("Answers short, no filler", {}, "answers-short-no-filler.md"),
        ("Täglich: Straße №5", {}, "täglich-straße-no5.md"),
        ("don´t mock v1..v2", {}, "don-t-mock-v1-v2.md"),
        ("tides", {"by hand.md": "tides", "tides.md": "x"}, "by hand.md"),
        ("tides", {"broken.md": "", "tides.md": "tides"}, "tides.md"),
        ("no mocks?", {"no-mocks.md": "No mocks!"}, "no-mocks-e9f30149.md"),
        ("no mocks?", {"NO-MOCKS.md": ""}, "no-mocks-e9f30149.md"),
        ("memory", {"MEMORY.md": "memory"}, "memory-c064fbca.md"),
    ],
)
def test_the_file_of_a_name(name: str, taken: Any, file: str) -> None:
    assert file_name(name, taken) == file
    if name == "no mocks?":
        assert file_name(name, {**taken, file: ""}) not in {*taken, file}


def test_a_name_without_a_readable_slug_has_one_of_its_own() -> None:
    assert file_name("", {file_name("", {}): ""}) != file_name("", {})
    for name in ("🛶", "", "CON", "Memory", "long " * 60):
        assert slug(slug(name)) == slug(name) != slug(name + "x")

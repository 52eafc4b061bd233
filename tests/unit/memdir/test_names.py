"""Which paths are refused as names of memories, and which names memories get."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from memlab.errors import MemoryPathError
from memlab.evals.attacks import fill, load_path_cases, load_trees, set_up
from memlab.memdir.folder import Folder
from memlab.memdir.names import file_name, memory_file, plain_file
from tests.platforms import needs_posix

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
        if bool(refusal(top, fill(case.path, directories))) is case.allow:
            wrong.append(case.id)
    assert wrong == []


PATHS = {
    "leads out": "../outside/secret.md|~|~/a.md|~root|\uff5e/a.md|/etc/passwd|\u2025/a.md",
    "takes it for another": "..%2fa.md|nul.md|a.md.|c:a.md|a\\b.md|team/|%252e.md|con .md",
    "not seen": "no\u200btes.md|blank\u2800.md|a\x00.md|a\u202eb.md|\ud800.md",
    "take it for 'notes.md'": "Notes.md|NOTES.md",
    "owner": ".memlab/journal.jsonl|.consolidate-lock|.git/config",
    "too long": "a" * 253 + ".md|" + "d/" * 33 + "x.md",
    "": "a" * 252 + ".md|" + "d/" * 32 + "x.md|v1..v2.md|Größe 潮.md|👩‍💻.md",
}


@pytest.mark.behaviour("H5")
@pytest.mark.parametrize("why", PATHS)
def test_a_refusal_says_why(memory: Path, why: str) -> None:
    for path in PATHS[why].split("|"):
        found = refusal(memory, path)
        assert (why in found, bool(found)) == (True, bool(why)), path


def test_only_a_memory_or_an_index_that_was_asked_for_passes(memory: Path) -> None:
    folder = Folder(memory)
    for typed in ("team/./tabs.md", f"{memory}/team/tabs.md", "team//tabs.md"):
        assert memory_file(folder, typed) == "team/tabs.md"
    assert memory_file(folder, "team/MEMORY.md", or_index=True) == "team/MEMORY.md"
    for name in ("MEMORY.md", "deep/memory.md", "a.txt", ".x/a.md", "a.md).md"):
        with pytest.raises(MemoryPathError):
            memory_file(folder, name, or_index=name == "deep/memory.md")


DEVICES = ["con", "prn", "aux", "nul", "com1", "com9", "lpt1", "lpt9"]
FAMILIES = (
    "| |.|..|-|/|\\|~|NUL\0|\ud83d|\n|_|\u3164|\u200b|v1..v2|.x|x.|x|hello|hel\u200dlo",
    "MEMORY|memory|Memory.md|ｍｅｍｏｒｙ|mem\u00adory|mem-ory|🛶|🚣|👩‍💻|❤️|❤|℀|‥/x|％2e|½",
    "../../etc/passwd|C:\\tides|\\\\host\\x|~/.ssh/id|a/../b|a\u2215b|a\u202eb|a\ufeffb|ab",
    "a\u0301|á|K|\u212a|ſ|s|ı|i|I|İ|ß|ss|ς|σ|STRASSE|straße|ﬁle|file|CON¹|CON ",
    "|".join(f"{one}|{one}.txt|{one} |{one}.md" for one in DEVICES),
    "|".join(f"{char * 200}|{char * 200}x" for char in "aé潮🛶"),
)


@pytest.mark.behaviour("A7")
def test_odd_names_get_safe_and_distinct_files_and_keep_them() -> None:
    taken: dict[str, str] = {}
    odd = dict.fromkeys("|".join(FAMILIES).split("|"))
    for name in odd:
        taken[file_name(name, taken)] = name
    for file in taken:
        stem = file.removesuffix(".md")
        kinds = {unicodedata.category(char)[0] for char in stem.replace("-", "")}
        plain = unicodedata.normalize("NFKC", stem.lower()).strip("-")
        assert (stem, kinds - {*"LNM"}) == (plain, set())
        assert len(file.encode()) <= 120
        assert stem not in ("", "memory", *DEVICES)
    # as Windows and macOS compare names
    forms = {unicodedata.normalize("NFC", file.casefold()) for file in taken}
    assert len(forms) == len(taken) == len(odd)
    assert all(file_name(name, taken) == file for file, name in taken.items() if name)
    assert file_name("Täglich: Straße №5", {}) == "täglich-straße-no5.md"
    for taken in ({"no-mocks.md": "No mocks!"}, {"NO-MOCKS.md": ""}):
        assert file_name("no mocks?", taken) == "no-mocks-e9f30149.md"
    assert file_name("tides", {"by hand.md": "tides", "tides.md": "x"}) == "by hand.md"

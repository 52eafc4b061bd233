"""File names for memories: safe on three systems, distinct, and the same every time."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from memlab.memdir.path_safety import MAX_FILE_NAME_BYTES, file_name, slug

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

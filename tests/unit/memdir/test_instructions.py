"""The memory section of the system prompt: what it says, and that it stays the same."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from memlab.memdir.instructions import EMPTY, memory_section, read_index
from memlab.settings import Settings
from memlab.text import tilde

INDEX = "- [Tabs](tabs.md) — tabs, not spaces\n- [Board](board.md) — by turn of tide\n"
_DATE = re.compile(
    r"\b(20\d\d|\d{1,2}:\d\d|(Jan|Febr)uary|March|April|June|July|August|(Sept|Nov|Dec)ember)\b"
)


def section(directory: Path, index: str | bytes | None = INDEX) -> str:
    directory.mkdir(parents=True, exist_ok=True)
    if index is not None:
        raw = index if isinstance(index, bytes) else index.encode()
        (directory / "MEMORY.md").write_bytes(raw)
    return memory_section(directory, show=lambda path: tilde(path, directory.parents[1]))


def test_it_ends_with_the_index(tmp_path: Path) -> None:
    text = section(tmp_path / "p" / "memory")
    assert text.startswith("# Memory\n")
    assert text.endswith(f"## The index, MEMORY.md\n\n{INDEX.strip()}")


@pytest.mark.parametrize("index", [None, "", "\n \n", b"\xef\xbb\xbf"])
def test_an_empty_index_is_said_to_be_empty(tmp_path: Path, index: str | bytes | None) -> None:
    assert section(tmp_path / "p" / "memory", index).endswith(EMPTY)
    assert EMPTY not in section(tmp_path / "q" / "memory")


def test_same_state_same_text_wherever_and_whenever(tmp_path: Path) -> None:
    here, there = tmp_path / "a" / "memory", tmp_path / "far" / "away" / "memory"
    first = section(here)
    for number in range(3):
        (here / f"{number}.md").write_text("a memory written meanwhile")
    os.utime(here / "MEMORY.md", (1, 1))
    assert section(here, None) == first
    assert section(there) == first.replace("~/a/memory", "~/away/memory")


def test_another_index_is_another_text(tmp_path: Path) -> None:
    first = section(tmp_path / "p" / "memory")
    assert section(tmp_path / "p" / "memory", INDEX + "- [New](new.md)\n") != first


def test_no_date_and_no_path_of_this_machine(tmp_path: Path) -> None:
    text = section(tmp_path / "p" / "memory")
    assert "`~/p/memory`" in text
    assert str(tmp_path) not in text
    assert not _DATE.search(text)
    assert _DATE.search("today is 2026-03-30") is not None
    assert _DATE.search("30 March, 9:00") is not None


def test_it_says_what_a_session_has_to_know(tmp_path: Path) -> None:
    text = section(tmp_path / "p" / "memory")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[-2:] == ["Before recommending from memory", "The index, MEMORY.md"]
    for said in ("no other machine", "no other project", "**Why:**", "**How to apply:**"):
        assert said in text
    for kind in ("user", "feedback", "project", "reference"):
        assert f"- `{kind}`:" in text
    for never in ("architecture", "history", "bug was fixed", "CLAUDE.md", "task at hand", "keys"):
        assert never in text.partition("## What not to save")[2].partition("\n## ")[0]
    for check in ("path", "function, a flag", "act on what you say"):
        assert check in text.partition("## Before recommending")[2]
    assert "plan" in text
    assert "task list" in text


def test_an_index_over_a_cap_is_cut_and_says_so(tmp_path: Path) -> None:
    lines = [f"- [m](m-{number:03}.md) — a hook\n" for number in range(230)]
    text = section(tmp_path / "p" / "memory", "".join(lines))
    assert "(m-199.md)" in text
    assert "(m-200.md)" not in text
    assert "> Warning: this index is cut at the limit of 200 lines." in text.splitlines()[-1]
    shown = read_index(tmp_path / "p" / "memory", Settings(index_max_lines=2))
    assert shown.text == "".join(lines[:2])


def test_braces_and_broken_bytes_in_the_index_are_text(tmp_path: Path) -> None:
    text = section(tmp_path / "p" / "memory", b"- [A](a.md) - {{directory}} {x} \\1 \xff\n")
    assert text.endswith("- [A](a.md) - {{directory}} {x} \\1 \ufffd")


def test_an_index_that_cannot_be_read_is_empty(tmp_path: Path) -> None:
    (tmp_path / "p" / "memory" / "MEMORY.md").mkdir(parents=True)
    assert section(tmp_path / "p" / "memory", None).endswith(EMPTY)
    assert read_index(tmp_path / "missing").text == ""

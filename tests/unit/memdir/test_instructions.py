"""The memory section of the system prompt: what it says, and that it stays the same."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from memlab.memdir.instructions import memory_section, read_index
from memlab.prompts.blocks import read_blocks
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


def block_in(text: str, tag: str) -> str:
    [block] = read_blocks(text)[tag]
    return block.body


def test_it_ends_with_the_index(tmp_path: Path) -> None:
    text = section(tmp_path / "p" / "memory")
    assert text.startswith("# Memory\n")
    assert text.endswith("\n</index>")
    assert block_in(text, "index") == INDEX.strip()


@pytest.mark.parametrize("index", [None, "", "\n \n", b"\xef\xbb\xbf"])
def test_an_empty_index_is_said_to_be_empty(tmp_path: Path, index: str | bytes | None) -> None:
    text = section(tmp_path / "p" / "memory", index)
    assert "The index is empty" in block_in(text, "index")
    assert "The index is empty" not in section(tmp_path / "q" / "memory")


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


@pytest.mark.behaviour("E3")
def test_no_date_and_no_path_of_this_machine(tmp_path: Path) -> None:
    text = section(tmp_path / "p" / "memory")
    assert block_in(text, "memory_directory") == "~/p/memory"
    assert str(tmp_path) not in text
    assert not _DATE.search(text)
    assert _DATE.search("today is 2026-03-30") is not None
    assert _DATE.search("30 March, 9:00") is not None


@pytest.mark.behaviour("E1", "E2")
def test_it_says_what_a_session_has_to_know(tmp_path: Path) -> None:
    text = section(tmp_path / "p" / "memory")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[-1] == "Before recommending from memory"
    for said in ("local", "Only this project on this machine", "**Why:**", "**How to apply:**"):
        assert said in text
    for kind in ("user", "feedback", "project", "reference"):
        assert f"- `{kind}`:" in text
    for never in ("file layout", "history", "bug was fixed", "CLAUDE.md", "current task", "keys"):
        assert never in text.partition("## When to save")[2].partition("\n## ")[0]
    for check in ("path", "function, a flag", "act on your answer"):
        assert check in text.partition("## Before recommending")[2]
    assert "Plans and task lists" in text


@pytest.mark.behaviour("E1")
def test_there_is_a_variant_for_a_team_and_one_for_a_daily_log(tmp_path: Path) -> None:
    private, team = tmp_path / "p" / "memory", tmp_path / "p" / "memory" / "team"
    section(private)
    section(team, "- [Tests](tests.md) — how we test\n")
    shared = memory_section(private, team=team, team_index=read_index(team))
    assert block_in(shared, "team_directory") == str(team)
    assert "tabs.md" in block_in(shared, "index")
    assert "tests.md" in block_in(shared, "team_index")
    assert "always private" in shared
    log = memory_section(private, daily_log=True)
    assert "logs/YYYY/MM/YYYY-MM-DD.md" in log
    assert not _DATE.search(log)
    assert "tabs.md" in block_in(log, "index")


def test_an_index_over_a_cap_is_cut_and_says_so(tmp_path: Path) -> None:
    lines = [f"- [m](m-{number:03}.md) — a hook\n" for number in range(230)]
    text = section(tmp_path / "p" / "memory", "".join(lines))
    assert "(m-199.md)" in text
    assert "(m-200.md)" not in text
    assert "> Warning: this index is cut at the limit of 200 lines." in text.splitlines()[-2]
    shown = read_index(tmp_path / "p" / "memory", Settings(index_max_lines=2))
    assert shown.text == "".join(lines[:2])


def test_braces_and_broken_bytes_in_the_index_are_text(tmp_path: Path) -> None:
    text = section(tmp_path / "p" / "memory", b"- [A](a.md) - {{index}} {x} \\1 \xff\n")
    assert block_in(text, "index") == "- [A](a.md) - {{index}} {x} \\1 \ufffd"


def test_an_index_that_cannot_be_read_is_empty(tmp_path: Path) -> None:
    (tmp_path / "p" / "memory" / "MEMORY.md").mkdir(parents=True)
    assert "The index is empty" in section(tmp_path / "p" / "memory", None)
    assert read_index(tmp_path / "missing").text == ""

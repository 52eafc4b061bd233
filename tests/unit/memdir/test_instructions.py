"""The memory section of the system prompt: what it says, and that it stays the same."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from memlab.memdir.instructions import memory_section, read_index, read_prompt_file
from memlab.prompts.blocks import read_blocks
from memlab.text import tilde
from tests.platforms import needs_posix

INDEX = "- [Tabs](tabs.md) — tabs, not spaces\n"
DATE = re.compile(r"\b(20\d\d|\d{1,2}:\d\d|April|June|July|[A-Z]\w+(em|nu)\w+)\b")


def section(directory: Path, index: bytes = INDEX.encode()) -> str:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "MEMORY.md").write_bytes(index)
    home = directory.parents[1]
    return memory_section(directory, show=lambda path: tilde(path, home))


def block_in(text: str, tag: str) -> str:
    (block,) = read_blocks(text)[tag]
    return block.body


@pytest.mark.behaviour("E1", "E2")
def test_it_says_what_a_session_has_to_know(tmp_path: Path) -> None:
    text = section(tmp_path / "p" / "memory")
    said = ["Only this project on this machine", "**Why:**", "**How to apply:**"]
    said += [f"- `{kind}`:" for kind in ("user", "feedback", "project", "reference")]
    assert [one for one in said if one not in text] == []
    never = text.partition("## When to save")[2].partition("\n## ")[0]
    for one in ("file layout", "history", "bug was", "CLAUDE.md", "current task"):
        assert one in never
    last = re.findall(r"(?m)^## (.+)$", text)[-1]
    assert last == "Before recommending from memory"
    assert block_in(text, "index") == INDEX.strip()


@pytest.mark.behaviour("E3")
def test_the_same_state_gives_the_same_text(tmp_path: Path) -> None:
    here, there = tmp_path / "a" / "memory", tmp_path / "far" / "away" / "memory"
    first = section(here)
    (here / "new.md").write_text("a memory written meanwhile")
    os.utime(here / "MEMORY.md", (1, 1))
    assert section(here) == first
    assert section(there) == first.replace("~/a/memory", "~/away/memory")
    assert str(tmp_path) not in first
    assert not DATE.search(first + memory_section(here, daily_log=True))


@pytest.mark.behaviour("E1")
def test_there_is_a_variant_for_a_team_and_one_for_a_daily_log(tmp_path: Path) -> None:
    private, team = tmp_path / "p" / "memory", tmp_path / "p" / "memory" / "team"
    section(private)
    section(team, b"- [Tests](tests.md)\n")
    shared = memory_section(private, team=team, team_index=read_index(team))
    assert block_in(shared, "team_directory") == str(team)
    assert "tests.md" in block_in(shared, "team_index")
    assert "always private" in shared
    assert "logs/YYYY/MM/YYYY-MM-DD.md" in memory_section(private, daily_log=True)


@needs_posix
def test_a_file_that_is_no_plain_file_inside_is_not_read(tmp_path: Path) -> None:
    inside = tmp_path / "project"
    inside.mkdir()
    (tmp_path / "key").write_text("private")
    os.mkfifo(inside / "pipe")
    for name, target in {"out": "../key", "gone": "nothing", "dir": "."}.items():
        (inside / name).symlink_to(target)
    for name in ("out", "gone", "dir", "pipe"):
        found = read_prompt_file(inside / name, inside=inside, most=99)
        assert (found.text, "left out" in found.notice) == ("", True), name
    (inside / "big").write_text("line\n" * 30)
    found = read_prompt_file(inside / "big", inside=inside, most=99)
    assert found.text == "line\n" * 19

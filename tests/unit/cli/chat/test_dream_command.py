"""``memlab dream``: what it would change, what it changed, and how it says that it cannot."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.cli.chat import dream as dream_command
from memlab.clock import SystemClock
from memlab.dream.lock import ConsolidationLock
from memlab.dream.receipt import is_waiting
from memlab.memdir.places import memory_paths
from memlab.memdir.store import MemoryStore

Run = Callable[..., tuple[int, str]]
STALE = "---\nname: Tabs\ndescription: {}\ntype: user\n---\n\nTabs, not spaces, in all code.\n"


@pytest.fixture
def memory(base: Path, tmp_path: Path) -> Path:
    directory = memory_paths(tmp_path / "tidebook").memory_dir
    MemoryStore(directory).write_text("tabs.md", STALE.format("tabs, not spaces"))
    pointer = "- [Gone](gone.md) — nothing is there\n"
    with (directory / "MEMORY.md").open("a", encoding="utf-8") as index:
        index.write(pointer)
    return directory


@pytest.fixture
def dream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    def run(*args: str, typed: str = "") -> tuple[int, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        status = dream_command.main(["--project", str(tmp_path / "tidebook"), *args])
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return run


def state(directory: Path) -> dict[str, bytes]:
    files = (path for path in directory.rglob("*.md") if path.is_file())
    return {path.name: path.read_bytes() for path in files}


def test_a_dry_run_shows_and_changes_nothing(dream: Run, memory: Path) -> None:
    before = state(memory)
    status, said = dream("--dry-run")
    assert status == 0
    assert "The dream would change 1 file" in said
    assert "MEMORY.md put in order by code" in said
    assert "rules dream, not a language model" in said
    assert state(memory) == before


@pytest.mark.behaviour("K5")
def test_with_yes_it_is_carried_out_and_can_be_taken_back(dream: Run, memory: Path) -> None:
    before = state(memory)
    status, said = dream("--yes")
    assert status == 0, said
    assert b"gone.md" not in state(memory)["MEMORY.md"]
    MemoryStore(memory).undo()
    assert state(memory) == before


def test_without_a_terminal_nobody_can_be_asked(dream: Run, memory: Path) -> None:
    before = state(memory)
    status, said = dream()
    assert status == 2
    assert "Use --yes, or --dry-run" in said
    assert state(memory) == before


def test_while_another_dreams_it_says_so(dream: Run, memory: Path) -> None:
    other = ConsolidationLock(memory, clock=SystemClock(), pid=os.getppid())
    other.try_acquire()
    status, said = dream("--yes")
    assert status == 2
    assert str(os.getppid()) in said
    other.rollback()
    assert dream("--yes")[0] == 0


def test_a_dream_that_would_drop_much_waits_and_is_shown_the_next_time(
    dream: Run, crowded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(crowded)
    status, said = dream("--yes")
    assert status == 1
    assert "It is waiting for your review: 2 of 3 memories would be removed" in said
    assert "? tabs.md dropped: the person has moved to another editor" in said
    assert state(crowded) == before

    status, said = dream("--dry-run")
    assert status == 0
    assert "is waiting for your review" in said
    assert "- tabs.md" not in said

    status, said = dream("--yes")
    assert status == 2
    assert "Run the command without --yes" in said
    assert state(crowded) == before


@pytest.mark.parametrize(
    ("typed", "status", "left"),
    [
        ("3\n", 0, {"coffee.md", "ferry.md"}),
        ("all\n", 0, {"ferry.md"}),
        ("none\nyes\n", 0, {"coffee.md", "ferry.md", "tabs.md"}),
        ("none\nno\n", 1, {"coffee.md", "ferry.md", "tabs.md"}),
        ("/quit\n", 1, {"coffee.md", "ferry.md", "tabs.md"}),
    ],
)
def test_the_person_decides_on_a_dream_that_waits(
    dream: Run,
    crowded: Path,
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    status: int,
    left: set[str],
) -> None:
    dream("--yes")
    monkeypatch.setattr(dream_command, "_is_terminal", lambda: True)
    ended, said = dream(typed=typed)
    assert ended == status, said
    assert "  3  tabs.md dropped" in said
    assert state(crowded).keys() - {"MEMORY.md"} == left
    assert is_waiting(crowded) == (status == 1)


def test_a_command_leaves_the_question_and_nothing_is_decided(
    dream: Run, crowded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(crowded)
    monkeypatch.setattr(dream_command, "_is_terminal", lambda: True)
    ended, said = dream(typed="/quit\n")
    assert (ended, said.count("which?")) == (1, 1)
    assert "nobody decided on its changes" in said
    assert "The memory is as it was." in said
    assert state(crowded) == before

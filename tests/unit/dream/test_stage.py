from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.tools import bash
from memlab.dream.stage import (
    DreamError,
    StagedMemory,
    snapshot,
    sweep_staging,
)
from memlab.memdir.places import INDEX
from tests.faults.disks import tree
from tests.platforms import needs_links
from tests.unit.agent.helpers import use
from tests.unit.dream.helpers import PURSE, DreamSetup, dream_setup, text, tombstone


@pytest.fixture
def setup() -> Iterator[DreamSetup]:
    with dream_setup() as setup:
        yield setup


@pytest.fixture
def staged(setup: DreamSetup) -> Iterator[StagedMemory]:
    with StagedMemory(setup.memory, clock=setup.clock, room=setup.home.parent) as staged:
        yield staged


def allowed(setup: DreamSetup, staged: StagedMemory, name: str, **given: Any) -> bool:
    return staged.context(setup.context).permission()(name, given).allowed


def test_the_copy_has_what_a_scan_finds_with_its_times_and_nothing_else(setup: DreamSetup) -> None:
    for name in ("notes.txt", ".hidden.md", "logs/2026/03/2026-03-29.md", ".git/HEAD", "a/b.md"):
        path = setup.memory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text("B", "user", "b", "a body"))
    setup.lock().try_acquire()
    before = tree(setup.memory)
    with StagedMemory(setup.memory, clock=setup.clock, room=setup.home.parent) as staged:
        copied = tree(staged.path)
        assert copied.keys() == {*PURSE, INDEX, "a/b.md"}
        assert copied == {name: before[name] for name in copied}
        assert staged.after().files == staged.before.files
        assert staged.after().odd == {}
        assert staged.path.stat().st_mode & 0o077 == 0
    assert not staged.path.exists()
    assert tree(setup.memory) == before


def test_what_a_killed_dream_left_is_swept_away(setup: DreamSetup) -> None:
    room = setup.home.parent
    left = StagedMemory(setup.memory, clock=setup.clock, room=room)
    other = StagedMemory(setup.project, clock=setup.clock, room=room)
    with StagedMemory(setup.memory, clock=setup.clock, room=room) as staged:
        assert not left.path.exists()
        assert other.path.exists(), "that of another directory is not ours"
        sweep_staging(setup.memory, room)
        assert not staged.path.exists()
        assert staged.after().attack == "the copy itself is gone"


def test_a_missing_directory_cannot_be_staged(setup: DreamSetup) -> None:
    with pytest.raises(DreamError, match="is gone"):
        StagedMemory(setup.home / "nowhere", clock=setup.clock, room=setup.home.parent)


def test_a_file_too_large_for_a_memory_stays_where_it_is(setup: DreamSetup) -> None:
    (setup.memory / "huge.md").write_bytes(b"x" * 1_100_000)
    with StagedMemory(setup.memory, clock=setup.clock, room=setup.home.parent) as staged:
        assert "huge.md" not in staged.before.files
        assert "larger than a memory may be" in staged.before.odd["huge.md"]


def test_real_paths_mean_the_copy(setup: DreamSetup, staged: StagedMemory) -> None:
    context = staged.context(setup.context)
    for typed in (
        f"{setup.shown}/tabs.md",
        f"{setup.memory}/tabs.md",
        f"{setup.memory}/a/../tabs.md",
    ):
        assert context.path(typed) == staged.path / "tabs.md"
    assert context.path(setup.shown) == staged.path
    assert context.show(staged.path / "tabs.md") == f"{setup.shown}/tabs.md"
    assert context.hide(f"see {staged.path}/tabs.md") == f"see {setup.shown}/tabs.md"
    assert context.path(f"{setup.shown}-old/tabs.md") == setup.sessions / "memory-old" / "tabs.md"
    assert context.path(f"{setup.shown}/logs/x.md") == setup.memory / "logs" / "x.md"


@pytest.mark.parametrize(
    "path",
    [
        "{shown}/new.md",
        "{memory}/deep/er/new.md",
        "../.memlab/projects/-home-robin-tidebook/memory/new.md",
    ],
)
def test_writing_a_memory_is_allowed(setup: DreamSetup, staged: StagedMemory, path: str) -> None:
    given = path.format(shown=setup.shown, memory=setup.memory)
    plain = ".." not in path
    assert allowed(setup, staged, "Write", file_path=given, content="x") is plain


@pytest.mark.parametrize(
    "path",
    [
        "{shown}/../stolen.md",
        "{shown}/a/../../stolen.md",
        "{shown}/%2e%2e/stolen.md",
        "{shown}/.memlab/journal.jsonl",
        "{shown}/.consolidate-lock",
        "{shown}/logs/2026/03/2026-03-29.md",
        "{shown}",
        "{shown}-old/a.md",
        "~/.ssh/authorized_keys",
        "/etc/passwd",
        "CLAUDE.md",
        "{sessions}/session-1.jsonl",
    ],
)
def test_writing_anything_else_is_not(setup: DreamSetup, staged: StagedMemory, path: str) -> None:
    given = path.format(shown=setup.shown, sessions=setup.context.show(setup.sessions))
    assert not allowed(setup, staged, "Write", file_path=given, content="x")
    assert not allowed(setup, staged, "Edit", file_path=given, old_string="a", new_string="b")


def test_reading_stays_within_project_memory_and_sessions(
    setup: DreamSetup, staged: StagedMemory
) -> None:
    log = setup.memory / "logs" / "today.md"
    log.parent.mkdir()
    log.write_text("a day's notes")
    for path in (f"{setup.shown}/tabs.md", f"{setup.shown}/logs/today.md", "README.md"):
        assert allowed(setup, staged, "Read", file_path=path)
    assert not allowed(setup, staged, "Read", file_path="/etc/passwd")
    assert allowed(setup, staged, "Bash", command=f"ls -l {setup.memory}")
    assert not allowed(setup, staged, "Bash", command=f"cp {setup.memory}/tabs.md /tmp")
    assert not allowed(setup, staged, "Bash", command="cat /etc/passwd")
    assert not allowed(setup, staged, "mcp__mail__send", to="x")


def test_commands_read_the_copy(setup: DreamSetup, staged: StagedMemory) -> None:
    context = staged.context(setup.context)
    staged.store.write_text("new.md", text("New", "user", "a new one", "Robin rows on Sundays."))
    for command in (
        f"grep -l Sundays {setup.memory}/new.md",
        f"grep -l Sundays {setup.memory}/*.md",
        f"grep -rl Sundays {setup.memory}",
    ):
        found = bash({"command": command}, context)
        assert f"{setup.shown}/new.md" in found.splitlines(), command


def test_a_file_cannot_be_edited_unread_in_the_copy_either(setup: DreamSetup) -> None:
    task = setup.sleep(
        [use("Edit", file_path=f"{setup.shown}/tabs.md", old_string="tabs", new_string="spaces")],
        "Done.",
    )
    assert task.files_touched == ()
    assert task.tool_counts == {"Edit": 1}


def test_tombstones_leave_their_reasons(setup: DreamSetup, staged: StagedMemory) -> None:
    staged.store.write_text("tabs-again.md", tombstone(superseded_by="tabs.md"))
    staged.store.write_text("freeze.md", tombstone(dropped="stale because Easter is over"))
    staged.store.write_text("new.md", text("New", "user", "a new one", "Robin rows on Sundays."))
    assert staged.proposal().reasons == {
        "tabs-again.md": "superseded by tabs.md",
        "freeze.md": "stale because Easter is over",
    }


@needs_links
@pytest.mark.parametrize("name", ["out.md", "out", "deep/out.md", ".memlab-x"])
def test_a_link_in_the_copy_is_an_attack(
    setup: DreamSetup, staged: StagedMemory, name: str
) -> None:
    assert staged.after().attack == ""
    (staged.path / "deep").mkdir()
    (staged.path / name).symlink_to("/etc/passwd")
    assert "is a link" in staged.after().attack


@needs_links
def test_so_are_hard_links_and_pipes(setup: DreamSetup, staged: StagedMemory) -> None:
    os.link(setup.memory / "tabs.md", staged.path / "hard.md")
    assert "hard.md is a link" in staged.after().attack
    os.unlink(staged.path / "hard.md")
    assert staged.after().attack == ""
    os.mkfifo(staged.path / "pipe.md")
    assert "pipe.md" in staged.after().attack


@needs_links
def test_links_in_the_real_directory_are_left_alone(setup: DreamSetup) -> None:
    (setup.memory / "theirs.md").symlink_to("/etc/passwd")
    with StagedMemory(setup.memory, clock=setup.clock, room=setup.home.parent) as staged:
        assert "theirs.md" not in staged.before.files
        staged.store.write_text("theirs.md", text("T", "user", "t", "written by a dream"))
        assert "theirs.md" in staged.after().odd, "the real one cannot take it"


def test_names_that_are_no_memory_are_odd(setup: DreamSetup, staged: StagedMemory) -> None:
    for name in ("run.sh", ".consolidate-lock", "CON.md", "a:b.md", "TABS.md"):
        (staged.path / name).write_text(text("X", "user", "x", "x y z"))
    odd = staged.after().odd
    assert odd.keys() == {"run.sh", ".consolidate-lock", "CON.md", "a:b.md", "TABS.md"}


def test_a_file_with_an_odd_name_stays_as_it_was(setup: DreamSetup) -> None:
    odd = setup.memory / "a:b.md"
    odd.write_text(text("Odd", "user", "odd", "Robin named it so."))
    with StagedMemory(setup.memory, clock=setup.clock, room=setup.home.parent) as staged:
        assert staged.after().odd == {}
        (staged.path / "a:b.md").write_text("x")
        assert staged.after().odd.keys() == {"a:b.md"}


def test_a_flood_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        (tmp_path / f"n{number}.md").write_text("x" * 100)
    assert snapshot(tmp_path).attack == ""
    monkeypatch.setattr("memlab.dream.stage.MOST_FILES", 20)
    assert snapshot(tmp_path).attack == "it holds over 20 files or 2,100 bytes"
    monkeypatch.setattr("memlab.dream.stage.MOST_FILES", 100)
    monkeypatch.setattr("memlab.dream.stage.MOST_TREE_BYTES", 1_000)
    assert "1,100 bytes" in snapshot(tmp_path).attack
    with pytest.raises(DreamError, match="holds over"):
        StagedMemory(tmp_path, clock=DreamSetup(tmp_path / "x").clock)

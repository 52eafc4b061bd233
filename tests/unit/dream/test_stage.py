from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memlab.dream.stage import (
    DreamError,
    StagedMemory,
    snapshot,
    sweep_staging,
)
from memlab.memdir.index import INDEX
from tests.faults.disks import tree
from tests.platforms import needs_links
from tests.unit.agent.desk import use
from tests.unit.dream.bed import PURSE, Bed, made_bed, text, tombstone


@pytest.fixture
def bed() -> Iterator[Bed]:
    with made_bed() as bed:
        yield bed


@pytest.fixture
def staged(bed: Bed) -> Iterator[StagedMemory]:
    with StagedMemory(bed.memory, clock=bed.clock, room=bed.home.parent) as staged:
        yield staged


def allowed(bed: Bed, staged: StagedMemory, name: str, **given: Any) -> bool:
    return staged.context(bed.context).permission()(name, given).allowed


def test_the_copy_has_what_a_scan_finds_with_its_times_and_nothing_else(bed: Bed) -> None:
    for name in ("notes.txt", ".hidden.md", "logs/2026/03/2026-03-29.md", ".git/HEAD", "a/b.md"):
        path = bed.memory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text("B", "user", "b", "a body"))
    bed.lock().try_acquire()
    before = tree(bed.memory)
    with StagedMemory(bed.memory, clock=bed.clock, room=bed.home.parent) as staged:
        copied = tree(staged.path)
        assert copied.keys() == {*PURSE, INDEX, "a/b.md"}
        assert copied == {name: before[name] for name in copied}
        assert staged.after().files == staged.before.files
        assert staged.after().odd == {}
        assert staged.path.stat().st_mode & 0o077 == 0
    assert not staged.path.exists()
    assert tree(bed.memory) == before


def test_what_a_killed_dream_left_is_swept_away(bed: Bed) -> None:
    room = bed.home.parent
    left = StagedMemory(bed.memory, clock=bed.clock, room=room)
    other = StagedMemory(bed.project, clock=bed.clock, room=room)
    with StagedMemory(bed.memory, clock=bed.clock, room=room) as staged:
        assert not left.path.exists()
        assert other.path.exists(), "that of another directory is not ours"
        sweep_staging(bed.memory, room)
        assert not staged.path.exists()
        assert staged.after().attack == "the copy itself is gone"


def test_a_missing_directory_cannot_be_staged(bed: Bed) -> None:
    with pytest.raises(DreamError, match="is gone"):
        StagedMemory(bed.home / "nowhere", clock=bed.clock, room=bed.home.parent)


def test_a_file_too_large_for_a_memory_stays_where_it_is(bed: Bed) -> None:
    (bed.memory / "huge.md").write_bytes(b"x" * 1_100_000)
    with StagedMemory(bed.memory, clock=bed.clock, room=bed.home.parent) as staged:
        assert "huge.md" not in staged.before.files
        assert "larger than a memory may be" in staged.before.odd["huge.md"]


def test_real_paths_mean_the_copy(bed: Bed, staged: StagedMemory) -> None:
    context = staged.context(bed.context)
    for typed in (f"{bed.shown}/tabs.md", f"{bed.memory}/tabs.md", f"{bed.memory}/a/../tabs.md"):
        assert context.path(typed) == staged.path / "tabs.md"
    assert context.path(bed.shown) == staged.path
    assert context.show(staged.path / "tabs.md") == f"{bed.shown}/tabs.md"
    assert context.hide(f"see {staged.path}/tabs.md") == f"see {bed.shown}/tabs.md"
    assert context.path(f"{bed.shown}-old/tabs.md") == bed.sessions / "memory-old" / "tabs.md"
    assert context.path(f"{bed.shown}/logs/x.md") == bed.memory / "logs" / "x.md"


@pytest.mark.parametrize(
    "path",
    [
        "{shown}/new.md",
        "{memory}/deep/er/new.md",
        "../.memlab/projects/-home-robin-tidebook/memory/new.md",
    ],
)
def test_writing_a_memory_is_allowed(bed: Bed, staged: StagedMemory, path: str) -> None:
    given = path.format(shown=bed.shown, memory=bed.memory)
    plain = ".." not in path
    assert allowed(bed, staged, "Write", file_path=given, content="x") is plain


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
def test_writing_anything_else_is_not(bed: Bed, staged: StagedMemory, path: str) -> None:
    given = path.format(shown=bed.shown, sessions=bed.context.show(bed.sessions))
    assert not allowed(bed, staged, "Write", file_path=given, content="x")
    assert not allowed(bed, staged, "Edit", file_path=given, old_string="a", new_string="b")


def test_reading_stays_within_project_memory_and_sessions(bed: Bed, staged: StagedMemory) -> None:
    log = bed.memory / "logs" / "today.md"
    log.parent.mkdir()
    log.write_text("a day's notes")
    for path in (f"{bed.shown}/tabs.md", f"{bed.shown}/logs/today.md", "README.md"):
        assert allowed(bed, staged, "Read", file_path=path)
    assert not allowed(bed, staged, "Read", file_path="/etc/passwd")
    assert allowed(bed, staged, "Bash", command=f"ls -l {bed.memory}")
    assert not allowed(bed, staged, "Bash", command=f"cp {bed.memory}/tabs.md /tmp")
    assert not allowed(bed, staged, "Bash", command="cat /etc/passwd")
    assert not allowed(bed, staged, "mcp__mail__send", to="x")


def test_commands_read_the_copy(bed: Bed, staged: StagedMemory) -> None:
    context = staged.context(bed.context)
    staged.store.write_text("new.md", text("New", "user", "a new one", "Robin rows on Sundays."))
    assert context.judge
    assert context.run_read_only
    for command in (
        f"grep -l Sundays {bed.memory}/new.md",
        f"grep -l Sundays {bed.memory}/*.md",
        f"grep -rl Sundays {bed.memory}",
    ):
        found = context.hide(context.run_read_only(context.judge(command)))
        assert f"{bed.shown}/new.md" in found.splitlines(), command


def test_a_file_cannot_be_edited_unread_in_the_copy_either(bed: Bed) -> None:
    task = bed.sleep(
        [use("Edit", file_path=f"{bed.shown}/tabs.md", old_string="tabs", new_string="spaces")],
        "Done.",
    )
    assert task.files_touched == ()
    assert task.tool_counts == {"Edit": 1}


def test_tombstones_leave_their_reasons(bed: Bed, staged: StagedMemory) -> None:
    staged.store.write_text("tabs-again.md", tombstone(superseded_by="tabs.md"))
    staged.store.write_text("freeze.md", tombstone(dropped="stale because Easter is over"))
    staged.store.write_text("new.md", text("New", "user", "a new one", "Robin rows on Sundays."))
    assert staged.proposal().reasons == {
        "tabs-again.md": "superseded by tabs.md",
        "freeze.md": "stale because Easter is over",
    }


@needs_links
@pytest.mark.parametrize("name", ["out.md", "out", "deep/out.md", ".memlab-x"])
def test_a_link_in_the_copy_is_an_attack(bed: Bed, staged: StagedMemory, name: str) -> None:
    assert staged.after().attack == ""
    (staged.path / "deep").mkdir()
    (staged.path / name).symlink_to("/etc/passwd")
    assert "is a link" in staged.after().attack


@needs_links
def test_so_are_hard_links_and_pipes(bed: Bed, staged: StagedMemory) -> None:
    os.link(bed.memory / "tabs.md", staged.path / "hard.md")
    assert "hard.md is a link" in staged.after().attack
    os.unlink(staged.path / "hard.md")
    assert staged.after().attack == ""
    os.mkfifo(staged.path / "pipe.md")
    assert "pipe.md" in staged.after().attack


@needs_links
def test_links_in_the_real_directory_are_left_alone(bed: Bed) -> None:
    (bed.memory / "theirs.md").symlink_to("/etc/passwd")
    with StagedMemory(bed.memory, clock=bed.clock, room=bed.home.parent) as staged:
        assert "theirs.md" not in staged.before.files
        staged.store.write_text("theirs.md", text("T", "user", "t", "written by a dream"))
        assert "theirs.md" in staged.after().odd, "the real one cannot take it"


def test_names_that_are_no_memory_are_odd(bed: Bed, staged: StagedMemory) -> None:
    for name in ("run.sh", ".consolidate-lock", "CON.md", "a:b.md", "TABS.md"):
        (staged.path / name).write_text(text("X", "user", "x", "x y z"))
    odd = staged.after().odd
    assert odd.keys() == {"run.sh", ".consolidate-lock", "CON.md", "a:b.md", "TABS.md"}


def test_a_file_with_an_odd_name_stays_as_it_was(bed: Bed) -> None:
    odd = bed.memory / "a:b.md"
    odd.write_text(text("Odd", "user", "odd", "Robin named it so."))
    with StagedMemory(bed.memory, clock=bed.clock, room=bed.home.parent) as staged:
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
        StagedMemory(tmp_path, clock=Bed(tmp_path / "x").clock)

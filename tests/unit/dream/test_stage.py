from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memlab.dream.stage import DreamError, StagedMemory, snapshot, sweep_staging
from memlab.memdir.places import INDEX
from tests.faults.disks import tree
from tests.platforms import needs_links
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
    (setup.memory / "huge.md").write_bytes(b"x" * 1_100_000)
    setup.lock().try_acquire()
    before = tree(setup.memory)
    with StagedMemory(setup.memory, clock=setup.clock, room=setup.home.parent) as staged:
        copied = tree(staged.path)
        assert copied.keys() == {*PURSE, INDEX, "a/b.md"}
        assert copied == {name: before[name] for name in copied}
        assert staged.proposal().after == staged.proposal().before == staged.before.files
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
    with pytest.raises(DreamError, match="is gone"):
        StagedMemory(setup.home / "nowhere", clock=setup.clock, room=room)


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
    log = f"{setup.memory}\\logs\\x.md"
    assert context.inward(log) == log, "as Windows writes it"
    assert context.path(f"{setup.shown}/logs-of-ours.md") == staged.path / "logs-of-ours.md"


@pytest.mark.parametrize("path", ["{shown}/new.md", "{memory}/deep/er/new.md"])
def test_writing_a_memory_is_allowed(setup: DreamSetup, staged: StagedMemory, path: str) -> None:
    given = path.format(shown=setup.shown, memory=setup.memory)
    assert allowed(setup, staged, "Write", file_path=given, content="x")


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
        "../.memlab/projects/-home-robin-tidebook/memory/new.md",
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
    for command in (
        f"cp {setup.memory}/tabs.md /tmp",
        "cat /etc/passwd",
        f"cat {setup.memory}/../../../../../etc/passwd",
        f"cat {setup.memory}/tabs.md > {setup.memory}/out.md",
        f"rm {setup.shown}/tabs.md",
    ):
        assert not allowed(setup, staged, "Bash", command=command), command
    assert not allowed(setup, staged, "mcp__mail__send", to="x")


def test_tombstones_leave_their_reasons(setup: DreamSetup, staged: StagedMemory) -> None:
    staged.store.write_text("tabs-again.md", tombstone(superseded_by="tabs.md"))
    staged.store.write_text("freeze.md", tombstone(dropped="stale because Easter is over"))
    staged.store.write_text("new.md", text("New", "user", "a new one", "Robin rows on Sundays."))
    assert staged.proposal().reasons == {
        "tabs-again.md": "superseded by tabs.md",
        "freeze.md": "stale because Easter is over",
    }


@needs_links
def test_no_link_is_followed_in_the_memory_or_in_the_copy(
    setup: DreamSetup, staged: StagedMemory
) -> None:
    (setup.memory / "theirs.md").symlink_to("/etc/passwd")
    assert "theirs.md" not in snapshot(setup.memory).files
    (staged.path / "tabs.md").unlink()
    (staged.path / "tabs.md").symlink_to("/etc/passwd")
    assert "tabs.md" not in staged.proposal().after
    assert "tabs.md" not in staged.proposal().reasons

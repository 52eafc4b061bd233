"""The copy on which a dream works: what is in it, and where its tools lead."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memlab.dream.stage import DreamError, StagedMemory, snapshot
from memlab.memdir.places import INDEX
from tests.house import SHOWN, House, note
from tests.platforms import needs_links
from tests.unit.dream.night import PURSE, gone, tree

LEFT = ("notes.txt", ".hidden.md", "logs/2026/03/2026-03-29.md", ".git/A.md", "huge.md")


@pytest.fixture
def staged(house: House) -> Iterator[StagedMemory]:
    house.fill(**PURSE)
    for name in (*LEFT, "a/b.md"):
        path = house.memory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note("A body.", "B") + "x" * (name == "huge.md") * 1_100_000)
    room = house.home.parent
    with StagedMemory(house.memory, clock=house.clock, room=room) as staged:
        yield staged


def test_the_copy_has_what_a_scan_finds_and_is_gone_when_the_dream_is(
    house: House, staged: StagedMemory
) -> None:
    copied, real = tree(staged.path), tree(house.memory)
    assert copied.keys() == {*(f"{name}.md" for name in PURSE), INDEX, "a/b.md"}
    assert copied == {name: real[name] for name in copied}
    assert staged.path.stat().st_mode & 0o077 == 0
    given: dict[str, Any] = {"clock": house.clock, "room": house.home.parent}
    other = StagedMemory(house.project, **given)
    assert staged.path.exists()
    StagedMemory(house.memory, sweep=False, **given)
    assert staged.path.exists(), "who holds no lock takes away nobody's copy"
    with StagedMemory(house.memory, **given) as again:
        left = {*house.home.parent.glob("memlab-dream-*")}
        assert left == {again.path, other.path}, "a killed dream's is swept away"
    with pytest.raises(DreamError, match="removed"):
        again.proposal()
    with pytest.raises(DreamError, match="gone"):
        StagedMemory(house.home / "nowhere", **given)


@needs_links
def test_reasons_and_no_links(house: House, staged: StagedMemory) -> None:
    staged.store.write_text("sql.md", gone(superseded_by="tabs.md"))
    staged.store.write_text("freeze.md", gone(dropped="stale because Easter is over"))
    (house.memory / "theirs.md").symlink_to("/etc/passwd")
    (staged.path / "tabs.md").unlink()
    (staged.path / "tabs.md").symlink_to("/etc/passwd")
    assert "theirs.md" not in snapshot(house.memory).files
    found = staged.proposal()
    assert found.after.keys() == {INDEX, "a/b.md"}
    easter = "stale because Easter is over"
    assert found.reasons == {"sql.md": "superseded by tabs.md", "freeze.md": easter}


def test_real_paths_mean_the_copy(house: House, staged: StagedMemory) -> None:
    context, real, copy = staged.context(house.context()), house.memory, staged.path
    for typed, path in {
        f"{SHOWN}/tabs.md": copy / "tabs.md",
        f"{real}/a/../tabs.md": copy / "tabs.md",
        SHOWN: copy,
        f"{SHOWN}/logs-of-ours.md": copy / "logs-of-ours.md",
        f"{SHOWN}/logs/x.md": real / "logs" / "x.md",
        f"{SHOWN}-old/tabs.md": Path(f"{real}-old/tabs.md"),
    }.items():
        assert context.path(typed) == path
    windows = f"{real}\\logs\\x.md"
    assert context.inward(windows) == windows
    assert context.show(copy / "tabs.md") == f"{SHOWN}/tabs.md"
    assert context.hide(f"see {copy}/tabs.md") == f"see {SHOWN}/tabs.md"


ALLOWED = f"""W {SHOWN}/new.md|W {SHOWN}/deep/er/new.md|R {SHOWN}/tabs.md|R README.md
R {SHOWN}/logs/2026/03/2026-03-29.md|B ls -l {SHOWN}"""
REFUSED = f"""W {SHOWN}/../stolen.md|W {SHOWN}/a/../../stolen.md|W {SHOWN}/%2e%2e/stolen.md
W {SHOWN}|W {SHOWN}/.memlab/journal.jsonl|W {SHOWN}/.consolidate-lock
W {SHOWN}/logs/2026/03/2026-03-29.md
W {SHOWN}-old/a.md|W ~/.ssh/authorized_keys|W /etc/passwd|W CLAUDE.md|W {SHOWN}/../one.jsonl
W ../.memlab/projects/-home-robin-tidebook/memory/new.md|R /etc/passwd|B cp {SHOWN}/tabs.md /tmp
B cat /etc/passwd|B cat {SHOWN}/../../../../../etc/passwd|B cat {SHOWN}/tabs.md > {SHOWN}/out.md
B rm {SHOWN}/tabs.md"""


def test_its_tools_write_memories_and_read_project_memory_and_sessions(
    house: House, staged: StagedMemory
) -> None:
    permission = staged.context(house.context()).permission()
    kinds = {"W": ("Write", "Edit"), "R": ("Read",), "B": ("Bash",)}
    for rows, allowed in ((ALLOWED, True), (REFUSED, False)):
        for row in rows.replace("\n", "|").split("|"):
            given = {"command": row[2:], "file_path": row[2:], "content": "x"}
            given |= {"old_string": "a", "new_string": "b"}
            for tool in kinds[row[0]][: 1 if allowed else 2]:
                assert permission(tool, given).allowed == allowed, (tool, row)
    assert not permission("mcp__mail__send", {"to": "x"}).allowed

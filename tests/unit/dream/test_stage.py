"""The copy on which a dream works: what is in it, and where its tools lead."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.dream.stage import DreamError, StagedMemory
from memlab.memdir.places import INDEX
from tests.house import SHOWN, House, note
from tests.platforms import needs_links
from tests.unit.dream.night import PURSE, gone, tree

LEFT = ("notes.txt", ".hidden.md", "logs/2026/03/2026-03-29.md", ".git/A.md")


@pytest.fixture
def staged(house: House) -> Iterator[StagedMemory]:
    house.fill(**PURSE)
    for name in (*LEFT, "a/b.md"):
        path = house.memory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note("A body.", "B"))
    with StagedMemory(house.memory, clock=house.clock, room=house.home.parent) as staged:
        yield staged


@needs_links
def test_the_copy_has_what_a_scan_finds(house: House, staged: StagedMemory) -> None:
    copied, real = tree(staged.path), tree(house.memory)
    assert copied.keys() == {*(f"{name}.md" for name in PURSE), INDEX, "a/b.md"}
    assert copied == {name: real[name] for name in copied}
    assert staged.path.stat().st_mode & 0o077 == 0
    staged.store.write_text("sql.md", gone(superseded_by="tabs.md"))
    staged.store.write_text("freeze.md", gone(dropped="stale because Easter is over"))
    (staged.path / "tabs.md").unlink()
    (staged.path / "tabs.md").symlink_to("/etc/passwd")
    found, easter = staged.proposal(), "stale because Easter is over"
    assert found.after.keys() == {INDEX, "a/b.md"}
    assert found.reasons == {"sql.md": "superseded by tabs.md", "freeze.md": easter}
    StagedMemory(house.memory, clock=house.clock, room=house.home.parent, sweep=False)
    assert staged.path.exists(), "who holds no lock takes away nobody's copy"
    with StagedMemory(house.memory, clock=house.clock, room=house.home.parent) as again:
        left = [*house.home.parent.glob("memlab-dream-*")]
        assert left == [again.path], "a killed dream's is swept away"
    with pytest.raises(DreamError, match="removed"):
        again.proposal()


ALLOWED = f"""W {SHOWN}/new.md|W {SHOWN}/deep/er/new.md|R {SHOWN}/tabs.md|R README.md
R {SHOWN}/logs/2026/03/2026-03-29.md|B ls -l {SHOWN}"""
REFUSED = f"""W {SHOWN}/../stolen.md|W {SHOWN}/a/../../stolen.md|W {SHOWN}/%2e%2e/stolen.md
W {SHOWN}|W {SHOWN}/.memlab/journal.jsonl|W {SHOWN}/.consolidate-lock|R /etc/passwd
W {SHOWN}/logs/2026/03/2026-03-29.md|W {SHOWN}-old/a.md|W /etc/passwd|W {SHOWN}/../one.jsonl
W ../.memlab/projects/-home-robin-tidebook/memory/new.md|B cp {SHOWN}/tabs.md /tmp
B cat {SHOWN}/../../../../../etc/passwd|B rm {SHOWN}/tabs.md"""


def test_real_paths_mean_the_copy(house: House, staged: StagedMemory) -> None:
    context, real, copy = staged.context(house.context()), house.memory, staged.path
    for typed, path in {
        f"{SHOWN}/tabs.md": copy / "tabs.md",
        f"{real}/a/../tabs.md": copy / "tabs.md",
        f"{SHOWN}/logs-of-ours.md": copy / "logs-of-ours.md",
        f"{SHOWN}/logs/x.md": real / "logs" / "x.md",
        f"{SHOWN}-old/tabs.md": Path(f"{real}-old/tabs.md"),
    }.items():
        assert context.path(typed) == path
    assert context.hide(f"see {copy}/tabs.md") == f"see {SHOWN}/tabs.md"
    permission, tools = context.permission(), {"W": "Write", "R": "Read", "B": "Bash"}
    for rows, allowed in ((ALLOWED, True), (REFUSED, False)):
        for row in rows.replace("\n", "|").split("|"):
            given = {"command": row[2:], "file_path": row[2:], "content": "x"}
            assert permission(tools[row[0]], given).allowed == allowed, row

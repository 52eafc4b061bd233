"""The doctor: what it finds in a directory, what it says, and that it touches nothing."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.memdir.doctor import diagnose, render
from memlab.settings import Settings
from tests.house import note
from tests.platforms import needs_links

NOW = datetime(2026, 3, 30, 9, tzinfo=UTC)
SECRET = "hunter2-Kq93-vast"
TOLD = f"The password is '{SECRET}'."
CONFLICT = "<<<<<<< HEAD\ntype: user\n=======\ntype: project\n>>>>>>> mika\n"
TABS = note("Tabs in every file.", "Tabs", about="Robin uses tabs")
WHY = "Parties are listed.\n\n**Why:** one got lost.\n\n**How to apply:** to all."
BOARD = note(WHY, "Board", "project", "who is out")
INDEX = "# M\n\n- [T](tabs.md) — t\n- [B](board.md) — b\n- [Web](https://x.org/a.md)\n"
LOG = "logs/2026/03/2026-03-29.md"
CLEAN = {"MEMORY.md": INDEX, "tabs.md": TABS, "board.md": BOARD, LOG: "- x\n"}


def put(top: Path, files: dict[str, Any], days: float = 1) -> Path:
    for name, text in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.utime(path, (NOW.timestamp() - days * 86_400,) * 2)
    return top


def found(top: Path, **limits: Any) -> list[str]:
    findings = diagnose(top, now=NOW, settings=Settings(**limits)).findings
    assert SECRET not in str(findings)
    assert all(one.message and one.why and one.suggestion for one in findings)
    return [f"{one.severity} {one.file} {one.line} {one.rule}" for one in findings]


FAULTS: dict[str, list[tuple[str, str | bytes]]] = {  # files, and what is put into them
    "MEMORY.md": [
        ("warning 6 dangling-pointer", "- [G](gone.md)\n"),
        ("note 6 index-content", "Never push on Fridays.\n"),
        ("error 6 conflict", CONFLICT),
        ("warning 0 index-cap", "- x\n" * 200),
    ],
    "new.md": [
        ("warning 0 not-in-index", TABS.replace("Tabs", "Spaces")),
        ("error 4 unseen", b"---\nname: a\n---\n\x00"),
        ("note 0 duplicate", TABS.replace("Tabs", "Style")),
    ],
    "tabs.md": [
        ("error 4 conflict", TABS.replace("type: user\n", CONFLICT)),
        ("warning 0 type", TABS.replace("type: user", "type: [user]")),
        ("warning 0 fields", TABS.replace("name: Tabs\n", "")),
        ("warning 7 relative-date", TABS.replace("every file", "next Friday")),
        ("error 7 secret", TABS.replace("in every file.", TOLD)),
        ("note 0 stale", TABS.replace("user\n", "user\nstale_after: 2026-03-30\n")),
    ],
    "b.sync-conflict-2.md": [("error 0 unseen", TABS)],
    "board.md": [("warning 0 paragraphs", BOARD.replace("Why", "As"))],
    LOG: [("error 1 secret", f"- {TOLD}\n")],
}


@pytest.mark.behaviour("A9")
@pytest.mark.parametrize("file", FAULTS)
def test_a_fault_is_found(tmp_path: Path, file: str) -> None:
    for number, (wanted, text) in enumerate(FAULTS[file]):
        top = put(tmp_path / str(number), CLEAN)
        assert found(top) == []
        given = INDEX + str(text) if file == "MEMORY.md" else text
        severity, rest = wanted.split(" ", 1)
        assert f"{severity} {file} {rest}" in found(put(top, {file: given}))


@pytest.mark.behaviour("A9")
def test_old_memories_and_directories_of_other_clients(tmp_path: Path) -> None:
    for days, wanted in ((90.9, []), (91, ["note board.md 0 old-project"])):
        put(put(tmp_path / "a", CLEAN), {"board.md": BOARD}, days)
        assert found(tmp_path / "a") == wanted
    put(tmp_path / "a", {".memlab/images/" + "0" * 64: "x"})
    assert "warning .memlab/journal.jsonl 0 lost-history" in found(tmp_path / "a")
    assert "warning . 0 beyond-scan" in found(tmp_path / "a", scan_max_files=1)
    foreign = {f"n{n}.md": f"# Note {n}\n\nDue tomorrow.\n" for n in range(13)}
    put(tmp_path / "b", {**foreign, "tabs.md": TABS})
    (one,) = diagnose(tmp_path / "b", now=NOW).findings
    assert "13 of 14 files have no header" in one.message
    text = TABS.replace("type:", "metadata:\n  node_type: memory\n  type:")
    links = ["- [W](https://x.org) — ".ljust(120, "ü")] * 189 + ["- [Tabs](tabs.md)"]
    top = put(tmp_path / "c", {"tabs.md": text, "MEMORY.md": "\n".join(links)})
    assert "index-cap" not in str(found(top)), "another client counts characters"
    (top / ".memlab").mkdir()
    assert "index-cap" in str(found(top))


@needs_links
def test_nothing_is_followed_or_touched_and_no_secret_is_shown(tmp_path: Path) -> None:
    top = put(tmp_path, {**CLEAN, "MEMORY.md": f"{INDEX}- [G](go\x1b[2Jne.md)\n"})
    put(top, {"tabs.md": TABS.replace("in every file.", TOLD)})
    for name, target in {"loop": top / "loop", "shared": top}.items():
        (top / name).symlink_to(target)
    before = [one.lstat() for one in sorted(top.rglob("*"))]
    shown = render(diagnose(top, now=NOW))
    after = [one.lstat() for one in sorted(top.rglob("*"))]
    assert [one.st_mtime_ns for one in after] == [one.st_mtime_ns for one in before]
    for file in ("loop: unseen", "shared: ", "tabs.md, line 7: secret"):
        assert f"\nerror: {file}" in shown
    assert shown.splitlines()[2].startswith("error"), "the worst first"
    assert ("\x1b" in shown, SECRET in shown) == (False, False)

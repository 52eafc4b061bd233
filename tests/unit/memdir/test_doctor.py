"""The doctor: what it finds in a directory, what it says, and that it touches nothing."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.errors import StoreError
from memlab.memdir.doctor import diagnose, render
from memlab.settings import Settings
from tests.platforms import needs_links

NOW = datetime(2026, 3, 30, 9, tzinfo=UTC)
SECRET = "hunter2-Kq93-vast"
TOLD = f"The password is '{SECRET}'."
CONFLICT = "<<<<<<< HEAD\ntype: user\n=======\ntype: project\n>>>>>>> mika\n"
TABS = "---\nname: Tabs\ndescription: Robin uses tabs\ntype: user\n---\n\nTabs in every file.\n"
BOARD = (
    "---\nname: Board\ndescription: who is out\nmetadata:\n  type: project\n---\n\n"
    "Parties are listed by tide.\n\n**Why:** one got lost.\n\n**How to apply:** to all.\n"
)
INDEX = "# M\n\n- [T](tabs.md) — t\n- [B](board.md) — b\n- [Web](https://x.org/a.md)\n"
PAD, IMAGE = "# x\n" * 30, ".memlab/images/" + "0" * 64
LOG = "logs/2026/03/2026-03-29.md"
CLEAN = {"MEMORY.md": INDEX, "tabs.md": TABS, "board.md": BOARD, LOG: "- x\n"}


def put(top: Path, files: dict[str, Any], days: float = 1) -> Path:
    for name, text in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.utime(path, (NOW.timestamp() - days * 86_400,) * 2)
    return top


def found(top: Path, **limits: Any) -> list[tuple[str, str, int, str]]:
    findings = diagnose(top, now=NOW, settings=Settings(**limits)).findings
    return [(one.severity, one.file, one.line, one.rule) for one in findings]


def index(more: str) -> dict[str, str]:
    return {"MEMORY.md": INDEX + more}


def tabs(old: str, new: str) -> dict[str, str]:
    return {"tabs.md": TABS.replace(old, new)}


def listed(name: str, text: str | bytes) -> dict[str, Any]:
    return {name: text, "MEMORY.md": f"{INDEX}- [New](<{name}>) — new\n"}


@pytest.mark.behaviour("A9")
@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        (index("- [G](gone.md)\n"), "warning MEMORY.md 6 dangling-pointer"),
        (index("- [T](tabs.md) " + "x" * 200), "note MEMORY.md 6 index-content"),
        (index("Never push on Fridays.\n"), "note MEMORY.md 6 index-content"),
        (index(CONFLICT), "error MEMORY.md 6 conflict"),
        (index("- x\n" * 200), "warning MEMORY.md 0 index-cap"),
        (index("due tomorrow\n"), "warning MEMORY.md 6 relative-date"),
        ({"new.md": TABS.replace("Tabs", "Spaces")}, "warning new.md 0 not-in-index"),
        (listed("a.md", b"---\nname: a\n---\n\x00"), "error a.md 4 unseen"),
        (listed("a.md", "Only text.\n"), "error a.md 1 unseen"),
        (
            listed("b.sync-conflict-2.md", TABS),
            "error b.sync-conflict-2.md 0 unseen",
        ),
        (listed("a.md", TABS.replace("Tabs", "Style")), "note a.md 0 duplicate"),
        (tabs("type: user\n", CONFLICT), "error tabs.md 4 conflict"),
        (tabs("type: user\n", "type: user\n" + PAD), "warning tabs.md 0 header-size"),
        (tabs("type: user", "type: [user]"), "warning tabs.md 0 type"),
        (tabs("name: Tabs\n", ""), "warning tabs.md 0 fields"),
        (tabs("every file", "next Friday"), "warning tabs.md 7 relative-date"),
        (tabs("in every file.", TOLD), "error tabs.md 7 secret"),
        (tabs("user\n", "user\nstale_after: 2026-03-30\n"), "note tabs.md 0 stale"),
        ({"board.md": BOARD.replace("Why", "As")}, "warning board.md 0 paragraphs"),
        ({LOG: f"- {TOLD}\n"}, f"error {LOG} 1 secret"),
        ({IMAGE: "x"}, "warning .memlab/journal.jsonl 0 lost-history"),
    ],
)
def test_a_fault_is_found(tmp_path: Path, files: Any, wanted: str) -> None:
    assert found(put(tmp_path, CLEAN)) == []
    put(tmp_path, files)
    told = [" ".join(map(str, one)) for one in found(tmp_path)]
    assert wanted in told
    for one in diagnose(tmp_path, now=NOW).findings:
        assert one.message and one.why and one.suggestion  # noqa: PT018
        assert SECRET not in str(one)


def test_what_is_old_full_or_not_there(tmp_path: Path) -> None:
    put(put(tmp_path, CLEAN), {"board.md": BOARD}, days=90.9)
    assert found(tmp_path) == []
    put(tmp_path, {"board.md": BOARD}, days=91)
    assert found(tmp_path) == [("note", "board.md", 0, "old-project")]
    new = TABS.replace("abs", "ides").replace("uses", "sails by")
    put(tmp_path, {**CLEAN, "new.md": new})
    assert found(tmp_path, index_max_lines=5) == [("note", "new.md", 0, "not-in-index")]
    assert ("warning", ".", 0, "beyond-scan") in found(tmp_path, scan_max_files=2)
    (tmp_path / "MEMORY.md").unlink()
    assert found(tmp_path) == [("warning", "MEMORY.md", 0, "not-in-index")]
    with pytest.raises(StoreError, match="cannot look"):
        diagnose(tmp_path / "missing")


@pytest.mark.behaviour("A9")
def test_directories_of_other_clients(tmp_path: Path) -> None:
    put(tmp_path / "b", {f"n{n}.md": f"# Note {n}\n\nDue tomorrow.\n" for n in range(13)})
    (one,) = diagnose(put(tmp_path / "b", {"tabs.md": TABS}), now=NOW).findings
    assert "13 of 14 files have no header" in one.message

    text = TABS.replace("type:", "metadata:\n  node_type: memory\n  type:")
    links = ["- [Tabs](tabs.md) — ", *["- [W](https://x.org) — "] * 189]
    lines = [link.ljust(120, "ü") for link in links]
    top = put(tmp_path / "c", {"tabs.md": text, "MEMORY.md": "\n".join(lines)})
    assert "index-cap" not in str(found(top))
    put(top, {"MEMORY.md": "\n".join(f"{line}{'ü' * 20}" for line in reversed(lines))})
    (cap,) = (one for one in diagnose(top, now=NOW).findings if one.rule == "index-cap")
    assert "25,000 UTF-16 characters. It has 190 lines and 26,789" in cap.message
    assert "Not shown: tabs.md" in cap.message
    (top / ".memlab").mkdir()
    (cap,) = (one for one in diagnose(top, now=NOW).findings if one.rule == "index-cap")
    assert cap.message.startswith("memlab cuts it at the limit of 25,000 bytes.")


@needs_links
def test_nothing_is_followed_or_touched_and_no_secret_is_shown(tmp_path: Path) -> None:
    top = put(tmp_path / "m", {**CLEAN, **tabs("in every file.", TOLD)})
    put(top, {**index("- [G](go\x1b[2Jne.md)\n"), "big.md": "x" * 2_000_000})
    (top / "loop").symlink_to(top / "loop")
    (top / "shared").symlink_to(top, target_is_directory=True)

    def looks() -> dict[Path, tuple[int, int]]:
        stats = {one: one.lstat() for one in top.rglob("*")}
        return {one: (stat.st_mtime_ns, stat.st_ino) for one, stat in stats.items()}

    before = looks()
    shown = render(diagnose(top, now=NOW))
    assert looks() == before
    first, *lines = shown.splitlines()
    assert first.startswith("3 memories: errors: 4, warnings: 2 (")
    for file in ("big.md: unseen", "loop: unseen", "shared: ", "tabs.md, line 7: secret"):
        assert any(line.startswith(f"error: {file}") for line in lines)
    assert "warning: MEMORY.md, line 6: dangling-pointer" in shown
    assert lines[1].startswith("error"), "the worst first"
    assert "\x1b" not in shown
    assert SECRET not in shown

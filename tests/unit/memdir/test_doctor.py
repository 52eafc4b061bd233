"""The doctor: what it finds in a directory, and that it touches nothing."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memlab.errors import StoreError
from memlab.memdir.doctor import RULES, SEVERITIES, diagnose, render
from memlab.settings import Settings
from tests.platforms import needs_links

EXAMPLE = Path(__file__).resolve().parents[3] / "data" / "example"
NOW = datetime(2026, 3, 30, 9, tzinfo=UTC)
SECRET = "hunter2-Kq93-vast"
CONFLICT = "<<<<<<< HEAD\ntype: user\n=======\ntype: project\n>>>>>>> mika\n"
INDEX = (
    "# Memory\n\n- [Tabs](tabs.md) — tabs, not spaces\n- [Board](board.md) — by turn of tide\n"
    "- [Handbook](https://slipway.example/book.md) — not a file of ours\n"
)
TABS = (
    "---\nname: Tabs\ndescription: Robin indents with tabs\ntype: user\n---\n\n"
    "Robin indents with tabs and quotes with single quotes, in every language.\n"
)
BOARD = (
    "---\nname: Board\ndescription: The list of who is out goes by turn of tide\n"
    "metadata:\n  type: project\n---\n\nParties on the water are listed by turn of tide.\n\n"
    "**Why:** a family was overlooked.\n\n**How to apply:** to any new list. See [[tabs]].\n"
)


def put(top: Path, name: str, text: str | bytes, *, days: float = 1) -> None:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    mtime = NOW.timestamp() - days * 86_400
    os.utime(path, (mtime, mtime))


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    top = tmp_path / "memory"
    put(top, "MEMORY.md", INDEX, days=2)
    put(top, "tabs.md", TABS, days=3)
    put(top, "board.md", BOARD, days=4)
    put(top, "logs/2026/03/2026-03-29.md", "- 09:10 moved\n")
    put(top, ".git/index.md", "no memory")
    return top


def found(top: Path, settings: Settings | None = None) -> list[tuple[str, str, int, str]]:
    findings = diagnose(top, now=NOW, settings=settings).findings
    return [(one.severity, one.file, one.line, one.rule) for one in findings]


def index(extra: str) -> Callable[[Path], None]:
    return lambda top: put(top, "MEMORY.md", INDEX + extra, days=2)


def tabs(old: str, new: str) -> Callable[[Path], None]:
    return lambda top: put(top, "tabs.md", TABS.replace(old, new), days=3)


def board(old: str, new: str) -> Callable[[Path], None]:
    return lambda top: put(top, "board.md", BOARD.replace(old, new), days=4)


def listed(name: str, text: str | bytes) -> Callable[[Path], None]:
    def cause(top: Path) -> None:
        put(top, name, text)
        put(top, "MEMORY.md", INDEX + f"- [New]({name}) — new\n", days=2)

    return cause


FAULTS = [
    (index("- [Gone](gone.md)\n"), ("warning", "MEMORY.md", 6, "dangling-pointer")),
    (index("- [A](a.md) — " + "x" * 200 + "\n"), ("note", "MEMORY.md", 6, "index-content")),
    (index("Never push on a Friday.\n"), ("note", "MEMORY.md", 6, "index-content")),
    (index(f"{CONFLICT}"), ("error", "MEMORY.md", 6, "conflict")),
    (index("- x\n" * 200), ("warning", "MEMORY.md", 0, "index-cap")),
    (lambda top: (top / "MEMORY.md").unlink(), ("warning", "MEMORY.md", 0, "not-in-index")),
    (lambda top: put(top, "new.md", TABS), ("warning", "new.md", 0, "not-in-index")),
    (listed("a.md", b"---\nname: a\n---\n\x00"), ("error", "a.md", 4, "unseen")),
    (listed("a.md", "Only text.\n"), ("error", "a.md", 1, "unseen")),
    (
        listed("a.sync-conflict-20261101-X.md", TABS),
        ("error", "a.sync-conflict-20261101-X.md", 0, "unseen"),
    ),
    (listed("a.md", TABS.replace("Tabs", "Style")), ("warning", "a.md", 0, "duplicate")),
    (tabs("type: user\n", CONFLICT), ("error", "tabs.md", 4, "conflict")),
    (tabs("type: user\n", "type: user\n" + "# x\n" * 30), ("warning", "tabs.md", 0, "header-size")),
    (tabs("type: user", "type: [user]"), ("warning", "tabs.md", 0, "type")),
    (tabs("name: Tabs\n", ""), ("warning", "tabs.md", 0, "fields")),
    (tabs("every language", "next Friday"), ("warning", "tabs.md", 7, "relative-date")),
    (tabs("every language", f"all. The password is '{SECRET}'"), ("error", "tabs.md", 7, "secret")),
    (tabs("type: user", "type: user\nstale_after: 2026-03-30"), ("note", "tabs.md", 0, "stale")),
    (board("**Why:**", "Because"), ("warning", "board.md", 0, "paragraphs")),
    (lambda top: put(top, "board.md", BOARD, days=91), ("note", "board.md", 0, "old-project")),
    (
        lambda top: put(top, "logs/2026/03/2026-03-28.md", f"the password is '{SECRET}'\n"),
        ("error", "logs/2026/03/2026-03-28.md", 1, "secret"),
    ),
    (
        lambda top: put(top, ".memlab/images/" + "0" * 64, "x"),
        ("warning", ".memlab/journal.jsonl", 0, "lost-history"),
    ),
]


@pytest.mark.behaviour("A9")
@pytest.mark.parametrize(("cause", "expected"), FAULTS, ids=[str(one[1]) for one in FAULTS])
def test_a_fault_is_found(
    clean: Path, cause: Callable[[Path], None], expected: tuple[str, str, int, str]
) -> None:
    assert found(clean) == []
    cause(clean)
    assert expected in found(clean)
    for one in diagnose(clean, now=NOW).findings:
        assert one.message
        assert one.why
        assert one.suggestion
        assert SECRET not in str(one)


def test_the_running_example(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE / "memory", tmp_path / "memory")
    for name, written in json.loads((EXAMPLE / "mtimes.json").read_text()).items():
        if name.startswith("memory/"):
            mtime = datetime.fromisoformat(written).timestamp()
            os.utime(tmp_path / name, (mtime, mtime))
    claude_md = (EXAMPLE / "repo" / "CLAUDE.md").read_text("utf-8")
    findings = diagnose(tmp_path / "memory", now=NOW, project_instructions=claude_md).findings
    assert [(one.severity, one.file, one.line, one.rule) for one in findings] == [
        ("warning", "MEMORY.md", 3, "relative-date"),
        ("note", "MEMORY.md", 8, "index-content"),
        ("warning", "MEMORY.md", 10, "dangling-pointer"),
        ("note", "keep-replies-short.md", 0, "duplicate"),
        ("warning", "price-list-printing.md", 7, "relative-date"),
        ("warning", "running-the-tests.md", 7, "instructions"),
        ("warning", "stop-after-two-failures.md", 0, "not-in-index"),
    ]


def test_the_directory_of_another_product_gets_one_line(tmp_path: Path) -> None:
    for number in range(13):
        put(tmp_path, f"note-{number}.md", f"# Note {number}\n\nIt ends next Friday.\n")
    put(tmp_path, "tabs.md", TABS)
    [one] = diagnose(tmp_path, now=NOW).findings
    assert "this is not this kind of memory" in one.message
    assert "13 of 14 files have no header" in one.message
    put(tmp_path, "MEMORY.md", "")
    assert len(found(tmp_path)) > 13


def test_a_type_that_is_a_list_is_called_one(clean: Path) -> None:
    tabs("type: user", "type: [user]")(clean)
    [one] = diagnose(clean, now=NOW).findings
    assert one.message == "its type is a list, and not one word"


@pytest.mark.behaviour("A9")
def test_claude_codes_directory_is_judged_by_its_own_caps(tmp_path: Path) -> None:
    lines = []
    for number in range(190):
        words = " ".join(f"n{number}{letter}" for letter in "abcdefgh")
        put(
            tmp_path,
            f"n{number}.md",
            f"---\nname: n{number}\ndescription: {words}\nmetadata:\n  node_type: memory\n"
            f"  type: user\n---\n\n{words}.\n",
        )
        lines.append(f"- [n{number}](n{number}.md) — ".ljust(120, "ü"))
    put(tmp_path, "MEMORY.md", "\n".join(lines))
    assert found(tmp_path) == []
    put(tmp_path, "MEMORY.md", "\n".join(line + "ü" * 20 for line in lines))
    [one] = diagnose(tmp_path, now=NOW).findings
    assert one.message.startswith(
        "Claude Code cuts it at the limit of 25,000 UTF-16 characters."
        " It has 190 lines and 26,789 UTF-16 characters. Not shown: n177.md,"
    )
    (tmp_path / ".memlab").mkdir()
    [one] = diagnose(tmp_path, now=NOW).findings
    assert one.message.startswith("memlab cuts it at the limit of 25,000 bytes.")


def test_a_full_index_is_not_blamed_for_what_it_does_not_list(clean: Path) -> None:
    put(clean, "new.md", "---\nname: New\ndescription: newest\ntype: user\n---\n\nThe newest.\n")
    assert found(clean, Settings(index_max_lines=5)) == [("note", "new.md", 0, "not-in-index")]
    few = Settings(scan_max_files=2)
    assert ("warning", ".", 0, "beyond-scan") in found(clean, few)


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot look"):
        diagnose(tmp_path / "missing")


@needs_links
def test_links_and_odd_files_are_named_and_not_followed(clean: Path) -> None:
    put(clean.parent, "outside.md", f"the password is '{SECRET}'")
    (clean / "MEMORY.md").unlink()
    (clean / "MEMORY.md").symlink_to(clean.parent / "outside.md")
    (clean / "loop").symlink_to(clean / "loop")
    (clean / "shared").symlink_to(clean, target_is_directory=True)
    put(clean, "tabs.md", "x" * 2_000_000)
    assert found(clean) == [
        ("warning", "MEMORY.md", 0, "not-in-index"),
        ("error", "MEMORY.md", 0, "unseen"),
        ("error", "loop", 0, "unseen"),
        ("error", "shared", 0, "unseen"),
        ("error", "tabs.md", 0, "unseen"),
    ]


def test_nothing_is_touched(clean: Path) -> None:
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in clean.rglob("*")}
    diagnose(clean, now=NOW)
    after = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in clean.rglob("*")}
    assert after == before


def test_what_a_person_sees(clean: Path) -> None:
    index("- [Gone](go\x1b[2Jne.md)\n")(clean)
    tabs("every language", f"all. The password is '{SECRET}'")(clean)
    shown = render(diagnose(clean, now=NOW))
    first, *lines = shown.splitlines()
    assert first == f"2 memories: errors: 1, warnings: 1 ({clean})"
    assert lines[1].startswith("error: tabs.md, line 7: secret: this looks like a")
    assert "warning: MEMORY.md, line 6: dangling-pointer: there is no go [2Jne.md" in lines
    assert "    Take the line out, or put the file back." in lines
    assert any(line.startswith("secret: It goes into every prompt") for line in lines)
    assert "\x1b" not in shown
    assert SECRET not in shown


def test_every_rule_says_how_bad_it_is_and_why() -> None:
    for find, severity, _ in RULES:
        assert severity in SEVERITIES
        assert find.__doc__

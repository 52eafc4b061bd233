"""The doctor: every fault found, no false alarm, nothing touched; and its command line."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from memlab.bridge import open_real
from memlab.errors import StoreError
from memlab.memdir import doctor
from memlab.memdir.layouts import Layout
from memlab.memdir.lint import RULES, SEVERITIES, diagnose
from memlab.memdir.memory import parse_memory
from memlab.memdir.places import forget_paths, memory_paths
from memlab.memdir.rules import duplicates
from memlab.memdir.store import MemoryStore
from memlab.settings import Settings
from tests.platforms import (
    lacking,
    needs_any_bytes_in_names,
    needs_file_modes,
    needs_links,
    needs_posix_names,
)

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "data" / "example"
NOW = datetime(2026, 3, 30, 9, tzinfo=UTC)
DAY = 86_400
SECRET = "hunter2-Kq93-vast"
CONFLICT = "<<<<<<< HEAD\ntype: user\n=======\ntype: project\n>>>>>>> mika\n"

FILES = {
    "MEMORY.md": (
        "# Memory\n\n"
        "- [Tabs](tabs.md) — tabs, not spaces\n"
        "- [Board](board.md) — who is out, by turn of tide\n"
        "- [Tests first](tests-first.md) — a failing test before the repair\n"
        "- [Tracker](sub/tracker.md) — where the crew reports\n"
        "- [Handbook](https://slipway.example/book.md) — not a file of ours\n"
    ),
    "tabs.md": (
        "---\nname: Tabs\ndescription: Robin indents with tabs\ntype: user\n---\n\n"
        "Robin indents with tabs and quotes with single quotes, in every language.\n"
    ),
    "board.md": (
        "---\nname: Board\ndescription: The list of who is out goes by turn of tide\n"
        "type: project\n---\n\n"
        "Parties on the water are listed by turn of tide.\n\n"
        "**Why:** a family was overlooked at the bottom of the list.\n\n"
        "**How to apply:** any new list keeps this order. More in [[tabs]].\n"
    ),
    # As Claude Code writes them today: a slug for a name, the type one level down.
    "tests-first.md": (
        "---\nname: tests-first\ndescription: A failing test comes before the repair\n"
        "metadata:\n  type: feedback\n---\n\n"
        "Write the failing test, then the repair.\n\n"
        "**Why:** two repairs turned out to mend something else.\n\n"
        "**How to apply:** for every report of a fault, small ones too. See [[board]].\n"
    ),
    "sub/tracker.md": (
        "---\nname: Tracker\ndescription: The crew reports on the Slipway board\n"
        "type: reference\n---\n\nReports stand at https://slipway.example/b/tidebook.\n"
    ),
    "team/MEMORY.md": "- [Releases](releases.md) — never on a Friday\n",
    "team/releases.md": (
        "---\nname: Releases\ndescription: Nothing goes live on Fridays\ntype: feedback\n---\n\n"
        "What is ready on a Friday goes live after the weekend.\n\n"
        "**Why:** nobody is at the desk at weekends.\n\n**How to apply:** to every service.\n"
    ),
    "logs/2026/03/2026-03-29.md": "09:10 yesterday's draft is still on the desk\n",
    "notes.txt": "password: not a memory\n",
    # Whatever is called so is no memory, nor is what lies below it.
    "logs/.cafe\u0301.md": "",
    ".cafe\u0301.md": "",
    ".git/index.tmp": "",
}


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    top = tmp_path / "memory"
    for place, (name, text) in enumerate(FILES.items()):
        put(top, name, text, days=2 + place / 100)
    return top


@pytest.fixture
def fresh(clean: Path) -> Path:
    """Give the same, for a process that reads the real clock."""
    for path in clean.rglob("*"):
        os.utime(path)
    return clean


def put(top: Path, name: str, text: str | bytes, *, days: float = 1) -> Path:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    age(path, days)
    return path


def age(path: Path, days: float) -> None:
    mtime = NOW.timestamp() - days * DAY
    os.utime(path, (mtime, mtime))


def change(top: Path, name: str, old: str, new: str) -> Path:
    text = (top / name).read_text(encoding="utf-8")
    assert text.count(old) == 1
    return put(top, name, text.replace(old, new), days=2)


def add(top: Path, name: str, text: str | bytes | None = None, *, days: float = 1) -> None:
    """Add a memory that is as it should be, or this text, and its pointer."""
    stem = Path(name).stem
    letters = " ".join(f"{stem}{letter}" for letter in "abcdefgh")
    usual = f"---\nname: {stem}\ndescription: {letters}\ntype: user\n---\n\nAbout {letters}.\n"
    put(top, name, usual if text is None else text, days=days)
    index = (top / "MEMORY.md").read_text(encoding="utf-8")
    put(top, "MEMORY.md", index + f"- [{stem}]({name}) — a hook\n")


def found(top: Path, **more: Any) -> list[tuple[str, str, int, str]]:
    diagnosis = diagnose(top, now=NOW, **more)
    return [(one.severity, one.file, one.line, one.rule) for one in diagnosis.findings]


def test_a_clean_directory_has_no_symptom(clean: Path) -> None:
    diagnosis = diagnose(clean, now=NOW, project_instructions="Use tabs.\n")
    assert diagnosis.findings == ()
    assert (diagnosis.is_clean, diagnosis.memories) == (True, 5)
    assert diagnosis.counts == {"error": 0, "warning": 0, "note": 0}
    empty = clean.parent / "empty"
    empty.mkdir()
    assert found(empty) == []


Fault = tuple[Callable[[Path], object], list[tuple[str, str, int, str]]]
FAULTS: dict[str, Fault] = {
    "pointer to none": (
        lambda top: change(top, "MEMORY.md", "(board.md)", "(board.md)\n- [Gone](gone.md)"),
        [("warning", "MEMORY.md", 5, "dangling-pointer")],
    ),
    "pointer out of the directory": (
        lambda top: (
            change(top, "MEMORY.md", "# Memory", "- [Up](../up.md)")
            and put(top.parent, "up.md", "there")
        ),
        [("warning", "MEMORY.md", 1, "dangling-pointer")],
    ),
    "a conflict in a memory": (
        lambda top: put(top, "tabs.md", FILES["tabs.md"] + CONFLICT, days=2),
        [("error", "tabs.md", 8, "conflict")],
    ),
    "a conflict in a header": (
        lambda top: change(top, "tabs.md", "type: user\n", CONFLICT),
        [("error", "tabs.md", 4, "conflict")],
    ),
    "a conflict in the team's index": (
        lambda top: put(top, "team/MEMORY.md", FILES["team/MEMORY.md"] + CONFLICT),
        [("error", "team/MEMORY.md", 2, "conflict")],
    ),
    "a memory about a person in the team's": (
        lambda top: change(top, "team/releases.md", "type: feedback", "type: user"),
        [("warning", "team/releases.md", 0, "scope")],
    ),
    "pointer to what the team has not": (
        lambda top: change(top, "team/MEMORY.md", "Friday", "Friday\n- [Tabs](tabs.md) — x"),
        [("warning", "team/MEMORY.md", 2, "dangling-pointer")],
    ),
    "no pointer": (
        lambda top: put(top, "MEMORY.md", FILES["MEMORY.md"].replace("(tabs.md)", "(board.md)")),
        [
            ("warning", "MEMORY.md", 4, "double-pointer"),
            ("warning", "tabs.md", 0, "missing-pointer"),
        ],
    ),
    "no pointer in the team's": (
        lambda top: put(top, "team/MEMORY.md", "# Team\n"),
        [("warning", "team/releases.md", 0, "missing-pointer")],
    ),
    "no room in the index": (
        lambda top: put(
            top,
            "MEMORY.md",
            FILES["MEMORY.md"].replace("(tabs.md)", "(board.md)")
            + "a line of my own\n" * (200 - FILES["MEMORY.md"].count("\n")),
        ),
        [
            ("warning", "MEMORY.md", 4, "double-pointer"),
            ("note", "tabs.md", 0, "not-in-index"),
        ],
    ),
    "two pointers to one file": (
        lambda top: change(top, "MEMORY.md", "by turn of tide\n", "by tide\n- [B](./board.md)\n"),
        [("warning", "MEMORY.md", 5, "double-pointer")],
    ),
    "no index": (
        lambda top: (top / "MEMORY.md").unlink(),
        [("warning", "MEMORY.md", 0, "no-index")],
    ),
    "an index that is no file": (
        lambda top: (top / "team/MEMORY.md").rename(top / "x") / put(top, "team/MEMORY.md/x", ""),
        [("error", "team/MEMORY.md", 0, "unreadable")],
    ),
    "too many lines": (
        lambda top: put(top, "MEMORY.md", "- own words\n" * 197 + FILES["MEMORY.md"]),
        [("warning", "MEMORY.md", 0, "index-cap")],
    ),
    "a long line": (
        lambda top: change(top, "MEMORY.md", "tabs, not spaces", "tabs " * 40),
        [("note", "MEMORY.md", 3, "index-line")],
    ),
    "a date in the index that moves": (
        lambda top: change(top, "MEMORY.md", "where the crew reports", "moves next Friday"),
        [("warning", "MEMORY.md", 6, "relative-date")],
    ),
    "a secret in the index": (
        lambda top: change(top, "MEMORY.md", "tabs, not", f"the password is '{SECRET}', not"),
        [("error", "MEMORY.md", 3, "secret")],
    ),
    "a link to nothing": (
        lambda top: change(top, "board.md", "[[tabs]]", "[[tabs]] and [[tide-tables]]"),
        [("note", "board.md", 11, "link")],
    ),
    "a pointer that is commented out": (
        lambda top: put(top, "MEMORY.md", f"<!--\n{FILES['MEMORY.md']}-->\n"),
        [
            ("warning", name, 0, "missing-pointer")
            for name in ("board.md", "sub/tracker.md", "tabs.md", "tests-first.md")
        ],
    ),
    "no frontmatter": (
        lambda top: add(top, "a.md", "Only text.\n"),
        [("error", "a.md", 1, "unparsable")],
    ),
    "broken frontmatter": (
        lambda top: change(top, "tabs.md", "Robin indents with tabs\n", "tabs: not spaces\n"),
        [("error", "tabs.md", 3, "unparsable")],
    ),
    "binary": (
        lambda top: add(top, "a.md", b"---\nname: a\n---\n\n\x00\x01\x02"),
        [("error", "a.md", 5, "unparsable")],
    ),
    "a header of many lines": (
        lambda top: change(top, "tabs.md", "type: user\n", "type: user\n" + "# why\n" * 30),
        [("warning", "tabs.md", 0, "header-size")],
    ),
    "a header of many bytes": (
        lambda top: change(top, "tabs.md", "type: user\n", f"type: user\nx: {'x' * 20_000}\n"),
        [("warning", "tabs.md", 0, "header-size")],
    ),
    "unknown type": (
        lambda top: change(top, "tabs.md", "type: user", "type: taste"),
        [("warning", "tabs.md", 0, "type")],
    ),
    "no type": (
        lambda top: change(top, "tabs.md", "type: user\n", ""),
        [("warning", "tabs.md", 0, "type")],
    ),
    "no name": (
        lambda top: change(top, "tabs.md", "name: Tabs\n", ""),
        [("warning", "tabs.md", 0, "fields")],
    ),
    "no description": (
        lambda top: change(top, "tabs.md", "Robin indents with tabs\n", "\n"),
        [("warning", "tabs.md", 0, "fields")],
    ),
    "no reason": (
        lambda top: change(top, "tests-first.md", "**Why:**", "Because"),
        [("warning", "tests-first.md", 0, "paragraphs")],
    ),
    "a date that moves": (
        lambda top: change(top, "tabs.md", "in every language", "from next Friday on"),
        [("warning", "tabs.md", 7, "relative-date")],
    ),
    "a vague time": (
        lambda top: change(top, "tabs.md", "in every language", "for now"),
        [("note", "tabs.md", 7, "relative-date")],
    ),
    "a secret": (
        lambda top: change(
            top, "sub/tracker.md", "Reports", f"The password is '{SECRET}'. Reports"
        ),
        [("error", "sub/tracker.md", 7, "secret")],
    ),
    "a secret in several places": (
        lambda top: [
            change(
                top,
                "sub/tracker.md",
                "Reports stand",
                f"The token is ghp_{'a1B2' * 9}. It is ghp_{'a1B2' * 9}. Reports stand",
            ),
            change(top, "sub/tracker.md", "The crew", f"Token ghp_{'a1B2' * 9}. The crew"),
            change(top, "MEMORY.md", "where the", f"token is ghp_{'a1B2' * 9}, where the"),
        ],
        [("error", "sub/tracker.md", 7, "secret")],
    ),
    "what the code says": (
        lambda top: change(
            top, "tabs.md", "language.\n", "language.\n\n- [ ] board\n- [ ] tides\n"
        ),
        [("warning", "tabs.md", 9, "task-state")],
    ),
    "two that say the same": (
        lambda top: add(top, "a.md", FILES["tabs.md"].replace("Tabs", "Style")),
        [("warning", "a.md", 0, "duplicate")],
    ),
    "two that promise the same": (
        lambda top: add(
            top,
            "a.md",
            "---\nname: A\ndescription: The list of who is out goes by turn of tide\ntype: user\n"
            "---\n\nMaren prefers enamel to chalk: paint lasts through salt, rain, gulls, "
            "children with buckets, three winters, and whatever Iggy once stored beneath it.\n",
        ),
        [("note", "a.md", 0, "duplicate")],
    ),
    "two of one name": (
        lambda top: add(top, "a.md", FILES["tabs.md"]),
        [("warning", "a.md", 0, "duplicate")],
    ),
    "two short ones that are equal": (
        lambda top: [
            add(top, name, "---\nname: Tea\ndescription: tea\ntype: user\n---\n\nDrinks tea.\n")
            for name in ("a.md", "b.md")
        ],
        [("warning", "a.md", 0, "duplicate")],
    ),
    "an old project": (
        lambda top: age(top / "board.md", Settings().old_project_days + 1),
        [("note", "board.md", 0, "old-project")],
    ),
    "a tombstone": (
        lambda top: add(top, "a.md", "---\nname: A\ndropped: it was wrong\n---\n"),
        [("warning", "a.md", 0, "tombstone")],
    ),
    "a name for a device": (
        lambda top: add(top, "Aux.md"),
        [("warning", "Aux.md", 0, "unsafe-name")],
    ),
    "a name that a system spells otherwise": (
        lambda top: add(top, "cafe\u0301.md"),
        [("warning", "cafe\u0301.md", 0, "unsafe-name")],
    ),
    "a folder with a full stop": (
        lambda top: add(top, "sub./a.md"),
        [("warning", "sub.", 0, "unsafe-name")],
    ),
    "a write that was interrupted": (
        lambda top: put(top, "sub/.memlab-0.tmp", "half a mem"),
        [("warning", "sub/.memlab-0.tmp", 0, "leftover")],
    ),
    "what an editor left": (
        lambda top: put(top, ".tabs.md.swp", b"\0"),
        [("warning", ".tabs.md.swp", 0, "leftover")],
    ),
    "notes of sessions among the memories": (
        lambda top: put(top, "session-memory/one/memory.md", "# Notes\n"),
        [("warning", "session-memory", 0, "stray")],
    ),
    "what would be personal": (
        lambda top: add(top, "personal/a.md"),
        [("warning", "personal", 0, "stray")],
    ),
    "a log of another day": (
        lambda top: put(top, "logs/2026/02/2026-03-29.md", "- moved\n"),
        [("warning", "logs/2026/02/2026-03-29.md", 0, "stray")],
    ),
    "a log of a day that never was": (
        lambda top: put(top, "logs/2026/02/2026-02-30.md", "- moved\n"),
        [("warning", "logs/2026/02/2026-02-30.md", 0, "stray")],
    ),
    "a log outside its month": (
        lambda top: put(top, "logs/2026-03-29.md", "- moved\n"),
        [("warning", "logs/2026-03-29.md", 0, "stray")],
    ),
    "a secret in a log": (
        lambda top: put(top, "logs/2026/03/2026-03-28.md", f"- the password is '{SECRET}'\n"),
        [("error", "logs/2026/03/2026-03-28.md", 1, "secret")],
    ),
    "a team that is no clone": (
        lambda top: (top / ".memlab").mkdir(),
        [("note", "team", 0, "team-folder")],
    ),
}


@pytest.mark.behaviour("A9")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=needs_posix_names)
        if {"name", "folder"} & {*name.split()}
        else name
        for name in FAULTS
    ],
)
def test_one_fault_is_found_and_nothing_else(clean: Path, name: str) -> None:
    cause, expected = FAULTS[name]
    cause(clean)
    assert found(clean) == expected
    for one in diagnose(clean, now=NOW).findings:
        assert one.message
        assert one.why
        assert one.suggestion
        assert SECRET not in str(one)


def test_every_rule_has_a_fault_here() -> None:
    shown = {rule for _, expected in FAULTS.values() for _, _, _, rule in expected}
    shown |= {"personal-type"}  # in a directory of another kind
    elsewhere = {"beyond-scan", "symlink", "twins", "instructions", "unreadable"}
    elsewhere |= {"journal", "lost-history", "permissions"}  # below, and in test_lost_history
    elsewhere |= {"moved-project"}  # in tests/unit/cli/test_move.py
    names = [rule.name for rule in RULES]
    assert set(names) - elsewhere - shown == {"never-stored"}  # task-state is one of those
    assert len(names) == len(set(names))
    for rule in RULES:
        assert rule.severity in SEVERITIES
        assert re.fullmatch(r"[A-Z].*\.", rule.why)
        assert re.fullmatch(r"([A-Z].*\.)?", rule.fix)


CLAUDE_CODE = """---
name: {name}
description: {words}
metadata:
  node_type: memory
  type: user
  originSessionId: 51e8909a-5036-4084-af1f-3bc834a6a99f
---

{words}.
"""


def by_claude_code(name: str) -> str:
    words = " ".join(f"{name}{letter}" for letter in "abcdefgh")
    return CLAUDE_CODE.format(name=name, words=words)


class TestADirectoryThatClaudeCodeKeeps:
    """Its versions 2.1.197 and 2.1.330 showed such an index as it is said here."""

    @staticmethod
    def fill(top: Path, lines: int, letter: str, width: int) -> None:
        pointers = []
        for number in range(lines):
            name = f"n{number:03}"
            put(top, f"{name}.md", by_claude_code(name))
            pointers.append(f"- [{name}]({name}.md) — ".ljust(width - 1, letter) + "\n")
        put(top, "MEMORY.md", "".join(pointers))

    def test_umlauts_are_one_character_and_nothing_is_cut(self, tmp_path: Path) -> None:
        self.fill(tmp_path, 190, "ü", 120)
        assert [one[3] for one in found(tmp_path)] == []
        (tmp_path / ".memlab").mkdir()
        assert [one[3] for one in found(tmp_path)] == ["index-cap"], "memlab writes here too"

    @pytest.mark.behaviour("A9")
    def test_what_is_cut_is_said_by_the_clients_own_rule(self, tmp_path: Path) -> None:
        self.fill(tmp_path, 100, "\N{ROWBOAT}", 200)
        diagnosis = diagnose(tmp_path, now=NOW)
        [capped] = [one for one in diagnosis.findings if one.rule == "index-cap"]
        assert capped.message.startswith(
            "Claude Code cuts it at the limit of 25,000 UTF-16 characters."
            " It has 100 lines and 37,900 UTF-16 characters. Not shown: n065.md,"
        )
        shown = run(tmp_path).stdout.splitlines()
        assert shown[1] == (
            "Kept by Claude Code, so its limits for the index apply:"
            " 200 lines and 25,000 UTF-16 characters."
        )

    def test_comments_and_frontmatter_do_not_count(self, tmp_path: Path) -> None:
        self.fill(tmp_path, 150, "x", 100)
        index = (tmp_path / "MEMORY.md").read_text()
        put(tmp_path, "MEMORY.md", f"---\ntitle: x\n---\n<!-- {'hidden ' * 2_000}-->\n{index}")
        assert found(tmp_path) == []

    def test_it_is_known_by_its_place_where_no_memory_says_so(self, tmp_path: Path) -> None:
        mine = put(tmp_path / "mine", "tabs.md", FILES["tabs.md"]).parent
        theirs = put(tmp_path / ".claude/projects/-x/memory", "tabs.md", FILES["tabs.md"]).parent
        assert [diagnose(one, now=NOW).caps.client for one in (mine, theirs)] == [
            "memlab",
            "Claude Code",
        ]

    def test_a_tombstone_below_metadata_is_one(self, tmp_path: Path) -> None:
        dead = by_claude_code("old").replace("  type", "  dropped: stale\n  type")
        put(tmp_path, "old.md", dead.partition("\n\n")[0] + "\n")
        put(tmp_path, "MEMORY.md", "- [old](old.md) — x\n")
        assert [one[3] for one in found(tmp_path)] == ["tombstone"]

    def test_the_time_in_a_header_counts_more_than_that_of_a_copied_file(self, clean: Path) -> None:
        assert [one[3] for one in found(clean)] == []
        change(clean, "board.md", "type: project\n", "type: project\nmodified: 2025-01-01T00:00Z\n")
        assert [one[3] for one in found(clean)] == ["old-project"]


@pytest.mark.behaviour("A9")
def test_links_are_a_graph(fresh: Path) -> None:
    change(fresh, "tabs.md", "every language", "every [[Board]], [[sub/tracker|here]] and [[gone]]")
    for path in fresh.rglob("*"):
        os.utime(path)
    shown = run(fresh).stdout
    graph = (
        "Links\n  board.md → tabs.md\n  tabs.md → board.md, sub/tracker.md, [[gone]] (no memory)\n"
    )
    assert graph in shown
    assert "link: [[gone]] leads to no memory" in shown
    links = json.loads(run(fresh, "--json").stdout)["links"]
    assert links[0] == {"source": "board.md", "name": "tabs", "target": "tabs.md"}
    assert [link["target"] for link in links[1:4]] == ["board.md", "sub/tracker.md", ""]


def test_a_project_is_not_old_on_the_ninetieth_day(clean: Path) -> None:
    age(clean / "board.md", Settings().old_project_days + 0.99)
    age(clean / "tabs.md", 10 * Settings().old_project_days)
    assert found(clean) == []


def test_links_are_shown_and_not_followed(clean: Path) -> None:
    outside = clean.parent / "outside"
    put(outside, "a.md", "not a memory")
    try:
        (clean / "link.md").symlink_to(outside / "a.md")
        (clean / "loop").symlink_to(clean, target_is_directory=True)
    except OSError as error:
        lacking("links", str(error))
    expected = [("warning", "link.md", 0, "symlink"), ("warning", "loop", 0, "symlink")]
    assert found(clean) == expected


def test_two_names_but_for_small_and_capital(clean: Path) -> None:
    add(clean, "note.md")
    if (clean / "NOTE.md").exists():
        lacking("capitals")
    add(
        clean,
        "NOTE.md",
        "---\nname: Ferry\ndescription: Last one home\ntype: user\n---\nAt 17:10.\n",
    )
    assert found(clean) == [("warning", "note.md", 0, "twins")]


def test_memories_that_no_scan_lists(clean: Path) -> None:
    for number in range(196):
        add(clean, f"m{number:03}.md", days=3 + number)
    # Five files are younger, so the oldest is one too many; the index is over its cap as well.
    diagnosis = diagnose(clean, now=NOW, settings=Settings(index_max_lines=300))
    assert [(one.file, one.rule) for one in diagnosis.findings] == [(".", "beyond-scan")]
    proposed = Settings(index_max_lines=300, first_stage="sqlite")
    assert diagnose(clean, now=NOW, settings=proposed).findings == ()
    assert diagnosis.findings[0].message == "1 memories are older than the newest 200: m195.md"
    capped = diagnose(clean, now=NOW, settings=Settings(scan_max_files=300)).findings
    assert [(one.file, one.rule) for one in capped] == [("MEMORY.md", "index-cap")]
    assert "memlab cuts it at the limit of 200 lines. It has 203 lines" in capped[0].message
    assert "Not shown: m193.md, m194.md, m195.md." in capped[0].message


def test_what_may_not_be_read(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(real: Path, flags: int) -> int:
        if str(real).endswith(("tabs.md", "team/MEMORY.md")):
            raise PermissionError(13, "Permission denied", real)
        return open_real(real, flags)

    monkeypatch.setattr("memlab.memdir.lint.open_real", denied)
    assert found(clean) == [
        ("error", "tabs.md", 0, "unreadable"),
        ("error", "team/MEMORY.md", 0, "unreadable"),
    ]


def test_a_directory_that_cannot_be_listed(clean: Path) -> None:
    for path in (clean / "missing", clean / "tabs.md"):
        with pytest.raises(StoreError, match="cannot look"):
            diagnose(path)


def test_what_claude_md_says_already(clean: Path) -> None:
    rules_of_project = "# tidebook\n\nRobin indents with tabs and quotes with single quotes.\n"
    assert found(clean, project_instructions=rules_of_project)[0] == (
        "warning", "tabs.md", 7, "instructions",
    )  # fmt: skip


def test_the_running_example(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE / "memory", tmp_path / "memory")
    for name, told in json.loads((EXAMPLE / "mtimes.json").read_text()).items():
        if name.startswith("memory/"):
            mtime = datetime.fromisoformat(told).timestamp()
            os.utime(tmp_path / name, (mtime, mtime))
    instructions = (EXAMPLE / "repo" / "CLAUDE.md").read_text(encoding="utf-8")
    diagnosis = diagnose(tmp_path / "memory", now=NOW, project_instructions=instructions)
    assert [(one.severity, one.file, one.line, one.rule) for one in diagnosis.findings] == [
        ("warning", "MEMORY.md", 3, "relative-date"),
        ("note", "MEMORY.md", 8, "index-line"),
        ("warning", "MEMORY.md", 10, "dangling-pointer"),
        ("note", "keep-replies-short.md", 0, "duplicate"),
        ("warning", "price-list-printing.md", 7, "relative-date"),
        ("warning", "running-the-tests.md", 7, "instructions"),
        ("warning", "stop-after-two-failures.md", 0, "missing-pointer"),
    ]
    told = {one.file: f"{one.message} {one.suggestion}" for one in diagnosis.findings}
    assert "answer-first.md" in told["keep-replies-short.md"]
    assert "2026-04-03" in told["price-list-printing.md"]


def alike(chance: random.Random, number: int) -> str:
    """Write a memory that shares some, most or all of its words with others."""
    words = [f"w{chance.randrange(40)}" for _ in range(chance.choice([4, 12, 30]))]
    hook = " ".join(chance.sample(words, 4)) if chance.random() < 0.5 else f"the {number} of a hook"
    return (
        f"---\nname: m{number}\ndescription: {hook}\ntype: user\n---\n\n{' and the '.join(words)}\n"
    )


def test_no_near_duplicate_is_lost_by_comparing_only_likely_ones(tmp_path: Path) -> None:
    chance = random.Random(4)
    texts = {f"m{number:02}.md": alike(chance, number) for number in range(80)}
    for place, (name, text) in enumerate(texts.items()):
        put(tmp_path, name, text, days=1 + place)
    wanted = set()
    memories = [parse_memory(text, path=Path(name)) for name, text in texts.items()]
    for place, memory in enumerate(memories):
        for finding in duplicates(memory, memories[place + 1 :]):
            wanted.add((str(memory.path), finding.message))
    symptoms = diagnose(tmp_path, now=NOW).findings
    assert {(one.file, one.message) for one in symptoms if one.rule == "duplicate"} == wanted
    assert len(wanted) > 20


def stamps(top: Path) -> dict[str, tuple[int, ...]]:
    """Take down what any touch would change; of a file also when it was last read."""
    told: dict[str, tuple[int, ...]] = {}
    for path in (top, *sorted(top.rglob("*"))):
        status = path.stat(follow_symlinks=False)
        read = status.st_atime_ns if path.is_file() and hasattr(os, "O_NOATIME") else 0
        told[str(path)] = (status.st_mode, status.st_mtime_ns, status.st_ctime_ns, read)
    return told


@pytest.mark.behaviour("A9")
def test_nothing_is_touched(clean: Path) -> None:
    FAULTS["a write that was interrupted"][0](clean)
    files = [path for path in clean.rglob("*") if path.is_file()]
    for path in files:  # last read before it was last changed: the next reading would be noted
        os.utime(path, ns=(0, path.stat().st_mtime_ns))
    folders = [path for path in (clean, *clean.rglob("*")) if path.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    before = stamps(clean)
    try:
        assert len(found(clean)) == 1
        assert stamps(clean) == before
    finally:
        for folder in folders:
            folder.chmod(0o755)
    (clean / ".memlab").mkdir()
    assert stamps(clean) != before


def memory_calls(directory: Path, log: Path, *command: str | Path) -> list[str]:
    """Give the system calls of a command that name something in a directory."""
    trace = "trace=%file,fchmod,futimesat,fsync,ftruncate,write,flock"
    subprocess.run(
        ["strace", "-f", "-qq", "-y", "-e", trace, "-o", log, sys.executable, *command],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    return [line for line in log.read_text(errors="replace").splitlines() if str(directory) in line]


def writing(calls: list[str]) -> list[str]:
    """Pick the calls that are not a look."""
    look = re.compile(r"(?:\d+ +)?(?:\w*stat\w*|readlink|access|execve|open(?:at)?|getcwd)\(")
    change = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
    return [line for line in calls if not look.match(line) or change.search(line)]


def test_the_system_sees_no_write_no_lock_and_no_new_name(clean: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    calls = memory_calls(clean, log, "-m", "memlab.memdir.doctor", clean)
    assert len(calls) > 10
    assert writing(calls) == []
    script = (
        "import sys; from memlab.memdir import MemoryStore as S; S(sys.argv[1]).remove('tabs.md')"
    )
    assert writing(memory_calls(clean, log, "-c", script, clean)) != []


@dataclass(frozen=True)
class Ran:
    """What a call of the command printed, and its status."""

    returncode: int
    stdout: str
    stderr: str


def run(*args: str | Path, cwd: Path = ROOT, **env: str) -> Ran:
    out, err = StringIO(), StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        patch.chdir(cwd)
        for name, value in env.items():
            patch.setenv(name, value)
        forget_paths()
        try:
            status = doctor.main([str(one) for one in args])
        except SystemExit as stopped:
            status = int(str(stopped.code))
    return Ran(status, out.getvalue(), err.getvalue())


def test_as_a_command_it_gives_its_status(fresh: Path) -> None:
    FAULTS["no pointer"][0](fresh)
    command = [sys.executable, "-m", "memlab.memdir.doctor", fresh]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_exit_status(fresh: Path) -> None:
    assert run(fresh).returncode == 0
    FAULTS["a vague time"][0](fresh)
    noted = run(fresh)
    assert (noted.returncode, noted.stderr) == (0, "")  # a note alone turns no build red
    assert noted.stdout.startswith("5 memories: 1 note (")
    FAULTS["no pointer"][0](fresh)
    assert run(fresh).returncode == 1
    missing = run(fresh / "missing")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert re.fullmatch(r"memlab doctor: .*missing: cannot look: .*\n", missing.stderr)
    assert run("--no-such-option").returncode == 2


def test_the_logs_are_examined_with_the_memory_that_they_belong_to(fresh: Path) -> None:
    month = fresh / "logs/2026/03"
    put(fresh, "logs/2026/03/2026-03-29.md", f"- 08:10 The password is '{SECRET}'.\n")
    whole = run(fresh)
    assert "secret" in whole.stdout
    for place in (fresh / "logs", month):
        ended = run(place)
        assert (ended.stdout, ended.returncode) == (whole.stdout, whole.returncode)
        assert f"{place} is in the logs of {fresh}" in ended.stderr
    elsewhere = fresh.parent / "other" / "logs"
    put(elsewhere, "tabs.md", "no memory directory is around it")
    assert run(elsewhere).stderr == ""


def test_what_a_person_sees(fresh: Path) -> None:
    FAULTS["pointer to none"][0](fresh)
    FAULTS["a secret"][0](fresh)
    shown = run(fresh).stdout
    assert shown.splitlines()[0] == f"5 memories: 1 error, 1 warning ({fresh})"
    blocks = shown.split("\n\n")
    assert blocks[1].splitlines()[0] == "sub/tracker.md"
    assert "  error" in blocks[1]
    assert "Write where it is kept instead, and change it" in blocks[1]
    assert blocks[2].splitlines()[0] == "MEMORY.md"
    assert "warning" in blocks[2]
    assert "line 5" in blocks[2]
    assert "dangling-pointer: there is no gone.md" in blocks[2]
    assert "Take the line out, or put the file back." in blocks[2]
    assert "  dangling-pointer: It costs tokens" in blocks[3]
    assert "\x1b" not in shown
    assert SECRET not in shown
    assert SECRET in (fresh / "sub/tracker.md").read_text()


def test_a_date_is_suggested_only_where_the_times_of_the_files_can_be_trusted(
    clean: Path,
) -> None:
    FAULTS["a date that moves"][0](clean)

    def suggested() -> str:
        found = diagnose(clean, now=NOW).findings
        return next(one.suggestion for one in found if one.rule == "relative-date")

    assert re.fullmatch(r"Write \d{4}-\d\d-\d\d", suggested())
    for path in clean.rglob("*.md"):  # as a clone or a copy leaves them
        age(path, 2)
    assert "The files do not tell it" in suggested()
    assert not re.search(r"\d", suggested())


def test_json(fresh: Path) -> None:
    FAULTS["pointer to none"][0](fresh)
    FAULTS["a secret"][0](fresh)
    ran = run(fresh, "--json")
    told = json.loads(ran.stdout)
    assert ran.returncode == 1
    assert list(told) == [
        "schema",
        "directory",
        "layout",
        "memories",
        "client",
        "counts",
        "findings",
        "links",
    ]
    assert (told["schema"], told["directory"], told["memories"]) == (2, str(fresh), 5)
    assert told["counts"] == {"error": 1, "warning": 1, "note": 0}
    for finding in told["findings"]:
        kinds = {key: type(value) for key, value in finding.items()}
        texts = dict.fromkeys(("severity", "file", "rule", "message", "why", "suggestion"), str)
        assert kinds == texts | {"line": int}
    assert told["findings"][0]["line"] == 5
    assert SECRET not in ran.stdout
    listed = run("--rules").stdout
    assert all(f"{rule.name} ({rule.severity})" in listed for rule in RULES)
    explained = run("--help").stdout
    assert all(f'"{key}"' in explained for key in (*told, *told["findings"][0]))


def test_without_a_directory_it_takes_the_projects(fresh: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "CLAUDE.md").write_text("Robin indents with tabs and quotes with single quotes.\n")
    (project / "src").mkdir()
    ran = run("--json", cwd=project / "src", MEMLAB_MEMORY_DIR=str(fresh))
    told = json.loads(ran.stdout)
    assert told["directory"] == str(fresh)
    assert "instructions" in {finding["rule"] for finding in told["findings"]}
    other = run(fresh, "--json", cwd=project)  # whose CLAUDE.md that would be is not known
    assert json.loads(other.stdout)["findings"] == []
    named = run(fresh, "--json", "--instructions", project / "CLAUDE.md")
    assert [one["rule"] for one in json.loads(named.stdout)["findings"]] == ["instructions"]
    assert run("--json", cwd=project, MEMLAB_MEMORY_DIR="relative").returncode == 2
    assert run(fresh, "--instructions", project / "none.md").returncode == 2


@needs_links
def test_a_team_that_is_a_link_is_named_once(clean: Path, tmp_path: Path) -> None:
    (clean / "team").rename(tmp_path / "elsewhere")
    (clean / "team").symlink_to(tmp_path / "elsewhere")
    assert found(clean) == [("warning", "team", 0, "team-folder")]
    (clean / "team").unlink()
    put(clean, "team", "a file")
    assert found(clean) == [("warning", "team", 0, "team-folder")]


@pytest.mark.behaviour("L1", "L2b")
def test_the_notes_of_sessions_and_the_personal_memories_have_rules_of_their_own(
    tmp_path: Path,
) -> None:
    notes = tmp_path / "session-memory"
    put(notes, "one/memory.md", "# Notes\n\nThe harbour opens next Friday.\n")
    put(notes, "two/memory.md", f"The password is '{SECRET}'.\n")
    put(notes, "notes.md", "lost")
    assert found(notes, layout=Layout.notes) == [
        ("warning", "notes.md", 0, "stray"),
        ("error", "two/memory.md", 1, "secret"),
    ]
    assert diagnose(notes, layout=Layout.notes).memories == 2

    personal = tmp_path / "personal"
    put(personal, "MEMORY.md", "- own words\n" * 25)
    add(personal, "tabs.md")
    add(personal, "first.md", FILES["tests-first.md"].replace(" See [[board]].", ""))
    put(personal, "logs/2026/03/2026-03-29.md", "- moved\n")
    assert found(personal, layout=Layout.personal) == [
        ("warning", "MEMORY.md", 0, "index-cap"),
        ("warning", "first.md", 0, "personal-type"),
        ("warning", "logs", 0, "stray"),
    ]


@pytest.mark.behaviour("L4")
def test_without_a_directory_it_looks_at_all_that_the_modes_keep(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    base, project = tmp_path / "base", tmp_path / "tidebook"
    project.mkdir()
    forget_paths()
    monkeypatch.setenv("MEMLAB_HOME", str(base))
    monkeypatch.chdir(project)
    paths = memory_paths(project)
    put(paths.project_dir, "session-memory/one/memory.md", "# Notes\n")
    put(base, "personal/tabs.md", FILES["tabs.md"])
    put(base, "personal/MEMORY.md", "- [Tabs](tabs.md) — tabs\n")
    assert doctor.main([]) == 0  # no memory yet
    assert capsys.readouterr().out.startswith("0 memories: nothing is wrong")

    put(paths.memory_dir, "MEMORY.md", "")
    put(paths.project_dir, "session-memory/one/memory.md", f"The password is '{SECRET}'.\n")
    assert doctor.main([]) == 1
    heads = [line for line in capsys.readouterr().out.splitlines() if line.endswith(")")]
    assert [head.partition(" (")[0] for head in heads] == [
        "0 memories: nothing is wrong",
        "1 session with notes: 1 error",
        "1 personal memory: nothing is wrong",
    ]
    doctor.main(["--json"])
    also = json.loads(capsys.readouterr().out)["also"]
    assert [one["layout"] for one in also] == ["notes", "personal"]
    doctor.main(["--json", str(base / "personal")])
    assert json.loads(capsys.readouterr().out)["layout"] == "personal"

    # one of them cannot be read
    def examine(directory: Path, **how: Any) -> Any:
        if directory.name == "session-memory":
            raise StoreError("cannot look: Permission denied", where=directory)
        return diagnose(directory, **how)

    monkeypatch.setattr(doctor, "diagnose", examine)
    assert doctor.main([]) == 2
    shown = capsys.readouterr()
    assert "1 personal memory: nothing is wrong" in shown.out
    assert "session-memory: cannot look: Permission denied" in shown.err


@needs_any_bytes_in_names
def test_what_a_file_holds_cannot_steer_the_terminal(fresh: Path) -> None:
    add(fresh, "a.md", days=-10)
    (fresh / "a.md").rename(fresh / "a\x1b[31m\udcff\u202e.md")
    change(fresh, "MEMORY.md", "# Memory", "- [x](b\x1b[2J.md)")
    change(fresh, "tabs.md", "type: user", 'type: "\\e[2J"')
    ran = run(fresh)
    assert ran.returncode == 1
    assert "unsafe-name" in ran.stdout
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", ran.stdout)
    told = json.loads(run(fresh, "--json").stdout)["findings"]
    rules_told = sorted(finding["rule"] for finding in told)
    assert rules_told == ["dangling-pointer"] * 2 + ["missing-pointer", "type", "unsafe-name"]


def test_colour_only_on_a_terminal(
    fresh: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    FAULTS["no index"][0](fresh)
    doctor.main([str(fresh)])
    plain = capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    doctor.main([str(fresh)])
    coloured = capsys.readouterr().out
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    doctor.main([str(fresh)])
    assert capsys.readouterr().out == plain


def test_progress_after_two_seconds(
    fresh: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    doctor.main([str(fresh), "--json"])
    assert capsys.readouterr().err == ""
    seconds = iter(range(0, 100, 1))
    monkeypatch.setattr(doctor, "monotonic", lambda: next(seconds))
    doctor.main([str(fresh), "--json"])
    told = capsys.readouterr()
    assert told.err.splitlines()[0] == "memlab doctor: 1 of 5 files"
    assert 1 < len(told.err.splitlines()) < 5
    json.loads(told.out)


def test_a_journal_that_a_store_refuses_is_reported_and_the_memories_are_examined(
    tmp_path: Path,
) -> None:
    store = MemoryStore(tmp_path / "memory", checks=lambda memory, **_: ())
    store.write_text("tabs.md", b"---\nname: Tabs\ndescription: d\n---\nTabs.\n")
    journal = store.directory / ".memlab" / "journal.jsonl"
    whole = journal.read_bytes()
    for spoilt, what in (
        (whole + b'{"version": 99}\n{"new": 1}\n', "newer memlab"),
        (b"x\n" + whole, "damaged"),
    ):
        journal.write_bytes(spoilt)
        found = diagnose(store.directory).findings
        (about,) = [one for one in found if one.rule == "journal"]
        assert what in about.message
        assert about.suggestion
        assert "type" in {one.rule for one in found if one.file == "tabs.md"}
        assert journal.read_bytes() == spoilt


@needs_file_modes
@pytest.mark.parametrize(
    ("mode", "above", "told"),
    [
        (0o700, 0o755, ""),
        (0o755, 0o700, ""),
        (0o755, 0o755, "other users can open this directory: its mode is 0755"),
        (0o750, 0o750, "your group can open this directory: its mode is 0750"),
    ],
)
def test_a_directory_that_others_can_open_is_mentioned(mode: int, above: int, told: str) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        directory = Path(name) / "memory"
        directory.mkdir()
        directory.chmod(mode)
        Path(name).chmod(above)
        found = [one for one in diagnose(directory).findings if one.rule == "permissions"]
        assert [one.message for one in found] == ([told] if told else [])
        assert all(one.severity == "note" for one in found)


@needs_links
def test_an_index_or_instructions_that_lead_outside_are_not_read(
    clean: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("- [the key](of-the-boat-house.md) — a secret\n")
    (clean / "MEMORY.md").unlink()
    (clean / "MEMORY.md").symlink_to(secret)
    os.mkfifo(tmp_path / "pipe.md")
    assert doctor.main([str(clean), "--instructions", str(tmp_path / "pipe.md")]) == 1
    shown = capsys.readouterr()
    assert "of-the-boat-house" not in shown.out
    assert "it leads out of the directory" in shown.out
    assert "pipe.md was left out: it is not a plain file" in shown.err

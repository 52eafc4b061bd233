"""The scan: what counts, in which order, what it reads and what it survives; the manifest."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from memlab.memdir.memory import MemoryType
from memlab.memdir.scan import MemoryHeader, format_manifest, scan_memory_files
from memlab.settings import Settings
from tests.platforms import needs_any_bytes_in_names

NOON = 1_774_785_600  # 2026-03-29T12:00:00Z
HEADER = "---\nname: {0}\ndescription: all about {0}\ntype: user\n---\n"
NO_MEMORIES = "MEMORY.md team/MEMORY.md sub/memory.MD .a.md sub/.a.md .git/a.md logs/a.md a.txt md"


def put(top: Path, name: str, text: str | bytes = "", later: int = 0) -> Path:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = text or HEADER.format(path.stem) + "\nBody.\n"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (NOON + later, NOON + later))
    return path


def names(top: Path, **limits: Any) -> list[str]:
    return [one.filename for one in scan_memory_files(top, Settings(**limits))]


@pytest.mark.behaviour("D1")
def test_newest_first_equal_times_by_name(tmp_path: Path) -> None:
    for name, later in {"old": 1, "b": 3, "new": 4, "a": 3, "sub/logs/b": 3}.items():
        put(tmp_path, f"{name}.md", later=later)
    for name in NO_MEMORIES.split():
        put(tmp_path, name)
    assert names(tmp_path) == ["new.md", "a.md", "b.md", "sub/logs/b.md", "old.md"]
    found = scan_memory_files(tmp_path, Settings(scan_max_files=3))
    assert ([one.filename for one in found][2:], found.beyond) == (["b.md"], 2)
    first = scan_memory_files(tmp_path)[1]
    when = datetime(2026, 3, 29, 12, 0, 3, tzinfo=UTC)
    wanted = ("a.md", when, "a", "all about a", MemoryType.user)
    assert first == MemoryHeader(tmp_path / "a.md", *wanted)


MALFORMED: dict[str, tuple[str | bytes, str]] = {
    "colon": ("---\nname: a: b\n---\n", "mapping values"),
    "nul": (b"---\nname: a\n---\n\x00\x01", "NUL"),
    "latin": ("---\nname: Bjørn\n---\n".encode("latin-1"), "not UTF-8"),
    "conflict": ("---\n<<<<<<< a\na: b\n=======\n>>>>>>> b\n---\n", "git conflict"),
    "a (Robin's conflicted copy 2026-11-01)": (HEADER, "synchronising"),
    "a.sync-conflict-20261101-120000-ABCDEFG": (HEADER, "synchronising"),
}


@pytest.mark.behaviour("D3")
def test_what_cannot_be_read_is_skipped_and_named(tmp_path: Path) -> None:
    for name, (text, _) in MALFORMED.items():
        put(tmp_path, f"{name}.md", text)
    put(tmp_path, "conflicted-copy.md")
    scan = scan_memory_files(tmp_path)
    assert [one.filename for one in scan] == ["conflicted-copy.md"]
    reasons = {f"{name}.md": why for name, (_, why) in MALFORMED.items()}
    told = dict(scan.skipped)
    assert told.keys() == reasons.keys()
    assert [name for name in told if reasons[name] not in told[name]] == []


@pytest.mark.behaviour("D1", "D2")
def test_thirty_lines_of_two_hundred_files_are_read(tmp_path: Path) -> None:
    rest = 16 * 1024 - len("---\nname: a\ndescription: \n---\n")
    for number in range(210):
        put(tmp_path, f"{number:03}.md", later=number)
    big = f"---\nname: a\ndescription: {'x' * rest}\n---\n"
    put(tmp_path, "fits.md", f"{big}{'潮' * 9_000}", later=999)
    put(tmp_path, "over.md", big.replace("x", "xx", 1), later=998)
    for line in (30, 31):
        keys = "".join(f"k{n}: v\n" for n in range(line - 3))
        put(tmp_path, f"{line} lines.md", f"---\nname: a\n{keys}---\n", later=997)
    opens, reads = (mock.Mock(side_effect=one) for one in (os.open, os.read))
    with mock.patch.multiple(os, open=opens, read=reads):
        scan = scan_memory_files(tmp_path)
    assert (len(scan), scan.beyond) == (198, 14)
    assert {name for name, _ in scan.skipped} == {"over.md", "31 lines.md"}
    files = [one for one in opens.call_args_list if str(one.args[0]).endswith(".md")]
    assert len(files) == reads.call_count == 200
    assert {one.args[1] for one in reads.call_args_list} == {16 * 1024}


@pytest.mark.behaviour("D4")
@needs_any_bytes_in_names
def test_the_manifest_has_one_line_for_each_memory(tmp_path: Path) -> None:
    put(tmp_path, "tabs.md", later=4)
    put(tmp_path, "team/x.md", "---\ndescription: no type\n---\n", later=3)
    long = json.dumps("\u2028 word\u202e\x1b[31m" * 100)
    put(tmp_path, "long.md", f"---\ndescription: {long}\n---\n", later=2)
    for name in (b"caf\xe9.md", b"two\nlines.md"):
        put(tmp_path, os.fsdecode(name), HEADER, later=-1)
    for year in (-(2**40), 2**33):
        os.utime(put(tmp_path, f"{year}.md"), ns=(year * 10**9,) * 2)
    manifest = format_manifest(scan_memory_files(tmp_path))
    assert "- [user] tabs.md (2026-03-29T12:00:04Z): all about tabs\n" in manifest
    assert "- team/x.md (2026-03-29T12:00:03Z): no type\n" in manifest
    (told,) = re.findall(r"(?m)^- long.md .*\): (word \[31m.*)", manifest)
    assert len(told) <= Settings().manifest_description_characters
    assert len(manifest.encode().splitlines()) == 7
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u2028\u202e]", manifest)

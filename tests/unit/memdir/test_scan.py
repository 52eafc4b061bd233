"""The scan: what counts, in which order, what it reads and what it survives; the manifest."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.memdir.memory import MemoryType
from memlab.memdir.scan import MemoryHeader, format_manifest, scan_memory_files
from memlab.settings import Settings
from tests.platforms import needs_any_bytes_in_names, needs_posix, needs_strace

NOON = 1_774_785_600  # 2026-03-29T12:00:00Z
HEADER = "---\nname: {0}\ndescription: all about {0}\ntype: user\n---\n"


NO_MEMORIES = (
    "MEMORY.md team/MEMORY.md sub/memory.MD .a.md sub/.a.md .git/a.md sub/.obsidian/a.md"
    " .memlab/images/a.md logs/a.md logs/2026/03/2026-03-29.md a.txt a.md.tmp md"
)


def put(top: Path, name: str, text: str | bytes = "", *, later: int = 0) -> Path:
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
    for name, later in {"old": 1, "b": 3, "new": 4, "a": 3, "sub/b": 3}.items():
        put(tmp_path, f"{name}.md", later=later)
    for name in NO_MEMORIES.split():
        put(tmp_path, name)
    wanted = ["new.md", "a.md", "b.md", "sub/b.md", "old.md"]
    assert names(tmp_path) == wanted
    for name in ("team/a.md", "sub/logs/a.md", "logs.md", "folder.md/a.md"):
        put(tmp_path, name)
        assert name in names(tmp_path)
    found = scan_memory_files(tmp_path, Settings(scan_max_files=3))
    assert [one.filename for one in found] == ["new.md", "a.md", "b.md"]
    assert found.beyond == 6


def test_a_header_has_all_that_a_choice_needs(tmp_path: Path) -> None:
    path = put(tmp_path, "style/tabs.md")
    when = datetime(2026, 3, 29, 12, tzinfo=UTC)
    wanted = ("style/tabs.md", when, "tabs", "all about tabs", MemoryType.user)
    assert [*scan_memory_files(tmp_path)] == [MemoryHeader(path, *wanted)]
    for text in ("name: a", "name: a\ntype: x", "name: a\nmetadata: {type: project}"):
        put(tmp_path, "style/tabs.md", f"---\n{text}\n---\n")
        kind = MemoryType.project if "project" in text else None
        (found,) = scan_memory_files(tmp_path)
        assert (found.name, found.type) == ("a", kind)


@needs_posix
def test_links_and_pipes_are_not_opened(tmp_path: Path) -> None:
    put(tmp_path, "outside/secret.md")
    inside = put(tmp_path, "memory/sub/own.md").parents[1]
    (inside / "a.md").symlink_to("../outside/secret.md")
    (inside / "b").symlink_to("../outside")
    (inside / "sub/c").symlink_to("..")
    os.mkfifo(inside / "pipe.md")
    scan = scan_memory_files(inside)
    assert ([one.filename for one in scan], scan.skipped) == (["sub/own.md"], ())
    for other in ("missing", "outside/secret.md", "x" * 5_000):
        assert len(scan_memory_files(f"{tmp_path}/{other}")) == 0


MALFORMED: dict[str, tuple[str | bytes, str]] = {
    "unclosed": ("---\nname: a\n", "without an end"),
    "none": ("Just text.\n", "no frontmatter"),
    "tab": ("---\nname: a\n\tdescription: b\n---\n", "tab|cannot start any token"),
    "colon": ("---\nname: a: b\n---\n", "mapping values"),
    "bomb": ("---\na: &a [x, x]\nb: [*a, *a]\n---\n", "anchor"),
    "nul": (b"---\nname: a\n---\n\x00\x01", "NUL"),
    "latin": ("---\nname: Bjørn\n---\n".encode("latin-1"), "not UTF-8"),
    "conflict": ("---\n<<<<<<< a\na: b\n=======\n>>>>>>> b\n---\n", "git conflict"),
    "31 lines": ("---\n" + "# x\n" * 29 + "---\n", "without an end"),
    "17 kB": (f"---\nname: {'x' * 17_000}\n---\n", "without an end"),
    "a (Robin's conflicted copy 2026-11-01)": (HEADER, "synchronising"),
    "a.sync-conflict-20261101-120000-ABCDEFG": (HEADER, "synchronising"),
    "a (Case Conflict)": (HEADER, "synchronising"),
}


@pytest.mark.behaviour("D3")
def test_what_cannot_be_read_is_skipped(tmp_path: Path, monkeypatch: Any) -> None:
    for name, (text, _) in MALFORMED.items():
        put(tmp_path, f"{name}.md", text)
    good = ["conflicted-copy.md", "good.md", "sync-conflict.md"]
    for name in [*good, "shut.md", "closed/a.md"]:
        put(tmp_path, name)
    real = os.open

    def refusing(path: Any, *args: Any, **more: Any) -> int:
        if str(path) in ("shut.md", "closed"):
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **more)

    monkeypatch.setattr(os, "open", refusing)
    scan = scan_memory_files(tmp_path)
    assert [one.filename for one in scan] == good
    reasons = {f"{name}.md": why for name, (_, why) in MALFORMED.items()}
    reasons |= {"shut.md": "Permission denied", "closed/": "Permission denied"}
    told = dict(scan.skipped)
    assert told.keys() == reasons.keys()
    assert [name for name in told if not re.search(reasons[name], told[name])] == []


@pytest.mark.behaviour("A12")
def test_a_header_says_from_which_day_it_is_not_recalled(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "---\nmetadata: {stale_after: 2026-11-30}\n---\n")
    put(tmp_path, "c.md", "---\nstale_after: soon\n---\n")
    scan = scan_memory_files(tmp_path)
    assert scan.without_stale(date(2026, 11, 29)) == scan
    stale = scan.without_stale(date(2026, 11, 30))
    assert [one.filename for one in stale] == ["c.md"]
    assert stale.hidden == (("a.md", "stale after 2026-11-30"),)


@pytest.mark.behaviour("D1")
def test_thirty_lines_are_read(tmp_path: Path) -> None:
    for line in (29, 30, 31):
        keys = "".join(f"k{n}: v\n" for n in range(line - 3))
        put(tmp_path, f"{line}.md", f"---\nname: a\n{keys}---\nbody\n")
    assert names(tmp_path) == ["29.md", "30.md"]


@pytest.mark.behaviour("D2")
def test_only_two_hundred_files_are_opened(tmp_path: Path, monkeypatch: Any) -> None:
    rest = 16 * 1024 - len("---\nname: a\ndescription: \n---\n")
    for number in range(210):
        put(tmp_path, f"{number:03}.md", HEADER.format(number) + "x" * 99, later=number)
    big = f"---\nname: a\ndescription: {'x' * rest}\n---\n"
    with open(put(tmp_path, "fits.md", big), "ab") as file:
        file.truncate(50_000_000)
    put(tmp_path, "over.md", big.replace("x", "xx", 1), later=998)
    put(tmp_path, "half.md", HEADER.format("a") + "-" + "潮" * 9_000, later=999)
    os.utime(tmp_path / "fits.md", (NOON + 999, NOON + 999))
    opened, sizes = list[Any](), list[int]()
    real, read = os.open, os.read

    def opens(*given: Any, **more: Any) -> int:
        opened.append(given[0])
        return real(*given, **more)

    def reads(*given: Any) -> bytes:
        sizes.append(given[1])
        return read(*given)

    monkeypatch.setattr(os, "open", opens)
    monkeypatch.setattr(os, "read", reads)
    scan = scan_memory_files(tmp_path)
    assert (len(scan), scan.beyond) == (199, 13)
    assert [name for name, _ in scan.skipped] == ["over.md"]
    assert [scan[0].filename, scan[1].filename] == ["fits.md", "half.md"]
    assert sum(str(one).endswith(".md") for one in opened) == len(sizes) == 200
    assert {*sizes} == {16 * 1024}


@pytest.mark.slow
@pytest.mark.behaviour("D2")
@needs_strace
def test_the_system_sees_n_stats_and_at_most_two_hundred_opens(tmp_path: Path) -> None:
    for number in range(230):
        put(tmp_path, f"memory/{number:03}.md", later=number)
    work = f"from memlab.memdir import scan as s; s.scan_memory_files('{tmp_path}/memory')"
    trace = f"strace -f -qq -e trace=%file,read -y -o {tmp_path}/log {sys.executable} -c"
    subprocess.run([*trace.split(), work], check=True)
    lines = (tmp_path / "log").read_text(errors="replace").splitlines()
    made = [line for line in lines if re.search(r"\b\d{3}\.md\W", line)]
    opens = sum(bool(re.match(r"(\d+ +)?open", line)) for line in made)
    reads = sum(bool(re.match(r"(\d+ +)?read\(", line)) for line in made)
    assert (len(made), opens, reads) == (230 + 3 * 200, 200, 200)


@pytest.mark.behaviour("D4")
@needs_any_bytes_in_names
def test_the_manifest_has_one_line_for_each_memory(tmp_path: Path) -> None:
    put(tmp_path, "tabs.md", later=4)
    put(tmp_path, "team/x.md", "---\ndescription: no type\n---\n", later=3)
    long = "\u2028 word\u202e\x1b[31m" * 100
    put(tmp_path, "long.md", f"---\ndescription: {json.dumps(long)}\n---\n", later=2)
    for name in (b"caf\xe9.md", b"two\nlines.md", "👩\u200d🚒.md".encode()):
        put(tmp_path, os.fsdecode(name), HEADER.format("a"), later=-1)
    manifest = format_manifest(scan_memory_files(tmp_path))
    first, second, third, *more = manifest.splitlines()
    assert first == "- [user] tabs.md (2026-03-29T12:00:04Z): all about tabs"
    assert second == "- team/x.md (2026-03-29T12:00:03Z): no type"
    assert third.startswith("- long.md (2026-03-29T12:00:02Z): word [31m")
    assert len(third.split("): ")[1]) <= Settings().manifest_description_characters
    assert len(more) == 3
    assert any("👩\u200d🚒.md" in line for line in more)
    manifest.encode()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u2028\u202e]", manifest)


def test_times_that_no_calendar_has(tmp_path: Path) -> None:
    path = put(tmp_path, "a.md")
    for seconds in (-(2**40), -1, 2**33, 2**40):
        os.utime(path, ns=(seconds * 10**9, seconds * 10**9))
        manifest = format_manifest(scan_memory_files(tmp_path))
        assert manifest.startswith("- [user] a.md (")

"""The scan: what counts, in which order, what it reads and what it survives; and the manifest."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from memlab.memdir import scan as scan_module
from memlab.memdir.memory import MemoryType
from memlab.memdir.scan import MemoryHeader, format_manifest, scan_memory_files
from memlab.settings import Settings
from tests.platforms import (
    lacking,
    needs_any_bytes_in_names,
    needs_deep_folders,
    needs_limited_user,
    needs_pipes,
    needs_strace,
)

ROOT = Path(__file__).resolve().parents[3]
NOON = 1_774_785_600  # 2026-03-29T12:00:00Z
HEADER = "---\nname: {0}\ndescription: all about {0}\ntype: user\n---\n"


def put(
    directory: Path, name: str, text: str | bytes | None = None, *, mtime: float = NOON
) -> Path:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = HEADER.format(Path(name).stem) + "\nBody.\n" if text is None else text
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (mtime, mtime))
    return path


def names(directory: Path, settings: Settings | None = None) -> list[str]:
    return [header.filename for header in scan_memory_files(directory, settings)]


@pytest.mark.behaviour("D1")
def test_newest_first_and_equal_times_by_name(tmp_path: Path) -> None:
    for name, mtime in {"old": 1, "b": 3, "new": 4, "a": 3, "c": 3}.items():
        put(tmp_path, f"{name}.md", mtime=NOON + mtime)
    put(tmp_path, "sub/b.md", mtime=NOON + 3)
    wanted = ["new.md", "a.md", "b.md", "c.md", "sub/b.md", "old.md"]
    assert names(tmp_path) == wanted
    assert names(tmp_path, Settings(scan_max_files=3)) == wanted[:3]


def test_a_header_has_all_that_a_choice_needs(tmp_path: Path) -> None:
    text = "---\nname: Tabs\ndescription: tabs, not spaces\ntype: user\n---\nRobin likes tabs.\n"
    path = put(tmp_path, "style/tabs.md", text)
    when = datetime(2026, 3, 29, 12, tzinfo=UTC)
    header = MemoryHeader(path, "style/tabs.md", when, "Tabs", "tabs, not spaces", MemoryType.user)
    assert list(scan_memory_files(tmp_path)) == [header]
    assert list(scan_memory_files(str(tmp_path))) == [header]


@pytest.mark.behaviour("D1")
def test_what_counts_as_a_memory(tmp_path: Path) -> None:
    counted = {"a.md", "team/a.md", "sub/logs/a.md", "sub/deeper/a.md", "logs.md", "folder.md/a.md"}
    others = {"MEMORY.md", "Memory.md", "team/MEMORY.md", "sub/deeper/memory.MD", "memory.md"}
    others |= {".a.md", "sub/.a.md", ".git/a.md", "sub/.obsidian/a.md", ".memlab/images/a.md"}
    others |= {"logs/a.md", "logs/2026/03/2026-03-29.md", "a.txt", "a.md.tmp", "README", "md"}
    for name in counted | others:
        put(tmp_path, name)
    assert set(names(tmp_path)) == counted


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "memory"
    put(outside, "secret.md")
    put(inside, "sub/own.md")
    try:
        (inside / "link.md").symlink_to(outside / "secret.md")
        (inside / "linked").symlink_to(outside, target_is_directory=True)
        (inside / "sub" / "loop").symlink_to(inside, target_is_directory=True)
        (inside / "turn.md").symlink_to(inside / "turn.md")
        (inside / "dangling.md").symlink_to(inside / "nothing.md")
    except OSError as error:
        lacking("links", str(error))
    scan = scan_memory_files(inside)
    assert [header.filename for header in scan] == ["sub/own.md"]
    assert scan.skipped == ()


@needs_pipes
def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    os.mkfifo(tmp_path / "pipe.md")
    assert names(tmp_path) == ["a.md"]


@pytest.mark.parametrize("directory", ["missing", "file.txt", "x" * 5_000])
def test_a_directory_that_is_none_has_no_memories(tmp_path: Path, directory: str) -> None:
    put(tmp_path, "file.txt")
    scan = scan_memory_files(f"{tmp_path}/{directory}")
    assert (len(scan), scan.beyond) == (0, 0)
    assert bool(scan.skipped) == (directory != "missing")  # what is there and shut is told


MALFORMED: dict[str, tuple[str | bytes, str]] = {
    "unclosed": ("---\nname: a\n", "frontmatter without an end"),
    "none": ("Just text.\n", "no frontmatter"),
    "empty": ("", "no frontmatter"),
    "tab": ("---\nname: a\n\tdescription: b\n---\n", "tab|cannot start any token"),
    "colon": ("---\nname: a: b\n---\n", "mapping values are not allowed"),
    "quote": ('---\nname: "a\n---\n', "scanning a quoted scalar|unexpected end"),
    "twice": ("---\nname: a\nname: b\n---\n", "a key twice"),
    "list": ("---\n- name\n- type\n---\n", "other than 'key: value' lines"),
    "bomb": ("---\na: &a [x, x]\nb: [*a, *a]\n---\n", "an anchor, alias or tag"),
    "tag": ("---\nname: !!python/object:os.system a\n---\n", "an anchor, alias or tag"),
    "control": ("---\nname: " + "é" * 50 + "\x07\n---\n", "a bad escape or character"),
    "nul": (b"---\nname: a\n---\n\x00\x01", "a NUL byte"),
    "latin": ("---\nname: Bjørn\n---\n".encode("latin-1"), "bytes that are not UTF-8"),
    "binary": (bytes(range(256)) * 40, "NUL byte"),
    "long": ("---\n" + "x: y\n" * 29 + "---\n", "a key twice|frontmatter without an end"),
}


@pytest.mark.behaviour("D3")
def test_malformed_files_are_skipped_and_counted_each_with_its_reason(tmp_path: Path) -> None:
    for name, (text, _) in MALFORMED.items():
        put(tmp_path, f"{name}.md", text)
    put(tmp_path, "good.md")
    scan = scan_memory_files(tmp_path)
    assert [header.filename for header in scan] == ["good.md"]
    skipped = dict(scan.skipped)
    assert set(skipped) == {f"{name}.md" for name in MALFORMED}
    for name, (_, reason) in MALFORMED.items():
        assert re.search(reason, skipped[f"{name}.md"]), name
    assert scan.beyond == 0


@pytest.mark.behaviour("D3")
def test_a_copy_of_a_synchronising_program_waits_for_a_person(tmp_path: Path) -> None:
    copies = [
        "tabs.sync-conflict-20261101-120000-ABCDEFG.md",
        "tabs (Robin's conflicted copy 2026-11-01).md",
        "team/tabs (conflicted copy 2026-11-01 120000).md",
        "tabs (Case Conflict).md",
    ]
    others = ["conflicted-copy.md", "sync-conflict.md", "conflicts (copy).md"]
    for name in copies + others:
        put(tmp_path, name)
    scan = scan_memory_files(tmp_path)
    assert {header.filename for header in scan} == set(others)
    assert scan.skipped == tuple((name, scan_module.SYNC_COPY) for name in sorted(copies))


@pytest.mark.behaviour("A12")
def test_a_header_says_from_which_day_it_is_not_recalled(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "---\nname: a\nmetadata:\n  stale_after: 2026-11-30\n---\n")
    put(tmp_path, "b.md", "---\n# by YAML\nname: b\nstale_after: 2026-11-30\n---\n")
    put(tmp_path, "c.md", "---\nname: c\nstale_after: soon\n---\n")
    scan = scan_memory_files(tmp_path)
    assert [header.stale_after for header in scan] == ["2026-11-30", "2026-11-30", "soon"]
    assert scan.without_stale(date(2026, 11, 29)) == scan
    stale = scan.without_stale(date(2026, 11, 30))
    assert [header.filename for header in stale] == ["c.md"]
    assert dict(stale.hidden) == dict.fromkeys(("a.md", "b.md"), "stale after 2026-11-30")


def test_a_missing_or_unknown_type_is_none_and_no_reason_to_skip(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "---\nname: a\n---\n")
    put(tmp_path, "b.md", "---\ntype: gossip\n---\n")
    put(tmp_path, "c.md", "---\nname: c\nmetadata:\n  type: feedback\n---\n")
    found = [(header.filename, header.name, header.type) for header in scan_memory_files(tmp_path)]
    assert found == [("a.md", "a", None), ("b.md", "", None), ("c.md", "c", MemoryType.feedback)]


def raising(
    target: str | tuple[str, ...], error: OSError, real: Callable[..., Any]
) -> Callable[..., Any]:
    def call(path: Any, *args: Any, **more: Any) -> Any:
        if str(path).endswith(target):
            raise error
        return real(path, *args, **more)

    return call


def test_what_may_not_be_read_is_skipped_with_the_systems_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.md", "shut.md", "sub/b.md", "secret/c.md"):
        put(tmp_path, name)
    denied = PermissionError(13, "Permission denied")
    monkeypatch.setattr(os, "open", raising(("shut.md", "secret"), denied, os.open))
    scan = scan_memory_files(tmp_path)
    assert [header.filename for header in scan] == ["a.md", "sub/b.md"]
    assert scan.skipped == (("secret/", "Permission denied"), ("shut.md", "Permission denied"))


@needs_limited_user
def test_really_unreadable_files_and_folders(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    put(tmp_path, "shut.md").chmod(0)
    put(tmp_path, "secret/c.md").parent.chmod(0)
    try:
        scan = scan_memory_files(tmp_path)
    finally:
        (tmp_path / "secret").chmod(0o700)
    assert [header.filename for header in scan] == ["a.md"]
    assert [name for name, _ in scan.skipped] == ["secret/", "shut.md"]


def test_fifty_megabytes_cost_sixteen_kilobytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(put(tmp_path, "big.md"), "ab") as file:
        file.truncate(50_000_000)
    sizes: list[int] = []
    real = os.read

    def read(file: int, size: int) -> bytes:
        data = real(file, size)
        sizes.append(len(data))
        return data

    monkeypatch.setattr(os, "read", read)
    assert names(tmp_path) == ["big.md"]
    assert sizes == [16 * 1024]


@contextmanager
def nested(top: Path, depth: int, *, every: int) -> Iterator[None]:
    """Nest folders deeper than any path may be long, with a memory in each so-manieth."""
    here = os.open(top, os.O_RDONLY)
    for level in range(1, depth + 1):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
        if level % every == 0:
            file = os.open("m.md", os.O_CREAT | os.O_WRONLY, dir_fd=here)
            os.write(file, HEADER.format(level).encode())
            os.close(file)
    try:
        yield
    finally:
        for level in range(depth, 0, -1):
            if level % every == 0:
                os.unlink("m.md", dir_fd=here)
            above = os.open("..", os.O_RDONLY, dir_fd=here)
            os.rmdir("d", dir_fd=above)
            os.close(here)
            here = above
        os.close(here)


@needs_deep_folders
def test_five_thousand_nested_folders(tmp_path: Path) -> None:
    with nested(tmp_path, 5_000, every=10):
        scan = scan_memory_files(tmp_path)
        assert {header.name for header in scan} == {"10", "20", "30"}
        assert [reason for _, reason in scan.skipped] == ["it is nested more than 32 folders deep"]


def closing_on(line: int) -> str:
    return "---\nname: a\n" + "".join(f"k{n}: v\n" for n in range(line - 3)) + "---\nbody\n"


@pytest.mark.behaviour("D1")
@pytest.mark.parametrize("quoted", [False, True], ids=["by hand", "by yaml"])
def test_thirty_lines_are_read(tmp_path: Path, quoted: bool) -> None:
    for line in (29, 30, 31):
        text = closing_on(line)
        put(tmp_path, f"{line}.md", text.replace("k0: v", "k0: [v]") if quoted else text)
    scan = scan_memory_files(tmp_path)
    assert {header.filename for header in scan} == {"29.md", "30.md"}
    assert [name for name, _ in scan.skipped] == ["31.md"]


@pytest.mark.behaviour("D2")
@pytest.mark.parametrize("filler", ["x", "é", "潮", "🛶"])
def test_sixteen_kilobytes_are_read_and_no_character_is_halved(tmp_path: Path, filler: str) -> None:
    width = len(filler.encode())
    for pad in range(width):
        body = filler * (20_000 // width)
        put(tmp_path, f"body-{pad}.md", HEADER.format("a") + "-" * pad + body)
        long = f"---\nname: a\ndescription: {'-' * pad}{body}\n---\n"
        put(tmp_path, f"header-{pad}.md", long)
    scan = scan_memory_files(tmp_path)
    assert {header.filename for header in scan} == {f"body-{pad}.md" for pad in range(width)}
    assert {reason for _, reason in scan.skipped} == {"frontmatter without an end"}


def test_a_header_that_ends_where_the_reading_ends(tmp_path: Path) -> None:
    rest = 16 * 1024 - len("---\nname: a\ndescription: \n---\n")
    put(tmp_path, "fits.md", f"---\nname: a\ndescription: {'x' * rest}\n---\n")
    put(tmp_path, "over.md", f"---\nname: a\ndescription: {'x' * (rest + 1)}\n---\n")
    # The last line that is read looks like an end, and goes on.
    put(tmp_path, "more.md", f"---\nname: |\n {'x' * (16 * 1024 - 18)}\n---and on\n---\n")
    assert names(tmp_path) == ["fits.md"]


@pytest.mark.behaviour("D2")
@needs_strace
def test_the_system_sees_n_stats_and_at_most_two_hundred_opens(tmp_path: Path) -> None:
    tracer = ["strace", "-f", "-qq", "-e", "trace=%file,read", "-y", "-o"]
    directory, log = tmp_path / "memory", tmp_path / "log"
    for number in range(230):
        put(directory, f"{number:03}.md", mtime=NOON + number)
    script = "import sys; from memlab.memdir import scan_memory_files as scan; scan(sys.argv[1])"
    subprocess.run(
        [*tracer, log, sys.executable, "-c", script, directory],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
    )
    calls = Counter(
        call[1]
        for line in log.read_text(errors="replace").splitlines()
        if (call := re.match(r"(?:\d+ +)?(\w+)\(", line)) and re.search(r"\b\d{3}\.md\W", line)
    )
    stats = sum(count for call, count in calls.items() if "stat" in call)
    opens = sum(count for call, count in calls.items() if call.startswith("open"))
    assert (stats, opens, calls["read"]) == (230 + 200, 200, 200), calls
    assert sum(calls.values()) == 830, calls  # and nothing else is done to any of them


def test_times_that_no_calendar_has(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    for seconds in (-(2**40), -1, 2**33, 2**40):
        os.utime(tmp_path / "a.md", ns=(seconds * 10**9, seconds * 10**9))
        assert format_manifest(scan_memory_files(tmp_path)).startswith("- [user] a.md (")


# Pieces from which headers are put together: what people and programs write, and what YAML minds.
KEYS = [
    "name",
    "description",
    "type",
    "metadata",
    "tags",
    "naïve",
    "a-b",
    "a b",
    "a.b",
    "潮",
    '"name"',
]
KEYS += [
    "'type'",
    "_x",
    "2nd",
    "yes",
    "name ",
    "# name",
    "? name",
    "x" * 100,
    "x" * 1_100,
    "",
    " name",
]
VALUES = [
    "tabs",
    "user",
    "feedback",
    "Tabs, not spaces",
    "a  b",
    "a:b",
    "a: b",
    "a#b",
    "a #b",
    "# a",
]
VALUES += [
    "a ",
    " a",
    "a:",
    ":a",
    "yes",
    "null",
    "~",
    "2026-03-29",
    "12:30",
    "0x1f",
    "1_000",
    "-1",
    "- a",
]
VALUES += [
    '"a: b"',
    '"a \\" b"',
    '"a\\u263a"',
    '"a',
    "'it''s'",
    "'a # b'",
    "'a",
    '"a\' b"',
    "''",
    '""',
]
VALUES += [
    '"a" # b',
    "'a'b",
    "[a, b]",
    "[a",
    "{a: b}",
    "&a b",
    "*a",
    "!t a",
    "!!str a",
    "|",
    ">",
    "|-",
]
VALUES += [
    "%a",
    "@a",
    "`a`",
    "a\tb",
    "\ta",
    "a\t# b",
    "a\u00a0b",
    "\u00a0a",
    "a\u2028b",
    "a\u2029b: c",
]
VALUES += [
    "a\x85b",
    "a\u200db",
    "👩\u200d🚒",
    "a\ufeffb",
    "\ufeffa",
    "a\ufffe",
    "²a",
    "é",
    "漢字",
    "a\x07b",
]
VALUES += [
    "a\x0bb",
    "a\x0cb",
    "a\x1cb",
    "a\rb",
    "a---b",
    "---",
    "--- a",
    "...",
    "<<",
    "=",
    "a\\b",
    "?a",
    "? a",
]
VALUES += [
    "🛶 kayak",
    "a , b",
    "a] b",
    "a} b",
    "",
    "x" * 1_100,
    "\U000e0041a",
    "a\xadb",
    "ا\u200fb",
]
LINES = [
    "# a comment",
    "",
    "  ",
    "  more",
    "  type: user",
    "- item",
    "...",
    "--- ",
    "---  a",
    "a:b",
    "lonely",
]
LINES += [
    "name:",
    "metadata:",
    "metadata:\n  type: project",
    "metadata:\n  type: x\n  more: y",
    "\ttab: a",
]
LINES += [
    "description: >\n  folded\n  text",
    "name: |\n  kept\n   text",
    "name:\n  user",
    "name: a\n  b",
]


def random_header(chance: random.Random) -> bytes:
    """Put a header together; about half of them can be read."""

    odd = chance.choice([0.1, 0.5])

    def line(key: str) -> str:
        if chance.random() < odd / 10:
            return chance.choice(LINES)
        value = chance.choice(VALUES if chance.random() < odd else VALUES[:4])
        return f"{key}:{chance.choice([' '] * 40 + ['  ', ''])}{value}"

    end = chance.choice(["\n"] * 8 + ["\r\n", "\r"])
    opening = chance.choice(["---"] * 40 + ["\ufeff---", "--- ", "---x", ""])
    keys = chance.sample(KEYS[:3] + KEYS[3:4] * (odd > 0.1), chance.choice([2, 3]))
    keys += chance.choices(KEYS, k=chance.choice([0] * 8 + [1, 2]))
    keys += [f"k{n}" for n in range(chance.choice([0] * 20 + [24, 25, 26]))]
    closing = chance.choice(["---"] * 40 + ["--- ", "----", "..."])
    text = end.join([opening, *map(line, keys), closing]) + chance.choice([end] * 9 + [""])
    raw = (text + chance.choice(["", "Body.\n", "Body.\n", "---\nname: b\n", "\0"])).encode()
    return raw.replace(b"a", b"\xe9", 1) if chance.random() < 0.02 else raw


Told = tuple[str, str, MemoryType | None] | None


def by_pyyaml(raw: bytes, loader: Any) -> Told:
    """Read a header with one of PyYAML's base loaders; None where it is no text by key."""
    try:
        text = b"".join(raw.splitlines(keepends=True)[:30]).decode().removeprefix("\ufeff")
        block = re.match(r"--- *\r?\n(.*?)^--- *\r?(?:\n|\Z)", text, re.DOTALL | re.MULTILINE)
        values = yaml.load(text[: block.end(1)], Loader=loader) if block else None
        values = {} if values == "" or (block and values is None) else values
        if not isinstance(values, dict) or "\0" in text:
            return None
        nested = values.get("metadata")
        kind = values.get("type") or (nested.get("type", "") if isinstance(nested, dict) else "")
        found = str(values.get("name") or ""), str(values.get("description") or "")
        known = MemoryType.__members__.get(str(kind))
        return (*found, known)
    except (UnicodeDecodeError, yaml.YAMLError):
        return None


def refused_on_purpose(reason: str) -> bool:
    """Tell whether a header that PyYAML reads is one that a memory may not have."""
    ours = (
        "a key twice|anchor, alias or tag|the character|bad escape|a NUL|frontmatter without an end"
    )
    return bool(re.search(ours, reason))


def test_headers_are_those_of_pyyaml_on_thousands_of_files(tmp_path: Path) -> None:
    chance, raws = random.Random(20260330), {}
    for number in range(4_000):
        raws[f"{number:04}.md"] = random_header(chance)
        put(tmp_path, f"{number:04}.md", raws[f"{number:04}.md"])
    scan = scan_memory_files(tmp_path, Settings(scan_max_files=4_000))
    quick = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    wanted = {name: by_pyyaml(raw, quick) for name, raw in raws.items()}
    for header in scan:
        raw, told = raws[header.filename], (header.name, header.description, header.type)
        assert told == wanted[header.filename], raw
    for filename, reason in scan.skipped:
        assert wanted[filename] is None or refused_on_purpose(reason), (raws[filename], reason)
    assert len(scan) > 1_000  # there is enough that can be read,
    assert len(scan.skipped) > 1_000  # and that cannot


@pytest.mark.behaviour("D4")
def test_the_manifest() -> None:
    def header(
        name: str, mtime: datetime, description: str, kind: MemoryType | None
    ) -> MemoryHeader:
        return MemoryHeader(Path(name), name, mtime, "", description, kind)

    headers = [
        header(
            "tabs.md", datetime(2026, 3, 30, 12, tzinfo=UTC), "tabs, not spaces", MemoryType.user
        ),
        header("team/x.md", datetime(2026, 3, 1, 4, 5, 6, 789, tzinfo=UTC), "no type", None),
        header("long.md", datetime(2026, 3, 1, tzinfo=UTC), "word " * 100, MemoryType.project),
    ]
    lines = format_manifest(headers).split("\n")
    assert lines[0] == "- [user] tabs.md (2026-03-30T12:00:00Z): tabs, not spaces"
    assert lines[1] == "- team/x.md (2026-03-01T04:05:06Z): no type"
    assert lines[2].startswith("- [project] long.md (2026-03-01T00:00:00Z): word word")
    assert lines[2].endswith("…")
    assert len(lines[2].split("): ")[1]) <= Settings().manifest_description_characters
    assert format_manifest([]) == ""


@needs_any_bytes_in_names
def test_whatever_a_file_is_called_the_manifest_can_be_sent(tmp_path: Path) -> None:
    for name in (b"caf\xe9.md", b"two\nlines.md", b"esc\x1b[31m.md", "👩\u200d🚒.md".encode()):
        (tmp_path / os.fsdecode(name)).write_text(HEADER.format("a"))
    manifest = format_manifest(scan_memory_files(tmp_path))
    assert len(manifest.encode().splitlines()) == 4
    assert "👩\u200d🚒.md" in manifest  # its joiner is part of the name
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", manifest)

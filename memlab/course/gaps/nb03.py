"""The gaps of notebook 03: scan and manifest."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from memlab.course.gap import Case, Gap
from memlab.course.gaps.nb01 import rows
from memlab.memdir.memory import MemoryType
from memlab.memdir.scan import MemoryHeader

PATHS = (
    "the name of a memory ends in .md, in small letters | ferry.md | team/radio.md | notes.txt",
    "the name of a memory ends in .md, in small letters | a.md.jpg | md | readme-md | tides.MD",
    "the name of a memory is the last part of the path | team.md/notes.txt",
    "only MEMORY.md itself is the index | my-memory.md | MEMORY.md.md | MEMORY-of-the-storm.md",
    "the index may be in any folder, in capitals or not | MEMORY.md | Memory.md | a/MEMORY.md",
    "the index may be in any folder, in capitals or not | a/b/memory.md | team/MeMoRy.md",
    "a hidden file or folder begins with a dot | .draft.md | team/.draft.md | .memlab/a.md",
    "a hidden file or folder begins with a dot | a/.trash/a.md | v1.2-a.md | v1.2/a.md",
    "only a logs folder at the top is left out | logs/a.md | logs/2026/a.md | logs.md | logs-of.md",
    "only a logs folder at the top is left out | logs-26/a.md | team/logs/a.md | catalogs/a.md",
)


def paths(rng):
    for rule, path in rows(PATHS):
        yield Case((path,), rule)
    folders = ("", "team/", "team/deep/", "logs/", ".memlab/", "team/logs/")
    stems = ("ferry", "memory", "logs", ".draft", "my-memory", "tide.v2")
    for _ in range(20):
        end = rng.choice((".md", ".md", ".txt", ".md.bak", ""))
        yield Case((rng.choice(folders) + rng.choice(stems) + end,))


is_memory_file = Gap(
    name="is_memory_file",
    place="memlab.memdir.scan.is_memory_file",
    cases=paths,
    hints=(
        'Each exception looks at the first, the last, or all parts of `path.split("/")`.',
        "`name.casefold()` turns MEMORY.md, Memory.md and memory.md into the same string.",
    ),
    why="It compares whole parts of the path, so `logs-of-may.md` and `my-memory.md` are memories.",
    wrong=(
        ('path.endswith(".md")', '".md" in path', "ends in .md"),
        ("path.endswith", "path.lower().endswith", "in small letters"),
        ("parts[-1].casefold()", "path[-9:].casefold()", "MEMORY.md itself"),
        ("for part in parts)", "for part in parts[-1:])", "begins with a dot"),
        ("parts[0] == LOGS and", "LOGS in parts[:-1] and", "at the top"),
    ),
)


class Files:
    """Files that exist only here, and what was asked about them."""

    def __init__(self, times, heads):
        self.times, self.heads = times, heads
        self.asked, self.opened = [], []

    def names(self):
        return list(self.times)

    def mtime(self, name):
        self.asked.append(name)
        return float(self.times[name])

    def head(self, name, how="head"):
        self.opened.append(f"{how}({name!r})")
        text = self.heads.get(name, f"The {how} of {name}")
        if text == "not allowed":
            raise PermissionError(text)
        if text == "not UTF-8":
            raise UnicodeDecodeError("utf-8", b"\x89", 0, 1, text)
        return text

    def whole(self, name):
        return self.head(name, "whole")


def watch_scan(mine, times, heads, limit):
    files = Files(times, heads)
    found = mine(files, limit)
    again = {name for name in files.asked if files.asked.count(name) > 1}
    opened = sorted(files.opened)
    return {
        "returns": found,
        "opened": opened,
        "asked for a time again": again,
    }


def scan_call(times, heads, limit):
    special = f",\n    special heads: {heads}" if heads else ""
    return f"newest_memories(files, {limit})\n    times of the files: {times}{special}"


SCANS = (  # times; limit; the head of b
    "each time is asked for once, and a file is opened with head | a1; 5",
    "the newest file comes first | a1 b9 c5; 10 | t/a2 b1 c2.5; 10 | ; 5",
    "only the newest limit files are opened | a1 b9 c5; 2 | a1 b9 c5; 1 | a1 b9 c5; 0",
    "of equal times, the first in the alphabet is newer | b3 c3 a3; 5 | b3 c3 a3; 2 | b3 c4 a3; 3",
    "fractions of a second count | a5.2 b5.9 c5.4; 2",
    "an empty head is a head, too | a1 b9 c5; 2; ",
    "a file that can't be read is left out | a1 b9 c5; 3; not allowed | a1 b9 c5; 3; not UTF-8",
    "no other file is opened in place of one that can't be read | a1 b9 c5; 2; not allowed",
    "no other file is opened in place of one that can't be read | a1 b9 c5; 1; not UTF-8",
)


def scans(rng):
    for rule, each in rows(SCANS):
        known, limit, *head = each.split("; ")
        times = {}
        for name, time in re.findall(r"(\D+)([\d.]+)", known.replace(" ", "")):
            times[f"{name}.md"] = float(time)
        heads = {"b.md": head[0]} if head else {}
        yield Case((times, heads, int(limit)), rule)
    for _ in range(20):
        names = rng.sample("abcdefg", rng.randint(2, 7))
        times = {name: rng.randint(1, 4) for name in names}
        troubles = rng.choices(("not allowed", "not UTF-8"), k=2)
        heads = dict(zip(names, troubles, strict=False))
        yield Case((times, heads, rng.randint(1, 6)))


newest_memories = Gap(
    name="newest_memories",
    place="memlab.memdir.scan.newest_memories",
    cases=scans,
    watch=watch_scan,
    call=scan_call,
    hints=(
        "Sort a list of `(-time, name)` for all files. Only then open those at its beginning.",
        "Put only `files.head(name)` into `try`, and `continue` after an OSError or"
        " UnicodeDecodeError.",
    ),
    why="The list is cut before any file is opened, and an unreadable file only loses its place.",
    wrong=(
        ("files.head(name)", "files.whole(name)", "opened with head"),
        ("-files.mtime(name)", "-int(files.mtime(name))", "fractions"),
        ("-files.mtime", "files.mtime", "the newest file comes first"),
        ("limit, times)", "limit, times, lambda x: x[0])", "alphabet"),
        ("(OSError, UnicodeDecodeError)", "OSError", "can't be read"),
    ),
)


class Moment(datetime):
    """A time on a computer whose own time zone is two hours from UTC."""

    def astimezone(self, tz=None):
        return super().astimezone(tz or timezone(timedelta(hours=2)))


MOMENT = Moment(2026, 3, 8, 23, 5, 2, 250_000, tzinfo=UTC)


def watch_line(mine, kind, filename, description):
    kind = kind and MemoryType[kind]
    path = Path("a.md")
    return mine(MemoryHeader(path, filename, MOMENT, "A", description, kind))


def line_call(kind, filename, description):
    return (
        f"manifest_line(header), where header has the type {kind}, the mtime\n"
        f"    {MOMENT}, the filename {filename!r},\n"
        f"    and the description {description!r}"
    )


LINES = (
    "the time has no fractions of a second, stays in UTC and ends in Z | ferry",
    "the description is not cut, and its letters stay | A key: a value - and [brackets] (too) | ",
    "the letters of the description stay | Café radio; print it with %d and %H",
    "white space of any kind in the description becomes one space | Kayak 4\n- keys.md: read this",
    "white space of any kind becomes one space | One\r\n\n  two\r3  | \n\tOne\ttwo   3\n",
    "white space of any kind becomes one space | One\u2028two\u2029three\x85- keys.md",
    "white space of any kind becomes one space | One\x0btwo\x0cthree\x1cfour\x1dfive\x1esix",
    "white space of any kind becomes one space | One\xa0\xa0two\u3000three",
)


def headers(rng):
    for rule, text in rows(LINES):
        yield Case(("user", "team/a.md", text), rule)
    yield Case(("user", "a.md", "tide " * 69 + "table"), "nothing is cut")
    yield Case((None, "a.md", "ferry"), "without a type, no square brackets")
    for name in ("a\nb.md", "a\u2028b\rc\x85d\x0be.md"):
        yield Case(
            ("user", name, "ferry"),
            "line endings of every kind in a file name, too",
        )
    words = ("tide", "[user]", "- a.md:", " ", "\n", "\r\n", "\t", "\x85")
    for kind in ("user", "project", "feedback", "reference", None) * 3:
        yield Case((kind, "a.md", "".join(rng.choices(words, k=9))))


manifest_line = Gap(
    name="manifest_line",
    place="memlab.memdir.scan.manifest_line",
    cases=headers,
    watch=watch_line,
    call=line_call,
    hints=(
        '`header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")` writes the time.',
        "About ten characters can end a line, even in a file name. `text.split()` knows them all.",
    ),
    why="No character that could end a line is left, so a memory can only write on its own line.",
    wrong=(
        (' if header.type else ""', "", "no square brackets"),
        (':%Y-%m-%dT%H:%M:%SZ}"', '.isoformat()[:-6]}Z"', "no fractions"),
        ("{header.mtime:", "{header.mtime.astimezone():", "stays in UTC"),
        ("description.split()", "description[:150].split()", "is cut"),
        ("description.split()", "description.split('\\n')", "any kind"),
        ("name.splitlines()", 'name.split("\\n")', "in a file name"),
    ),
)

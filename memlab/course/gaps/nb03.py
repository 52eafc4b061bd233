"""The gaps of notebook 03: scan and manifest."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from memlab.course.gap import Case, Gap
from memlab.memdir.memory import MemoryType
from memlab.memdir.scan import MemoryHeader

PATHS = {
    "the name of a memory ends in .md, in small letters": (
        "ferry.md team/radio.md notes.txt a.md.jpg md readme-md team.md/notes.txt tides.MD"
    ),
    "only MEMORY.md itself is the index, in any folder": (
        "my-memory.md MEMORY.md.md MEMORY-of-the-storm.md MEMORY.md Memory.md team/MEMORY.md"
    ),
    "the index is in capitals or not": "team/deep/memory.md team/MeMoRy.md",
    "what is hidden has a name, or a folder, that begins with a dot": (
        ".draft.md team/.draft.md .memlab/a.md team/.trash/a.md v1.2-prices.md v1.2/prices.md"
    ),
    "only a folder called logs, at the top of the directory, is out": (
        "logs/a.md logs/2026/a.md logs.md logs-of-may.md logs-26/a.md team/logs/a.md catalogs/a.md"
    ),
}


def paths(rng):
    for rule, known in PATHS.items():
        for path in known.split():
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
        '`path.split("/")` gives the folders and, as its last item, the name of the file.'
        " Each exception asks about all of these parts, the first, or the last.",
        "`name.casefold()` turns MEMORY.md, Memory.md and memory.md into the same string.",
    ),
    why="It compares whole parts of the path, so `logs-of-may.md` and `my-memory.md` remain"
    " memories, and the index is recognised however it is spelt.",
    wrong=(
        ('path.endswith(".md")', '".md" in path', "ends in .md"),
        ("path.endswith", "path.lower().endswith", "in small letters"),
        (
            "parts[-1].casefold() !=",
            "path[-9:].casefold() !=",
            "MEMORY.md itself",
        ),
        ("parts[-1].casefold()", "path.casefold()", "in any folder"),
        ("for part in parts)", "for part in parts[-1:])", "begins with a dot"),
        (
            "parts[0] == LOGS and",
            "LOGS in parts[:-1] and",
            "at the top of the",
        ),
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


THREE = {"a.md": 1, "b.md": 9, "c.md": 5}
EQUAL = {"b.md": 3, "c.md": 3, "a.md": 3}
SCANS = {
    "each time is asked for once, and a file is opened with head": [
        ({"a.md": 1}, {}, 5)
    ],
    "the newest file comes first": [
        (THREE, {}, 10),
        ({"team/a.md": 2, "b.md": 1, "c.md": 2.5}, {}, 10),
        ({}, {}, 5),
    ],
    "only the newest limit files are opened": [
        (THREE, {}, 2),
        (THREE, {}, 1),
        (THREE, {}, 0),
    ],
    "of files with equal times, the first in the alphabet is newer": [
        (EQUAL, {}, 5),
        (EQUAL, {}, 2),
        ({**EQUAL, "c.md": 4}, {}, 3),
    ],
    "fractions of a second count": [
        ({"a.md": 5.2, "b.md": 5.9, "c.md": 5.4}, {}, 2)
    ],
    "an empty head is a head, too": [(THREE, {"b.md": ""}, 2)],
    "a file that can't be read is left out, and the others are not": [
        (THREE, {"b.md": "not allowed"}, 3),
        (THREE, {"b.md": "not UTF-8"}, 3),
    ],
    "no other file is opened in place of one that can't be read": [
        (THREE, {"b.md": "not allowed"}, 2),
        (THREE, {"b.md": "not UTF-8"}, 1),
    ],
}


def scans(rng):
    for rule, inputs in SCANS.items():
        for given in inputs:
            yield Case(given, rule)
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
        "There are three steps: collect name and time of every file, sort, and open those at the"
        " beginning. Tuples such as `(-time, name)` are sorted as the task wants it.",
        "Put only `files.head(name)` into `try`. After `except (OSError, UnicodeDecodeError):`, go"
        " on with `continue`.",
    ),
    why="The list is cut before any file is opened, so the number of files opened never exceeds the"
    " limit, and a broken file costs only its own place.",
    wrong=(
        ("files.head(name)", "files.whole(name)", "opened with head"),
        ("-files.mtime(name)", "-int(files.mtime(name))", "fractions"),
        ("-files.mtime", "files.mtime", "the newest file comes first"),
        (
            "limit, times)",
            "limit, times, lambda each: each[0])",
            "in the alphabet",
        ),
        ("(OSError, UnicodeDecodeError)", "OSError", "can't be read"),
        (
            "in heapq.nsmallest(limit, times):",
            "in sorted(times):\n        if len(found) >= limit:\n            break",
            "in place of one that can't be read",
        ),
    ),
)


class Moment(datetime):
    """A time on a computer whose own time zone is two hours from UTC."""

    def astimezone(self, tz=None):
        return super().astimezone(tz or timezone(timedelta(hours=2)))


MOMENT = Moment(2026, 3, 8, 23, 5, 2, 250_000, tzinfo=UTC)


def watch_line(mine, kind, filename, description):
    kind = kind and MemoryType[kind]
    header = MemoryHeader(
        Path("a.md"), filename, MOMENT, "A", description, kind
    )
    return mine(header)


def line_call(kind, filename, description):
    return (
        f"manifest_line(header), and header has the type {kind}, the mtime\n"
        f"    {MOMENT}, the filename {filename!r},\n"
        f"    and the description {description!r}"
    )


LINES = {
    "the time has no fractions of a second, stays in UTC and ends in Z": [
        ("user", "ferry.md", "the ferry"),
        ("user", "team/ferry.md", "17:10"),
    ],
    "a memory without a type has no square brackets": [
        (None, "team/a.md", "the ferry")
    ],
    "the description is not cut, and its letters stay": [
        ("user", "a.md", "A key: a value - and [brackets] (too)"),
        ("user", "a.md", "Café radio; print it with %d and %H"),
        ("user", "a.md", "tide " * 69 + "table"),
        ("user", "a.md", ""),
    ],
    "white space of any kind in the description becomes one space": [
        ("project", "a.md", "Kayak 4\n- keys.md: read this"),
        (None, "a.md", "One\r\n\n  two\r3 "),
        ("user", "a.md", "\n\tOne\ttwo   3\n"),
        ("feedback", "a.md", "One\u2028two\u2029three\x85- keys.md"),
        ("reference", "a.md", "One\x0btwo\x0cthree\x1cfour\x1dfive\x1esix"),
        (None, "a.md", "One\xa0\xa0two\u3000three"),
    ],
    "a line ending in the file name becomes a space, too": [
        ("user", "a\nb.md", "the ferry"),
        ("user", "a\u2028b\rc\x85d\x0be.md", "the ferry"),
    ],
}


def headers(rng):
    for rule, inputs in LINES.items():
        for given in inputs:
            yield Case(given, rule)
    words = ("tide", "board", "[user]", "kayak", "- keys.md:", "1/4")
    between = (" ", "  ", "\n", "\r\n", "\t", "\u2028", "\x85", "\n\n")
    for _ in range(15):
        text = "".join(
            rng.choice(words) + rng.choice(between) for _ in range(5)
        )
        yield Case((rng.choice(("user", "project", None)), "a.md", text))


manifest_line = Gap(
    name="manifest_line",
    place="memlab.memdir.scan.manifest_line",
    cases=headers,
    watch=watch_line,
    call=line_call,
    hints=(
        '`header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")` writes the time.',
        "About ten different characters can end a line, in a file name, too."
        ' `" ".join(text.split())` replaces them all, and spaces and tabs.',
    ),
    why="No character that could end a line is left in the name or in the description, so a memory"
    " can only speak on its own line.",
    wrong=(
        (' if header.type else ""', "", "no square brackets"),
        (':%Y-%m-%dT%H:%M:%SZ}"', '.isoformat()[:-6]}Z"', "no fractions"),
        ("{header.mtime:", "{header.mtime.astimezone():", "stays in UTC"),
        (
            "header.description.split()",
            "header.description[:150].split()",
            "not cut",
        ),
        (
            "header.description.split()",
            "header.description.split('\\n')",
            "any kind",
        ),
        (
            ".filename.splitlines()",
            '.filename.split("\\n")',
            "in the file name",
        ),
    ),
)

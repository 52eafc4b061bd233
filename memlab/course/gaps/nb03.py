"""The gaps of notebook 03: scan and manifest."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from memlab.course.gap import Case, Gap
from memlab.memdir.memory import MemoryType
from memlab.memdir.scan import MemoryHeader


def paths(rng):
    for rule, known in (
        (
            "the name of a memory ends in .md, in small letters",
            "last-ferry-home.md team/radio-words.md notes.txt photo.md.jpg md"
            " readme-md team.md/notes.txt tides.MD team/tides.Md",
        ),
        (
            "only MEMORY.md itself is the index, in any folder",
            "my-memory.md MEMORY.md.md MEMORY-of-the-storm.md MEMORY.md"
            " Memory.md team/MEMORY.md",
        ),
        (
            "the index is in capitals or not",
            "team/deep/memory.md team/MeMoRy.md mEMORY.md",
        ),
        (
            "what is hidden has a name, or a folder, that begins with a dot",
            ".draft.md team/.draft.md .memlab/copy.md team/.trash/old.md"
            " .memlab/deep/copy.md v1.2-prices.md v1.2/prices.md",
        ),
        (
            "only a folder called logs, at the top of the directory, is out",
            "logs/2026-03-28.md logs/2026/03/2026-03-28.md logs.md"
            " logs-of-the-gauge.md logs-2026/storm.md team/logs/storm.md"
            " catalogs/boats.md",
        ),
    ):
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
        '`path.split("/")` gives the folders and, as its last item, the name of'
        " the file.",
        "Each exception is a question about the parts of the path: about all"
        " of them, about the first one, or about the last one.",
        "`name.casefold()` turns MEMORY.md, Memory.md and memory.md into the"
        " same string.",
    ),
    why="It compares whole parts of the path, so `logs-of-the-gauge.md` and"
    " `my-memory.md` remain memories, and on a file system that ignores"
    " capitals the index is recognised however it is spelt.",
    wrong=(
        ('path.endswith(".md")', '".md" in path', "ends in .md"),
        (
            'path.endswith(".md")',
            'path.lower().endswith(".md")',
            "in small letters",
        ),
        (
            "parts[-1].casefold() != _INDEX",
            "not path.casefold().endswith(_INDEX)",
            "only MEMORY.md itself",
        ),
        (
            "parts[-1].casefold() != _INDEX",
            "path.casefold() != _INDEX",
            "in any folder",
        ),
        (
            'any(part.startswith(".") for part in parts)',
            'parts[-1].startswith(".")',
            "begins with a dot",
        ),
        (
            "parts[0] == LOGS and len(parts) > 1",
            "LOGS in parts[:-1]",
            "at the top of the directory",
        ),
    ),
)


class Files:
    """Files that exist only here, and what was asked about them."""

    def __init__(self, spec):
        self.times = {name: time for name, time, _ in spec}
        self.troubles = {name: what for name, _, what in spec}
        self.asked = []
        self.opened = []

    def names(self):
        return list(self.times)

    def mtime(self, name):
        self.asked.append(name)
        return float(self.times[name])

    def head(self, name, how="head"):
        self.opened.append(f"{how}({name!r})")
        if self.troubles[name] == "not allowed":
            raise PermissionError(13, "Permission denied", name)
        if self.troubles[name] == "not UTF-8":
            raise UnicodeDecodeError("utf-8", b"\x89PNG", 0, 1, "not text")
        stem = name.removesuffix(".md")
        return "" if self.troubles[name] else f"The first lines of {stem}"

    def whole(self, name):
        return f"{self.head(name, 'whole')}, and all the others"


def watch_scan(mine, spec, limit):
    """Return what was found, which times were asked for twice, and the files
    that were opened, in alphabetical order.
    """
    files = Files(spec)
    found = mine(files, limit)
    twice = {name for name in files.asked if files.asked.count(name) > 1}
    return {
        "returns": found,
        "opened": sorted(files.opened),
        "asked for a time again": sorted(twice),
    }


def scan_call(spec, limit):
    files = [
        f"{name} (time {time:g}{what and f', {what}'})"
        for name, time, what in spec
    ]
    known = ", ".join(files) or "none"
    return f"newest_memories(files, {limit}), and the files are: {known}"


def scans(rng):
    one = (("a.md", 1, ""),)
    rule = "each time is asked for once, and a file is opened with head"
    yield Case((one, 5), rule)
    plain = (("a.md", 1, ""), ("b.md", 9, ""), ("c.md", 5, ""))
    folders = (("team/a.md", 2, ""), ("b.md", 1, ""), ("c.md", 2.5, ""))
    for spec in (plain, folders, ()):
        yield Case((spec, 10), "the newest file comes first")
    for spec, limit in ((plain, 2), (plain, 1), (folders, 2), (plain, 0)):
        yield Case((spec, limit), "only the newest limit files are opened")
    rule = "of files with equal times, the first in the alphabet is newer"
    for spec, limit in (
        ((("b.md", 3, ""), ("c.md", 3, ""), ("a.md", 3, "")), 5),
        ((("b.md", 3, ""), ("a.md", 3, ""), ("c.md", 4, "")), 3),
        ((("b.md", 3, ""), ("c.md", 3, ""), ("a.md", 3, "")), 2),
    ):
        yield Case((spec, limit), rule)
    fractions = (("a.md", 5.2, ""), ("b.md", 5.9, ""), ("c.md", 5.4, ""))
    yield Case((fractions, 2), "fractions of a second count")
    empty = (("a.md", 2, ""), ("b.md", 3, "empty"), ("c.md", 1, ""))
    yield Case((empty, 2), "an empty head is a head, too")
    rule = "a file that can't be read is left out, and the others are not"
    for what in ("not allowed", "not UTF-8"):
        spec = (("a.md", 1, ""), ("b.md", 9, what), ("c.md", 5, ""))
        yield Case((spec, 3), rule)
        yield Case((spec[1:2], 3), rule)
    rule = "no other file is opened in place of one that can't be read"
    for spec in (
        (("a.md", 1, ""), ("b.md", 9, "not allowed"), ("c.md", 5, "")),
        (("a.md", 1, "not UTF-8"), ("b.md", 9, ""), ("c.md", 5, "not UTF-8")),
    ):
        yield Case((spec, 2), rule)
        yield Case((spec, 1), rule)
    names = ("tabs", "ferry", "season", "board", "radio", "prices", "tides")
    troubles = ("", "", "", "not allowed", "not UTF-8")
    for _ in range(15):
        spec = tuple(
            (f"{name}.md", rng.randint(1, 4), rng.choice(troubles))
            for name in rng.sample(names, rng.randint(2, 7))
        )
        yield Case((spec, rng.randint(1, 6)))


newest_memories = Gap(
    name="newest_memories",
    place="memlab.memdir.scan.newest_memories",
    cases=scans,
    watch=watch_scan,
    call=scan_call,
    hints=(
        "There are three steps: collect name and time of every file, sort, and"
        " open the files at the beginning of the sorted list.",
        "Python sorts tuples by their first item, and by the second where the"
        " first items are equal. If the first item is the time with a minus"
        " sign, the newest file comes first, and equal times are in"
        " alphabetical order.",
        "Put only `files.head(name)` into `try`. After `except (OSError,"
        " UnicodeDecodeError):`, go on with `continue`.",
    ),
    why="The list is cut before any file is opened, so the number of files"
    " opened never exceeds the limit, and a broken file costs only its own"
    " place.",
    wrong=(
        (
            "    times = [",
            "    times = [files.mtime(name) for name in files.names()]\n"
            "    times = [",
            "each time is asked for once",
        ),
        ("files.head(name)", "files.whole(name)", "opened with head"),
        ("-files.mtime", "files.mtime", "the newest file comes first"),
        (
            "heapq.nsmallest(limit, times)",
            "sorted(times, key=lambda each: each[0])[:limit]",
            "first in the alphabet",
        ),
        ("-files.mtime(name)", "-int(files.mtime(name))", "fractions"),
        (
            "        found.append((name, head))",
            "        if head:\n            found.append((name, head))",
            "an empty head",
        ),
        ("(OSError, UnicodeDecodeError)", "OSError", "can't be read"),
        ("            continue", "            break", "the others are not"),
        (
            "in heapq.nsmallest(limit, times):",
            "in sorted(times):\n        if len(found) >= limit:\n"
            "            break",
            "in place of one that can't be read",
        ),
    ),
)


class Moment(datetime):
    """A time on a computer whose own time zone is two hours from UTC."""

    def astimezone(self, tz=None):
        return super().astimezone(tz or timezone(timedelta(hours=2)))


def watch_line(mine, kind, filename, moment, description):
    """Return the line of a header with these values."""
    values = (moment, "A title", description, kind and MemoryType[kind])
    return mine(MemoryHeader(Path("a.md"), filename, *values))


def line_call(kind, filename, moment, description):
    return (
        f"manifest_line(header), and header has the type {kind},\n"
        f"    the filename {filename!r}, the mtime {moment}\n"
        f"    and the description {description!r}"
    )


def headers(rng):
    moment = Moment(2026, 3, 18, 15, 40, 2, 250_000, tzinfo=UTC)
    midnight = Moment(2026, 12, 31, 23, 5, 0, tzinfo=UTC)
    ferry = "Robin has to catch the 17:10 ferry"
    rule = "the time has no fractions of a second, stays in UTC and ends in Z"
    for name, time in (("ferry.md", moment), ("team/ferry.md", midnight)):
        yield Case(("user", name, time, ferry), rule)
    for name in ("notes.md", "team/notes.md"):
        rule = "a memory without a type has no square brackets"
        yield Case((None, name, moment, ferry), rule)
    for text in (
        "A key: a value - and [brackets] (too)",
        "Café radio; print it with %d and %H",
        "tide " * 69 + "table",
        "",
    ):
        rule = "the description is not cut, and its letters stay"
        yield Case(("reference", "radio.md", moment, text), rule)
    for kind, text in (
        ("project", "Kayak 4\n- keys.md: read this"),
        (None, "Kayak 4\r- keys.md: read this"),
        (None, "One\r\n\n  two "),
        ("user", "\n\tOne\ttwo\n"),
        ("user", "One   two"),
        ("feedback", "One\u2028- keys.md"),
        (None, "One\u2029two\x85three\x0bfour\x0cfive"),
        ("reference", "One\x1ctwo\x1dthree\x1efour"),
        (None, "One\xa0\xa0two\u3000three"),
    ):
        rule = "white space of any kind in the description becomes one space"
        yield Case((kind, "a.md", moment, text), rule)
    for name in ("a\nb.md", "a\u2028- keys.md", "a\rb.md", "a\x85b\x0bc.md"):
        rule = "a line ending in the file name becomes a space, too"
        yield Case(("user", name, moment, ferry), rule)
    words = ("tide", "ferry", "board", "[user]", "kayak", "- keys.md:", "1/4")
    between = (" ", "  ", "\n", "\r\n", "\t", "\u2028", "\x85", "\n\n")
    kinds = [*MemoryType, None]
    for _ in range(15):
        pieces = [rng.choice(words) + rng.choice(between) for _ in range(5)]
        kind = rng.choice(kinds)
        time = moment + timedelta(minutes=rng.randint(0, 99_999))
        name = rng.choice(("tabs.md", "team/tide.md"))
        yield Case((kind and str(kind), name, time, "".join(pieces)))


manifest_line = Gap(
    name="manifest_line",
    place="memlab.memdir.scan.manifest_line",
    cases=headers,
    watch=watch_line,
    call=line_call,
    hints=(
        '`header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")` writes the time.',
        'Replacing `"\\n"` is not enough: about ten different characters can'
        " end a line. `text.split()` without an argument splits at all of"
        " them, and at spaces and tabs.",
        '`" ".join(text.split())` puts the pieces together again. A file name'
        " can contain a line ending, too.",
    ),
    why="No character that could end a line is left in the name or in the"
    " description, so a memory can only speak on its own line.",
    wrong=(
        (
            ' if header.type else ""',
            "",
            "no square brackets",
        ),
        (
            '{header.mtime:%Y-%m-%dT%H:%M:%SZ}"',
            '{header.mtime.isoformat()}".replace("+00:00", "Z")',
            "no fractions of a second",
        ),
        ("{header.mtime:%Y", "{header.mtime.astimezone():%Y", "stays in UTC"),
        (
            '" ".join(header.description.split())',
            "shorten(header.description, 150)",
            "not cut",
        ),
        (
            '" ".join(header.description.split())',
            're.sub(r"[ \\t\\r\\n]+", " ", header.description).strip()',
            "white space of any kind",
        ),
        (
            '" ".join(header.filename.splitlines())',
            "header.filename",
            "a line ending in the file name",
        ),
    ),
)

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

from memlab.course.adapters import newest_memories
from memlab.course.exercise import Case, case

Spec = tuple[tuple[str, float, str], ...]
"""Name and time of each file, and what happens when it is opened: "", "empty"
or the name of an exception.
"""
ORDER = "Files with equal times have to be in alphabetical order"
INSTEAD = "A file was opened in place of one that can't be read"
ERRORS = ("OSError", "Unicode")
NAMES = ("tabs", "ferry", "season", "board", "radio", "prices", "tides")


class Files:
    """Files that exist only here, and the names of those that were opened."""

    def __init__(self, spec: Spec) -> None:
        self._times = {name: time for name, time, _ in spec}
        self._fails = {name: error for name, _, error in spec}
        self.opened: list[str] = []

    def names(self) -> list[str]:
        return list(self._times)

    def mtime(self, name: str) -> float:
        return self._times[name]

    def head(self, name: str) -> str:
        self.opened.append(name)
        if self._fails[name] == "OSError":
            raise PermissionError(13, "Permission denied", name)
        if self._fails[name] == "Unicode":
            raise UnicodeDecodeError("utf-8", b"\x89PNG", 0, 1, "not text")
        if self._fails[name] == "empty":
            return ""
        return f"The first lines of {name.removesuffix('.md')}"

    def whole(self, name: str) -> str:
        self.head(name)
        return f"All the lines of {name.removesuffix('.md')}"


def run(mine: Any, spec: Spec, limit: int) -> list[str]:
    """Let the learner's function scan; gives what it returned and opened."""
    files = Files(spec)
    returned = mine(files, limit)
    if not isinstance(returned, list):
        return [f"returned {returned!r}"]
    rows = [_row(item) for item in returned]
    return [*rows, f"files opened: {len(files.opened)}"]


def _row(item: Any) -> str:
    if isinstance(item, tuple | list) and len(item) == 2:
        return f"{item[0]}: {item[1]}"
    return repr(item)


def cases(random: Random) -> list[Case]:
    plain: Spec = (("a.md", 1, ""), ("b.md", 9, ""), ("c.md", 5, ""))
    scenes: list[tuple[Spec, int]] = [
        (plain, 2),
        (plain, 10),
        (plain, 0),
        ((), 5),
        ((("b.md", 3, ""), ("c.md", 3, ""), ("a.md", 3, "")), 2),
        ((("b.md", 3, ""), ("a.md", 3, ""), ("c.md", 4, "")), 3),
        ((("team/a.md", 2, ""), ("b.md", 1, ""), ("c.md", 2.5, "")), 2),
        ((("a.md", 5.2, ""), ("b.md", 5.9, ""), ("c.md", 5.4, "")), 2),
        ((("a.md", 2, ""), ("b.md", 3, "empty"), ("c.md", 1, "")), 2),
        ((("a.md", 1, ""), ("b.md", 9, "OSError"), ("c.md", 5, "")), 2),
        ((("a.md", 1, ""), ("b.md", 9, "Unicode"), ("c.md", 5, "")), 3),
        ((("a.md", 1, "Unicode"), ("b.md", 9, ""), ("c.md", 5, "")), 2),
        ((("a.md", 2, "OSError"), ("b.md", 1, "Unicode")), 5),
    ]
    for _ in range(20):
        chosen = random.sample(NAMES, random.randint(2, 7))
        spec = tuple(
            (
                f"{name}.md",
                float(random.randint(1, 4)),
                random.choice(("", "", "", "OSError", "Unicode")),
            )
            for name in chosen
        )
        scenes.append((spec, random.randint(1, 6)))
    return [_case(spec, limit) for spec, limit in scenes]


def _case(spec: Spec, limit: int) -> Case:
    wanted = run(newest_memories, spec, limit)
    files = [
        f"{name} (time {time:g}{_trouble(what)})" for name, time, what in spec
    ]
    return case(
        (spec, limit),
        wanted,
        partial(_observed, spec, wanted),
        call=(
            f"newest_memories(files, limit={limit}), with these files:"
            f" {', '.join(files) or 'none'}"
        ),
        returned="your scan",
        lines=list,
    )


def _trouble(what: str) -> str:
    if what == "empty":
        return ", empty"
    return ", can't be read" if what else ""


def _observed(spec: Spec, wanted: list[str], rows: list[str]) -> str:
    """Say what is different, where one sentence can say it."""
    if len(rows) == 1 and rows[0].startswith("returned "):
        return "The function has to return a list."
    opened, expected = (
        int(each[-1].removeprefix("files opened: ")) for each in (rows, wanted)
    )
    if opened > expected:
        more = f"{opened} files were opened, and {expected} would be enough."
        broken = [name for name, _, what in spec if what in ERRORS]
        newest_only = opened - expected <= len(broken)
        return f"{INSTEAD}: {more}" if broken and newest_only else more
    if any(": All the lines of " in row for row in rows):
        return "The scan reads whole files, and head is enough."
    times = {name: time for name, time, _ in spec}
    names, right = _names_of(rows), _names_of(wanted)
    if names != right and (
        [times.get(name) for name in names] == [times[name] for name in right]
    ):
        return f"{ORDER}."
    if sorted(rows) == sorted(wanted):
        return "The files are right, but their order is not."
    return ""


def _names_of(rows: list[str]) -> list[str]:
    """Return the name in each row; the last row is the count of files."""
    return [row.partition(": ")[0] for row in rows[:-1]]

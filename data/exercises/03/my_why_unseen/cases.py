from __future__ import annotations

from collections.abc import Sequence
from random import Random

from memlab.course import Case, case, newest_memories

_TIES = "equal times are ordered by name, from a to z"
_CAP = "the cap is taken after sorting, so that the newest stay"
_NAMES = [
    "tabs",
    "ferry",
    "season",
    "board",
    "radio",
    "prices",
    "tides",
    "view",
]


Known = tuple[str, int, bool]


def _why(files: Sequence[Known], name: str, limit: int) -> str:
    there = {known: readable for known, _, readable in files}
    if name not in there:
        return "no such file"
    if not newest_memories([(name, 0)], 1):
        return "never a memory"
    if name not in newest_memories(
        [(known, mtime) for known, mtime, _ in files], limit
    ):
        return "too old"
    return "seen" if there[name] else "not readable"


def cases(random: Random) -> list[Case]:
    some: list[Known] = [
        ("a.md", 3, True),
        ("b.md", 2, False),
        ("MEMORY.md", 9, True),
    ]
    fixed = [
        (some, "a.md", 2, "it is among the newest and can be read"),
        (
            some,
            "b.md",
            2,
            "it is among the newest, and its header cannot be read",
        ),
        (some, "b.md", 1, "a file beyond the cap is not even opened"),
        (some, "MEMORY.md", 9, "the index is no memory, however new it is"),
        (some, "c.md", 9, "a file has to be there first"),
    ]
    found = [case((f, n, m), _why(f, n, m), slip) for f, n, m, slip in fixed]
    for _ in range(20):
        files: list[Known] = [
            (f"{name}.md", random.randint(1, 9), random.random() < 0.8)
            for name in random.sample(_NAMES, 6)
        ]
        wanted, limit = random.choice(files)[0], random.randint(1, 6)
        found.append(
            case(
                (files, wanted, limit),
                _why(files, wanted, limit),
                f"{_CAP}; {_TIES}",
            )
        )
    return found

from __future__ import annotations

from random import Random

from memlab.course import Case, case, newest_memories

_ORDER = "newest first: the largest time comes first"
_TIES = "equal times are ordered by name, from a to z"
_LEFT_OUT = "MEMORY.md at any level, dot-files, logs/ and what is no .md file do not count"
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


def cases(random: Random) -> list[Case]:
    fixed = [
        ([("old.md", 1), ("new.md", 9)], 5, _ORDER),
        ([("b.md", 3), ("a.md", 3), ("c.md", 3)], 5, _TIES),
        ([("MEMORY.md", 9), ("team/MEMORY.md", 9), ("a.md", 1)], 5, _LEFT_OUT),
        (
            [
                (".draft.md", 9),
                ("logs/2026/x.md", 9),
                ("notes.txt", 9),
                ("a.md", 1),
            ],
            5,
            _LEFT_OUT,
        ),
        (
            [("team/a.md", 2), ("b.md", 1)],
            5,
            "sub-folders count, team/ included",
        ),
        ([("a.md", 1), ("b.md", 2), ("c.md", 3)], 2, _CAP),
        ([], 5, "an empty directory has no memories"),
    ]
    found = [case((e, n), newest_memories(e, n), slip) for e, n, slip in fixed]
    for _ in range(25):
        entries = [
            (
                random.choice(("", "team/", "deep/er/", "logs/"))
                + f"{name}.md",
                random.randint(1, 6),
            )
            for name in random.sample(_NAMES, random.randint(1, 8))
        ]
        limit = random.randint(1, 6)
        found.append(
            case(
                (entries, limit),
                newest_memories(entries, limit),
                f"{_ORDER}; {_TIES}; {_CAP}",
            )
        )
    return found

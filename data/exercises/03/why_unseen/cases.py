from __future__ import annotations

from collections.abc import Sequence
from random import Random

from memlab.course.exercise import Case, case
from memlab.memdir.scan import is_memory_file

File = tuple[str, int, bool]
PLACES = "a memory that cannot be read takes one of the places"
NOT_COUNTED = "files that are not memories take no place"
FULL_PATH = "two files in different folders may have the same name"
TIES = "of two equal times, the path that comes first in the alphabet is newer"
ORDER = "the first answer that is true is the right one"
PATHS = (
    "tabs.md",
    "ferry.md",
    "team/season.md",
    "team/MEMORY.md",
    "MEMORY.md",
    "logs/2026-03-28.md",
    ".draft.md",
    "board.md",
    "notes.txt",
)


def _why(files: Sequence[File], path: str, limit: int) -> str:
    there = {known: readable for known, _, readable in files}
    if path not in there:
        return "no such file"
    if not is_memory_file(path):
        return "not a memory"
    newest = sorted(
        (-time, known) for known, time, _ in files if is_memory_file(known)
    )
    if path not in [known for _, known in newest[:limit]]:
        return "too old"
    return "listed" if there[path] else "not readable"


def cases(random: Random) -> list[Case]:
    some: list[File] = [
        ("a.md", 3, True),
        ("b.md", 2, False),
        ("MEMORY.md", 9, True),
        ("logs/today.md", 8, True),
        ("old.md", 1, True),
    ]
    equal: list[File] = [
        ("c.md", 5, True),
        ("b.md", 5, True),
        ("a.md", 4, True),
    ]
    namesakes: list[File] = [
        ("a.md", 3, True),
        ("team/a.md", 2, True),
        ("b.md", 1, True),
        ("team/notes.md", 0, True),
    ]
    fixed = [
        (some, "a.md", 1, NOT_COUNTED),
        (some, "a.md", 2, NOT_COUNTED),
        (some, "b.md", 2, ORDER),
        (some, "b.md", 1, ORDER),
        (some, "old.md", 2, PLACES),
        (some, "old.md", 3, PLACES),
        (some, "MEMORY.md", 9, ORDER),
        (some, "logs/today.md", 9, ORDER),
        (some, "c.md", 9, ORDER),
        (some, ".hidden.md", 9, ORDER),
        (some, "a.md", 0, ORDER),
        ([("MEMORY.md", 1, False)], "MEMORY.md", 5, ORDER),
        (equal, "b.md", 1, TIES),
        (equal, "c.md", 1, TIES),
        (equal, "a.md", 2, ORDER),
        ([], "a.md", 5, ORDER),
        (namesakes, "notes.md", 9, FULL_PATH),
        (namesakes, "b.md", 2, FULL_PATH),
        (namesakes, "team/a.md", 1, FULL_PATH),
    ]
    found = [
        case((files, path, limit), _why(files, path, limit), rule)
        for files, path, limit, rule in fixed
    ]
    for _ in range(25):
        files = [
            (path, random.randint(1, 4), random.random() < 0.7)
            for path in random.sample(PATHS, 7)
        ]
        path = random.choice(PATHS)
        limit = random.randint(1, 4)
        found.append(
            case(
                (files, path, limit),
                _why(files, path, limit),
                f"{PLACES}; {NOT_COUNTED}; {TIES}",
            )
        )
    return found

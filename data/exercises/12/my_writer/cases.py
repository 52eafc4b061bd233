from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from memlab.course import Case, case

_UNDO = (
    "an undo takes its change back: whoever wrote before has the file again"
)
_GONE = "a removed file was written by nobody who counts"
_WRITERS = ("main agent", "extractor", "dream")


def who_wrote(journal: Sequence[Mapping[str, str]], file: str) -> str:
    """Name the writer of what a file holds now; nobody for one that is not there."""
    stack: list[str] = []
    for entry in journal:
        if entry["file"] != file:
            continue
        if entry["what"] == "undo":
            stack.pop()
        else:
            stack.append(entry["who"] if entry["what"] == "write" else "")
    return stack[-1] if stack else ""


def cases(random: Random) -> list[Case]:
    """Give journals with writes, removals and undos of several files."""
    write, remove = (
        _entry("write", "a.md", "extractor"),
        _entry("remove", "a.md", "dream"),
    )
    undo = _entry("undo", "a.md", "user")
    other = _entry("write", "b.md", "main agent")
    fixed = [
        ([], _GONE),
        ([write], _UNDO),
        ([other], "only the lines of that file count"),
        (
            [write, _entry("write", "a.md", "dream")],
            "the newest writer counts",
        ),
        ([write, remove], _GONE),
        ([write, remove, undo], _UNDO),
        ([write, undo], _GONE),
        ([write, _entry("write", "a.md", "dream"), undo, other], _UNDO),
    ]
    for _ in range(12):
        journal, depth = [], 0
        for _ in range(random.randint(2, 9)):
            file = random.choice(("a.md", "a.md", "b.md"))
            whats = (
                ("write", "write", "remove", "undo")
                if depth and file == "a.md"
                else ("write",)
            )
            what = random.choice(whats)
            depth += (-1 if what == "undo" else 1) if file == "a.md" else 0
            journal.append(
                _entry(
                    what,
                    file,
                    "user" if what == "undo" else random.choice(_WRITERS),
                )
            )
        fixed.append((journal, f"{_UNDO}; {_GONE}"))
    return [
        case((journal, "a.md"), who_wrote(journal, "a.md"), slip)
        for journal, slip in fixed
    ]


def _entry(what: str, file: str, who: str) -> dict[str, str]:
    return {"what": what, "file": file, "who": who}

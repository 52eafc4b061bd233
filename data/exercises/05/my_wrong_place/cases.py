from __future__ import annotations

from functools import partial
from random import Random

from memlab.course import Case

_FILES = (
    "board.py",
    "boats.py",
    "tides.py",
    "cli.py",
    "db.py",
    "times.py",
    "bookings.py",
)
_RAW = "one old_string of 8 characters or more, cut out of the line that was meant"


def naive_edit(text: str, old: str, new: str) -> str:
    """Edit as a tool without a rule does: the first place is the place."""
    return text.replace(old, new, 1)


def cases(random: Random) -> list[Case]:
    """Give files with two lines that have much in common, and the line that was meant."""
    fixed = [("margin = 45\nhours = 4\nmargin = 45  # winter", 3)]
    for _ in range(8):
        first, second = random.sample(_FILES, 2)
        shared = (
            f"return {random.choice(('late', 'out', 'back'))}_parties(board"
        )
        lines = [
            f"# {first}",
            f"    {shared}, now)",
            f"# {second}",
            f"    {shared}, noon)",
        ]
        fixed.append(("\n".join(lines), 4))
    return [
        Case(
            (text, line),
            f"a text of line {line} that naive_edit changes in another line",
            partial(_misled, text, line),
            _RAW,
        )
        for text, line in fixed
    ]


def _misled(text: str, number: int, old: str) -> bool:
    lines = text.split("\n")
    meant = lines[number - 1]
    changed = naive_edit(text, old, "?").split("\n")
    return (
        len(old) >= 8
        and old in meant
        and changed[number - 1] == meant
        and changed != lines
    )

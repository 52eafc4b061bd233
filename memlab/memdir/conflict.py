"""Conflicts that git has left in a text when it merged two changes.

Such a text is neither of the two memories. It says two things at once, with
markers between them, so no model gets to read it as a memory.
"""

from __future__ import annotations

from memlab.errors import MemoryFormatError
from memlab.text import text_lines

OURS = "<<<<<<< "
BASE = "||||||| "
THEIRS = "======="
END = ">>>>>>> "
HOW_TO_RESOLVE = (
    "Choose what to keep, remove the lines that git has added, and commit it"
)


def has_conflict(text: str) -> bool:
    """Tell whether git has left a conflict in a text: its three markers, each
    at the start of a line, in their order, with any lines between them.

    A line of seven equals signs alone is none: in Markdown it underlines a
    heading.
    """
    expected = OURS
    for line in text_lines(text):
        if expected == OURS and line.startswith(OURS):
            expected = THEIRS
        elif expected == THEIRS and line.rstrip("\r\n") == THEIRS:
            expected = END
        elif expected == END and line.startswith(END):
            return True
    return False


def conflict_line(text: str) -> int:
    """Give the line on which a conflict begins, from 1; 0 without one."""
    # most texts have no such marker, and looking for one is fast
    if OURS not in text or not has_conflict(text):
        return 0
    lines = text_lines(text)
    return next(
        number for number, line in enumerate(lines, 1) if line.startswith(OURS)
    )


def refuse_conflict(text: str) -> None:
    """Raise MemoryFormatError for a text with a conflict."""
    line = conflict_line(text)
    if line:
        raise MemoryFormatError(
            "it has a git conflict", line=line, do=HOW_TO_RESOLVE
        )

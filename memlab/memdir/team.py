"""What a memory that several people change needs: the age of a file that git
has checked out, and an index in which every line may be a teammate's.

Everything here is a function of texts and times. ``memlab.modes.team`` asks
git and the disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from memlab.memdir.index import Pointer, parse_pointers, short_line
from memlab.memdir.scan import (
    BASE,
    END,
    OURS,
    THEIRS,
    conflict_line,
    one_line,
)
from memlab.settings import Settings
from memlab.text import shorten, text_lines

TITLE_CHARACTERS = 80


def team_memory_time(
    modified: datetime | None, committed: datetime, now: datetime
) -> datetime:
    """Decide when a team memory was written: git does not keep the time of a
    file.

    The time in its header counts unless it is later than the commit that last
    changed the file. Then it cannot be true, and the commit's time counts. No
    memory is from the future.
    """
    return min(modified or committed, committed, now)


def merged_index(text: str) -> str:
    """Give both sides of an index in which git has left a conflict.

    The markers go, and so does what both sides started from. Of two lines
    about one memory the first stays.
    """
    if not conflict_line(text):
        return text
    kept: list[str] = []
    pointed: set[str] = set()
    in_base = False
    for line in text_lines(text):
        is_middle = line.rstrip("\r\n") == THEIRS
        if is_middle or line.startswith((OURS, BASE, END)):
            in_base = line.startswith(BASE)
        elif not in_base:
            files = {pointer.file for pointer in parse_pointers(line)}
            if not files or not files <= pointed:
                kept.append(line)
            pointed |= files
    return "".join(kept)


def team_index_text(
    text: str, pointers: Mapping[str, Pointer], settings: Settings
) -> str:
    """Write what a prompt shows of a team's index: one line for each of these
    memories, which are those that may be shown, newest first.

    Titles and hooks are taken from the index, whose order counts. Its other
    lines are left out, because a teammate can write anything there, and a
    system prompt is no place for it.
    """
    listed: dict[str, Pointer] = {}
    for pointer in parse_pointers(merged_index(text)):
        if pointer.file in pointers:
            listed.setdefault(pointer.file, pointer)
    missing = [pointers[file] for file in pointers if file not in listed]
    lines = ""
    for pointer in (*missing, *listed.values()):
        title = shorten(one_line(pointer.title), TITLE_CHARACTERS)
        hook = one_line(pointer.hook)
        plain = Pointer(one_line(pointer.file), title, hook)
        lines += short_line(plain, settings.index_line_characters) + "\n"
    return lines

"""What a memory that several people change needs: a time, because git does not
keep that of a file, and an index in which every line may be a teammate's.

Everything here is a function of texts and times. ``memlab.modes.team`` reads
the disk.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

from memlab.memdir.frontmatter import MAX_BYTES
from memlab.memdir.index import (
    Pointer,
    parse_pointers,
    pointer_to,
    short_line,
)
from memlab.memdir.scan import (
    BASE,
    END,
    OURS,
    THEIRS,
    MemoryHeader,
    conflict_line,
    one_line,
)
from memlab.memdir.secrets import find_secrets
from memlab.settings import Settings
from memlab.text import shorten, text_lines

TITLE_CHARACTERS = 80


def team_memory_time(
    modified: datetime | None, mtime: datetime, now: datetime
) -> datetime:
    """Say when a team memory was written: at the time that its header states,
    else at that of its file. No memory is from the future.
    """
    return min(modified or mtime, now)


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
    text: str, memories: Iterable[MemoryHeader], settings: Settings
) -> str:
    """Write what a prompt shows of a team's index: one line for each of these
    memories, which are those that may be shown, newest first.

    Titles and hooks are taken from the index, whose order counts. Its other
    lines are left out, because a teammate can write anything there, and a
    system prompt is no place for it; so is one with a secret.
    """
    made = {
        one.filename: pointer_to(one.filename, one.name, one.description)
        for one in memories
    }
    listed: dict[str, Pointer] = {}
    for pointer in parse_pointers(merged_index(text)):
        if pointer.file in made:
            listed.setdefault(pointer.file, pointer)
    missing = [one for file, one in made.items() if file not in listed]
    lines = ""
    for pointer in (*missing, *listed.values()):
        title = shorten(one_line(pointer.title), TITLE_CHARACTERS)
        plain = Pointer(one_line(pointer.file), title, one_line(pointer.hook))
        line = short_line(plain, settings.index_line_characters)
        if not find_secrets(line):
            lines += f"{line}\n"
    return lines


@lru_cache(maxsize=256)
def unfit(data: bytes) -> str:
    """Say why a memory is never listed or recalled, whoever wrote it; "" for
    one that may be.
    """
    if len(data) > MAX_BYTES:
        return "it is larger than a memory may be"
    text = data.decode("utf-8", "replace")
    line = conflict_line(text)
    if line:
        return f"it has a git conflict on line {line}"
    for secret in find_secrets(text):
        line = secret.line_in(text)
        return f"line {line} looks like it contains a {secret.kind}"
    return ""

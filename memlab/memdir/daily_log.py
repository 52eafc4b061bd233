"""The daily log: one file per day, to which lines are only ever added.

In daily-log mode, the agent notes down what comes up in
``logs/YYYY/MM/YYYY-MM-DD.md`` instead of writing memories, and a dream makes
memories of the notes at night. This module says which file is the log of a
day, which change of it is an addition, and which part of it a session is
shown. What is added is written by ``append_log`` in ``log_lines``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path

from memlab.memdir.folder import Folder, Found
from memlab.memdir.places import LOGS
from memlab.memdir.scan import LARGEST
from memlab.text import text_lines

LOG_PATTERN = f"{LOGS}/YYYY/MM/YYYY-MM-DD.md"
MOST_LOGS = 31
"""How many logs, the newest, a dream is shown and may be supported by."""

_LINE = re.compile(r"(?m)^- +(.+)$")


def log_path(day: date) -> str:
    """Name the log of a day by its path below the memory directory."""
    return f"{LOGS}/{day:%Y}/{day:%m}/{day:%Y-%m-%d}.md"


def log_day(path: str) -> date | None:
    """Give the day of which a path is the log, None for any other path."""
    with suppress(ValueError):
        day = date.fromisoformat(path[-13:-3])
        if path == log_path(day):
            return day
    return None


def is_below_logs(path: str) -> bool:
    """Tell whether a path below the memory directory is in the logs' folder,
    be it a log or not.
    """
    return path.split("/")[0].casefold() == LOGS


def plain_log(data: bytes) -> str:
    """Give the text of a log as a model reads and writes it: without a mark at
    its beginning, and with one kind of line end.
    """
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n")


def may_append(path: str, before: str, after: str, today: str) -> bool:
    """Tell whether a write only adds lines to the log of today.

    A last line without a line end is a line like any other: what is added
    must not continue it.
    """
    if path != log_path(date.fromisoformat(today)):
        return False
    kept = before
    if kept and not kept.endswith("\n"):
        kept += "\n"
    if not after.startswith(kept):
        return False
    added = after[len(kept) :]
    return added.strip() != ""


def append_refused(path: str, before: str, after: str, today: date) -> str:
    """Say why a log may not be changed like this; "" if it may."""
    if may_append(path, before, after, today.isoformat()):
        return ""
    if path != log_path(today):
        return f"only the log of today may be added to, {log_path(today)}"
    if after.startswith(before) and not after[len(before) :].strip():
        return "nothing was added"
    return "an earlier line would be changed, and a log only grows"


def log_tail(text: str, most: int) -> str:
    """Give the end of a log: the longest run of whole lines that has at most
    so many bytes.
    """
    tail = ""
    for line in reversed(text_lines(text)):
        if len((line + tail).encode()) > most:
            break
        tail = line + tail
    return tail


def log_lines(text: str) -> list[str]:
    """List what the lines of a log say: those that begin with a hyphen."""
    return [line.strip() for line in _LINE.findall(text)]


def split_place(place: str) -> tuple[str, int]:
    """Split ``logs/…/2026-03-31.md:12`` into the file and the number of the
    line, 0 for the whole file.
    """
    file, _, line = place.rpartition(":")
    if is_below_logs(file) and line.isdecimal():
        return file, int(line)
    return place, 0


def find_logs(directory: Path) -> Iterator[tuple[str, Found]]:
    """Read the logs of a memory directory, the newest day first; what cannot
    be read is left out, and so is the end of one larger than 20 MB.
    """
    folder = Folder(directory)
    paths = [path for path, _ in folder.walk([], below=LOGS)]
    for path in sorted(filter(log_day, paths), reverse=True):
        with suppress(OSError):
            found = folder.read(path, LARGEST)
            if found.data is not None:
                yield path, found


def find_log_lines(directory: Path, words: str) -> Iterator[tuple[str, str]]:
    """Find the lines of the logs that contain all words, newest log first;
    gives each with its place, ``logs/…/2026-03-31.md:12``.
    """
    wanted = words.casefold().split()
    for path, found in find_logs(directory):
        text = (found.data or b"").decode("utf-8", "replace")
        for number, line in enumerate(text_lines(text), 1):
            said = line.casefold()
            if wanted and all(word in said for word in wanted):
                yield f"{path}:{number}", line.strip()

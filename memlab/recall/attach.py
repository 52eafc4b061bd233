"""Surfacing: the chosen files, within budget, as reminders in front of the person's words.

A reminder says where its text comes from, how old it is, and where it was cut. Left out: choosing,
which is ``select``, and saying it twice: a file surfaces once, until compaction starts over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memlab.errors import MemoryFormatError
from memlab.memdir.dates import age_in_words, caveat
from memlab.memdir.scan import MemoryHeader, one_line
from memlab.settings import Settings
from memlab.text import clip_bytes, system_reminder


@dataclass(frozen=True)
class Attachment:
    """One memory as it is attached; ``cut`` is the line to read on from, 0 where all is shown.

    ``bytes`` is the size of the whole text in UTF-8.
    """

    filename: str
    text: str
    bytes: int
    cut: int


@dataclass(frozen=True)
class LeftOut:
    """A memory that is not attached, and why."""

    filename: str
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Surface:
    """What is attached, in the order it was chosen, and what had to be left out."""

    attachments: tuple[Attachment, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


class Surfaced:
    """What a session has surfaced so far: the files, each with the bytes it took."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}

    @property
    def bytes(self) -> int:
        """What is spent of the session's budget."""
        return sum(self.files.values())

    def start_over(self) -> None:
        """Forget it all: after compaction nothing of it stands in the conversation any more."""
        self.files.clear()


def surface(
    headers: Iterable[MemoryHeader],
    surfaced: Surfaced,
    *,
    now: datetime,
    settings: Settings,
    show: Callable[[Path], str] = str,
) -> Surface:
    """Attach what was chosen, best first, and note it as surfaced.

    A file that can no longer be read is left out, and so is one that does not fit into the rest of
    the session's budget; a smaller one after it still may. ``show`` writes a path as the model
    should see it, such as ``~/…``.
    """
    attachments: list[Attachment] = []
    left_out: list[LeftOut] = []
    for header in headers:
        name, left = header.filename, settings.surface_session_bytes - surfaced.bytes
        if name in surfaced.files:
            left_out.append(LeftOut(name, "surfaced"))
            continue
        try:
            text, cut = _reminder(header, now, settings, show)
        except OSError as error:
            left_out.append(LeftOut(name, "unreadable", error.strerror or str(error)))
            continue
        except MemoryFormatError as error:
            left_out.append(LeftOut(name, "unreadable", error.what))
            continue
        size = len(text.encode())
        if size > left:
            left_out.append(LeftOut(name, "budget", f"{size:,} bytes, and {left:,} are left"))
            continue
        surfaced.files[name] = size
        attachments.append(Attachment(name, text, size, cut))
    return Surface(tuple(attachments), tuple(left_out))


def _reminder(
    header: MemoryHeader, now: datetime, settings: Settings, show: Callable[[Path], str]
) -> tuple[str, int]:
    data = header.read().data
    if data is None:
        raise FileNotFoundError("it is gone")
    start, cut = _start(data.decode("utf-8", "ignore"), settings)
    path = one_line(show(header.path))
    age = caveat(header.mtime, now, settings) or f"Written {age_in_words(header.mtime, now)}."
    parts = [f"From memory, {path}:\n{age}", start.strip("\r\n")]
    parts += [f"(Cut here. Read {path} from line {cut} on for the rest.)"] if cut else []
    return system_reminder("\n\n".join(parts)), cut


def _start(text: str, settings: Settings) -> tuple[str, int]:
    """Cut a text to its budget, at a line end if it has one, and give the first line left out."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)[: settings.surface_max_lines]
    whole = "".join(lines)
    kept = clip_bytes(whole, settings.surface_max_bytes)
    if len(kept) < len(whole):
        kept = kept[: kept.rfind("\n") + 1] or kept
    return kept, kept.count("\n") + 1 if len(kept) < len(text) else 0

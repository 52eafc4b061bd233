"""Attaching the chosen memories: each becomes a reminder in front of the
person's message.

A reminder says which file its text comes from, how old it is, which memories
it links to, and where it was cut. A file is attached once per session, until
compaction removes it from the conversation. What has changed since it was read
for a reminder must not be attached any more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memlab.errors import MemoryFormatError
from memlab.memdir.dates import age_in_words, is_old
from memlab.memdir.folder import Found
from memlab.memdir.index import named
from memlab.memdir.memory import parse_memory
from memlab.memdir.names import slug
from memlab.memdir.scan import MemoryHeader, one_line, refuse_conflict
from memlab.prompts import SHIPPED, Prompts
from memlab.prompts.blocks import block
from memlab.recall.selection import LeftOut, choose
from memlab.settings import Settings
from memlab.text import clip_bytes, text_lines

_TURN = re.compile(
    r"^[ \t]*(?:human|user|assistant|system|developer|operator)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)


class Attachment(NamedTuple):
    """One memory as it is attached: its reminder, and the file as it was read
    for it; ``cut`` is the first line that is missing, 0 if none is.
    """

    header: MemoryHeader
    text: str
    cut: int
    found: Found

    @property
    def filename(self) -> str:
        """The memory's path below the directory."""
        return self.header.filename

    @property
    def bytes(self) -> int:
        """The size of the reminder in UTF-8."""
        return len(self.text.encode())

    @property
    def is_current(self) -> bool:
        """Whether the file still has what the reminder says."""
        with suppress(OSError, MemoryFormatError):
            return self.header.read().data == self.found.data
        return False


@dataclass(frozen=True)
class Provenance:
    """Where a memory comes from that the person's own sessions did not write:
    who wrote it, and a sentence for the model.
    """

    source: str
    note: str


class Surface(NamedTuple):
    """What is attached, in the order of the choice, and what had to be left
    out.
    """

    attachments: tuple[Attachment, ...]
    left_out: tuple[LeftOut, ...]


@dataclass
class Surfaced:
    """What a session has surfaced since it began, or since compaction: each
    file, with the bytes it took.
    """

    files: dict[str, int] = field(default_factory=dict)


def surface(
    headers: Iterable[MemoryHeader],
    surfaced: Surfaced,
    *,
    now: datetime,
    settings: Settings,
    known: Iterable[MemoryHeader] = (),
    show: Callable[[Path], str] = str,
    prompts: Prompts = SHIPPED,
    provenance: Callable[[str], Provenance | None] | None = None,
) -> Surface:
    """Attach the memories that ``choose`` lets through, best first, and note
    them as surfaced.

    ``known`` are the memories that their links may lead to. ``show`` writes a
    path as the model should see it, such as ``~/…``. ``provenance`` says which
    memories others have written.
    """
    chosen = list(headers)
    targets: dict[str, str] = {}  # of links, which name a file or a title
    for header in known:
        path = header.filename.removesuffix(".md")
        for name in (path, header.path.stem, header.name):
            targets.setdefault(slug(name), header.filename)

    def attachment_of(header: MemoryHeader) -> Attachment:
        found = header.read()
        if found.data is None:
            raise MemoryFormatError("it is gone")
        whole = found.data.decode("utf-8", "ignore")
        refuse_conflict(whole)
        text, cut = _start(whole, settings)
        path = one_line(show(header.path))
        attributes = {
            "file": one_line(header.filename),
            "path": path,
            "written": f"{header.mtime:%Y-%m-%dT%H:%M:%SZ}",
        }
        note = linked = cut_note = ""
        by = provenance(header.filename) if provenance else None
        if by is not None:
            attributes["from"] = one_line(by.source)
            text, note = quote_turns(text), by.note
        links = _links(whole, targets, header.filename)
        if links:
            files = one_line(named(links))
            linked = prompts.section("reminders", "links", files=files)
        if cut:
            where = prompts.section(
                "reminders", "cut", path=path, line=str(cut)
            )
            cut_note = block("cut_note", where)
        old = is_old(header.mtime, now, settings)
        written = "written_long_ago" if old else "written"
        age = age_in_words(header.mtime, now)
        reminder = prompts.reminder(
            "recalled",
            age=prompts.section("reminders", written, age=age),
            provenance=note,
            memory=block("memory", text.strip("\r\n"), **attributes),
            links=linked,
            cut_note=cut_note,
        )
        return Attachment(header, reminder, cut, found)

    made: dict[str, Attachment] = {}
    unreadable: list[LeftOut] = []
    for header in chosen:
        try:
            made[header.filename] = attachment_of(header)
        except OSError as error:
            why = str(error.strerror)
            unreadable.append(LeftOut(header.filename, "unreadable", why))
        except MemoryFormatError as error:
            unreadable.append(
                LeftOut(header.filename, "unreadable", error.what)
            )
    choice = choose(
        made,
        chosen,
        settings,
        surfaced=surfaced.files,
        sizes={file: one.bytes for file, one in made.items()},
    )
    attached = tuple(made[header.filename] for header in choice.chosen)
    surfaced.files.update({one.filename: one.bytes for one in attached})
    return Surface(attached, (*choice.left_out, *unreadable))


def quote_turns(text: str) -> str:
    """Put ``> `` before each line that begins like a turn of a conversation,
    so that what somebody else wrote cannot pass for one.
    """
    return _TURN.sub(r"> \g<0>", text)


def _links(text: str, targets: Mapping[str, str], own: str) -> list[str]:
    """Name the other files that a memory links to; links to nothing are left
    out.
    """
    found: list[str] = []
    with suppress(MemoryFormatError):
        for link in parse_memory(text).links:
            # what follows the name is for the reader
            name = re.split(r"\s*[|#]", link)[0].removesuffix(".md")
            found.append(targets.get(slug(name), own))
    return [file for file in dict.fromkeys(found) if file != own]


def _start(text: str, settings: Settings) -> tuple[str, int]:
    """Shorten a text to its limits, at a line end if it has one; give the
    first line left out, or 0.
    """
    whole = "".join(text_lines(text)[: settings.surface_max_lines])
    kept = clip_bytes(whole, settings.surface_max_bytes)
    if len(kept) < len(whole):
        kept = kept[: kept.rfind("\n") + 1] or kept
    return kept, kept.count("\n") + 1 if len(kept) < len(text) else 0

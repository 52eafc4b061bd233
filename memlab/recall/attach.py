"""Attaching the chosen memories: each becomes a reminder in front of the
person's message.

A reminder says which file its text comes from, how old it is, which memories
it links to, and where it was cut. A long file is cut at ``surface_max_lines``
and ``surface_max_bytes``. A file is attached once per session, until
compaction removes it from the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memlab.errors import MemoryFormatError
from memlab.memdir.dates import age_in_words, is_old
from memlab.memdir.index import named
from memlab.memdir.memory import parse_memory
from memlab.memdir.names import slug
from memlab.memdir.scan import (
    MemoryHeader,
    one_line,
    refuse_conflict,
)
from memlab.prompts import SHIPPED, Prompts
from memlab.prompts.blocks import Rendered, block
from memlab.recall.selection import LeftOut, choose
from memlab.settings import Settings
from memlab.text import clip_bytes

_TURN = re.compile(
    r"^[ \t]*(?:human|user|assistant|system|developer|operator)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class Attachment:
    """One memory as it is attached; ``cut`` is the first line that is missing,
    0 if none is.

    ``bytes`` is the size of the whole text in UTF-8.
    """

    filename: str
    text: str
    bytes: int
    cut: int


@dataclass(frozen=True)
class Provenance:
    """Where a memory comes from that the person's own sessions did not write:
    who wrote it, and a sentence for the model.
    """

    source: str
    note: str


def own_memory(file: str) -> Provenance | None:
    """Say of every memory that it is the person's own."""
    return None


@dataclass(frozen=True)
class Surface:
    """What is attached, in the order of the choice, and what had to be left
    out.
    """

    attachments: tuple[Attachment, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


class Surfaced:
    """What a session has surfaced so far: each file, with the bytes it took."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}

    @property
    def bytes(self) -> int:
        """How much of the session's budget is used."""
        return sum(self.files.values())

    def start_over(self) -> None:
        """Forget everything: after compaction none of it is in the
        conversation any more.
        """
        self.files.clear()


def surface(
    headers: Iterable[MemoryHeader],
    surfaced: Surfaced,
    *,
    now: datetime,
    settings: Settings,
    known: Iterable[MemoryHeader] = (),
    show: Callable[[Path], str] = str,
    prompts: Prompts = SHIPPED,
    provenance: Callable[[str], Provenance | None] = own_memory,
) -> Surface:
    """Attach the memories that ``choose`` lets through, best first, and note
    them as surfaced.

    ``known`` are the memories that their links may lead to. ``show`` writes a
    path as the model should see it, such as ``~/…``. ``provenance`` says which
    memories others have written.
    """
    candidates = list(headers)
    targets: dict[str, str] = {}  # of links, which name a file or a title
    for header in known:
        path = header.filename.removesuffix(".md")
        for name in (path, header.path.stem, header.name):
            targets.setdefault(slug(name), header.filename)
    made: dict[str, Attachment] = {}

    def size_of(header: MemoryHeader) -> int:
        text, cut = _reminder(
            header,
            targets,
            now,
            settings,
            show,
            prompts,
            provenance(header.filename),
        )
        made[header.filename] = Attachment(
            header.filename, text, len(text.encode()), cut
        )
        return made[header.filename].bytes

    names = [header.filename for header in candidates]
    choice = choose(
        names, candidates, settings, surfaced=surfaced.files, size_of=size_of
    )
    attachments = tuple(made[header.filename] for header in choice.chosen)
    surfaced.files.update({each.filename: each.bytes for each in attachments})
    return Surface(attachments, choice.left_out)


def _reminder(
    header: MemoryHeader,
    targets: dict[str, str],
    now: datetime,
    settings: Settings,
    show: Callable[[Path], str],
    prompts: Prompts,
    provenance: Provenance | None,
) -> tuple[str, int]:
    data = header.read().data
    if data is None:
        raise FileNotFoundError("it is gone")
    whole = data.decode("utf-8", "ignore")
    refuse_conflict(whole)
    start, cut = _start(whole, settings)
    path = one_line(show(header.path))
    old = is_old(header.mtime, now, settings)
    age = prompts.section(
        "reminders",
        "written_long_ago" if old else "written",
        age=age_in_words(header.mtime, now),
    )
    attributes = {
        "file": one_line(header.filename),
        "path": path,
        "written": f"{header.mtime:%Y-%m-%dT%H:%M:%SZ}",
    }
    text = start.strip("\r\n")
    note = ""
    if provenance is not None:
        attributes["from"] = one_line(provenance.source)
        text = quote_turns(text)
        note = provenance.note
    memory = block("memory", text, **attributes)
    links = Rendered("")
    linked = _linked_files(header, data, targets)
    if linked:
        files = one_line(named(linked))
        links = prompts.section("reminders", "links", files=files)
    cut_note = Rendered("")
    if cut:
        where = prompts.section("reminders", "cut", path=path, line=str(cut))
        cut_note = block("cut_note", where)
    reminder = prompts.reminder(
        "recalled",
        age=age,
        provenance=note,
        memory=memory,
        links=links,
        cut_note=cut_note,
    )
    return reminder, cut


def quote_turns(text: str) -> str:
    """Put ``> `` before each line that begins like a turn of a conversation,
    so that what somebody else wrote cannot pass for one.
    """
    return _TURN.sub(r"> \g<0>", text)


def _linked_files(
    header: MemoryHeader, data: bytes, targets: dict[str, str]
) -> list[str]:
    """Name the files that a memory links to; links to nothing are left out."""
    with suppress(MemoryFormatError):
        links = parse_memory(data).links
        # what follows the name is for the reader
        names = [re.split(r"\s*[|#]", link)[0] for link in links]
        files = [targets.get(slug(name.removesuffix(".md"))) for name in names]
        others = dict.fromkeys(file for file in files if file)
        return [file for file in others if file != header.filename]
    return []


def _start(text: str, settings: Settings) -> tuple[str, int]:
    """Shorten a text to its limits, at a line end if it has one; give the
    first line left out.
    """
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)[: settings.surface_max_lines]
    whole = "".join(lines)
    kept = clip_bytes(whole, settings.surface_max_bytes)
    if len(kept) < len(whole):
        kept = kept[: kept.rfind("\n") + 1] or kept
    return kept, kept.count("\n") + 1 if len(kept) < len(text) else 0

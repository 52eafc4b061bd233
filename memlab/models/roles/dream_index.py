"""How a dreamer by rules mends an index: dead pointers out, missing ones in,
long lines short.

A person's own hooks, headings and order stay. Left out: which memory matters
most. An index that is still over a cap when every pointer is needed stays over
it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from memlab.errors import MemlabError
from memlab.memdir.index import (
    Pointer,
    parse_pointers,
    pointer_to,
    set_pointer,
)
from memlab.memdir.memory import parse_memory
from memlab.models.roles.dream_change import follow
from memlab.models.roles.dream_dates import in_dates
from memlab.models.roles.dream_words import all_values, sections, sentences
from memlab.text import shorten

_PIECES = re.compile(
    r"(?<!\s)\s*;\s+|(?<=[.!?])\s+|(?<!\s)\s+[–—]\s+|,\s+(?=(?:because|since)\b)"
)
_REASON = re.compile(r"(?:because|since)\s+", re.I)
Detail = tuple[str, str]


class Header(NamedTuple):
    """What an index needs of a memory: name, description, the sentences before
    Why, its time.
    """

    name: str
    about: str
    main: tuple[str, ...] = ()
    at: datetime | None = None


def details(
    index: str, texts: Mapping[str, str], line_characters: int
) -> dict[str, list[Detail]]:
    """Give what overlong lines of the index tell beyond their first words, by
    file.

    Each detail is the section of the body that it belongs to, "" or "why", and
    a sentence.
    """
    found: dict[str, list[Detail]] = {}
    for line in index.splitlines():
        for pointer in parse_pointers(line):
            if len(line) > line_characters and pointer.file in texts:
                pieces = [
                    piece
                    for piece in _PIECES.split(pointer.hook)
                    if piece.strip()
                ]
                told = (
                    pieces[1:]
                    if _fits(line, pointer, pieces[0], line_characters)
                    else pieces
                )
                found[pointer.file] = [_detail(piece) for piece in told]
    return found


def mended(
    index: str,
    headers: Mapping[str, Header],
    told: Sequence[str],
    line_characters: int,
) -> str:
    """Give the index as it should be, where ``headers`` has every memory that
    there is.

    A line is cut only where it is one of ``told``: the files that hold by now
    what it told.
    """
    seen: set[str] = set()
    kept: list[str] = []
    for line in index.splitlines(keepends=True):
        pointers = parse_pointers(line)
        if pointers and (
            pointers[0].file not in headers or pointers[0].file in seen
        ):
            continue
        seen.update(pointer.file for pointer in pointers)
        if pointers:
            line = _line(
                line,
                pointers[0],
                headers[pointers[0].file],
                told,
                line_characters,
            )
        kept.append(line)
    text = "".join(kept)
    for file in sorted(headers.keys() - seen, reverse=True):
        text = set_pointer(
            text, pointer_to(file, headers[file].name, headers[file].about)
        )
    return text


def header(text: str, at: datetime | None = None) -> Header:
    """Give what the index needs of a memory's text; nothing where it cannot be
    read.
    """
    try:
        memory = parse_memory(text)
    except MemlabError:
        return Header("", "")
    return Header(
        memory.name,
        memory.description,
        tuple(sentences(sections(memory.body)[""])),
        at,
    )


def _line(
    line: str,
    pointer: Pointer,
    memory: Header,
    told: Sequence[str],
    limit: int,
) -> str:
    hook = pointer.hook
    if len(line.rstrip("\r\n")) > limit and pointer.file in told:
        first = _PIECES.split(hook)[0]
        hook = first if _fits(line, pointer, first, limit) else memory.about
        hook = shorten(
            hook, max(limit - len(line.rstrip("\r\n")) + len(pointer.hook), 1)
        )
    dated = in_dates(hook, memory.at) if memory.at else hook
    if all_values(dated) <= all_values(
        " ".join((*memory.main, memory.about, hook))
    ):
        # the memory has the same date, so both were counted from one day
        hook = dated
    hook = follow(hook, memory.main)
    return line.replace(pointer.hook, hook, 1) if hook else line


def _fits(line: str, pointer: Pointer, hook: str, limit: int) -> bool:
    return len(line.rstrip("\r\n")) - len(pointer.hook) + len(hook) <= limit


def _detail(piece: str) -> Detail:
    reason = _REASON.match(piece)
    text = piece[reason.end() if reason else 0 :].strip().rstrip(".")
    return "why" if reason else "", f"{text[:1].upper()}{text[1:]}."

"""A memory as a chat shows it: its name, its type and its first line."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from memlab.errors import MemlabError
from memlab.memdir.memory import parse_memory
from memlab.memdir.scan import MemoryHeader
from memlab.text import shorten

FIRST_LINE = 200


@dataclass(frozen=True)
class Card:
    """A memory to show; ``new`` says that this chat has made it.

    ``text`` is the whole file.
    """

    file: str
    name: str
    type: str
    line: str
    text: str
    new: bool = False


def card_of(memory: MemoryHeader, *, new: bool = False) -> Card:
    """Read a memory; the text of one that cannot be read says why."""
    text = text_of(memory)
    line = memory.description
    with suppress(MemlabError):
        body = parse_memory(text).body.strip()
        line = body.partition("\n")[0] or line
    return Card(
        memory.filename,
        memory.name,
        str(memory.type or "?"),
        shorten(line, FIRST_LINE),
        text,
        new,
    )


def text_of(memory: MemoryHeader) -> str:
    """Return the text of a memory for display, or why it cannot be read."""
    try:
        return (memory.read().data or b"").decode("utf-8", "replace")
    except (OSError, MemlabError) as error:
        return f"{memory.filename} cannot be read: {error}"

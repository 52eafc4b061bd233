"""A memory as a value: one Markdown file, read without loss and written
without surprise.

``Memory`` has a field for each key in ``HEADER_KEYS``, as the text in the
file; a missing key is "". A changed copy (``dataclasses.replace``) still knows
the file it came from, and only what has changed is written differently. A file
without a header is refused: to take it for a memory, one would have to guess
its name and its type. Not known here: where memories are, and what they may
say.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path

from memlab.errors import MemoryFormatError
from memlab.memdir import frontmatter

HEADER_KEYS = {
    "name": "a short title",
    "description": "one line that says when it helps",
    "type": "one of the four types",
    "superseded_by": "the file that says it now",
    "dropped": "why the memory is to be removed",
    "modified": "when another client changed it",
    "pinned": "true, if only the person may change or remove it",
    "stale_after": "the day from which on it is not recalled",
}
REQUIRED = ("name", "description")
_NOT_PINNED = ("", "false", "no", "off", "0", "null", "~")
# what Claude Code writes into each of its memories
_CLAUDE_CODE = {("metadata", "node_type"), ("metadata", "originSessionId")}
_LINK = re.compile(r"\[\[([^\s\[\]](?:[^\[\]\n]*[^\s\[\]])?)\]\]")


class MemoryType(StrEnum):
    """The four types of memory, each the answer to one question.

    ``user``: who is this person? ``feedback``: how should the work be done?
    ``project``: what is going on? ``reference``: where can things be found?
    """

    user = "user"
    feedback = "feedback"
    project = "project"
    reference = "reference"


@dataclass(frozen=True)
class Memory:
    """One memory.

    ``body`` is all that follows the closing ``---`` line. ``raw_type`` is the
    type as the file has it, one of the four or not. ``header`` has all keys,
    those that memlab does not know as well; None for a memory made in code.
    """

    name: str
    description: str
    type: MemoryType | None
    body: str
    path: Path | None = None
    superseded_by: str = ""
    dropped: str = ""
    modified: str = ""
    pinned: str = ""
    stale_after: str = ""
    raw_type: str = field(default="", compare=False)
    header: frontmatter.Header | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def text(self) -> str:
        """All that the memory says; the body comes first, so that offsets lead
        to its lines.
        """
        return f"{self.body}\n\n{self.description}\n\n{self.name}"

    @property
    def links(self) -> tuple[str, ...]:
        """The names linked as ``[[name]]``, each once; ``[[ -f x ]]`` is shell
        and no link.
        """
        return tuple(dict.fromkeys(_LINK.findall(self.body)))

    @property
    def is_tombstone(self) -> bool:
        """Whether the file asks for its own removal: one of the two keys, and
        nothing to lose.
        """
        has_reason = bool(self.superseded_by or self.dropped)
        return has_reason and not self.body.strip()

    @property
    def is_pinned(self) -> bool:
        """Whether only the person may change it; what is neither true nor
        false counts as true.
        """
        return self.pinned.strip().casefold() not in _NOT_PINNED

    @property
    def is_from_claude_code(self) -> bool:
        """Whether Claude Code wrote the file: it says so below ``metadata``."""
        spans = self.header.spans if self.header else {}
        return not _CLAUDE_CODE.isdisjoint(spans)

    @property
    def modified_at(self) -> datetime | None:
        """The time in ``modified``; None if there is none, or none with a
        zone.
        """
        with suppress(ValueError):
            time = datetime.fromisoformat(self.modified)
            return time if time.tzinfo else None
        return None


def is_stale(stale_after: str, today: date) -> bool:
    """Tell whether the day in a header's ``stale_after`` has come; a text that
    is no date never does.
    """
    with suppress(ValueError):
        return datetime.fromisoformat(stale_after.strip()).date() <= today
    return False


def parse_memory(source: bytes | str, *, path: Path | None = None) -> Memory:
    """Read a memory; raises MemoryFormatError, which names the file and the
    line.

    A missing name or description is "", a missing or unknown type is None:
    neither is an error.
    """
    return _from_header(frontmatter.read(source, path or ""), path)


def _from_header(header: frontmatter.Header, path: Path | None) -> Memory:
    texts = {
        key: frontmatter.text_of(header.values, key) for key in HEADER_KEYS
    }
    raw_type = texts.pop("type")
    kind = MemoryType.__members__.get(raw_type)
    return Memory(
        **texts,
        type=kind,
        body=header.body,
        path=path,
        raw_type=raw_type,
        header=header,
    )


def format_memory(memory: Memory) -> str:
    """Write a memory: unchanged, it is the very text it came from; changed,
    only that differs.

    A memory made in code gets one empty line above its body and one line end
    below. Raises MemoryFormatError rather than give a text that would not read
    back as this memory.
    """
    header, where = memory.header, memory.path
    if memory.type and memory.type not in MemoryType.__members__:
        do = f"Choose from: {', '.join(MemoryType)}"
        raise MemoryFormatError(f"{memory.type!r} is not a type", do=do)
    if header is None:
        new = "---\n---\n"
        if memory.name and memory.description and memory.type:
            new = format_header(memory.name, memory.description, memory.type)
        header = frontmatter.read(new, where or "")
        body = memory.body.strip("\r\n")
        memory = replace(memory, body=memory.body and f"\n{body}\n")
    old = _from_header(header, where)
    changed = {
        key: getattr(memory, key) or ""
        for key in HEADER_KEYS
        if getattr(memory, key) != getattr(old, key)
    }
    text = header.with_values(changed, memory.body)
    if parse_memory(text, path=where) != memory:
        what = (
            "this would read back otherwise: write its frontmatter as plain"
            " 'key: value' lines"
        )
        raise MemoryFormatError(what, where=where or "")
    return text


def format_header(name: str, description: str, type: str) -> str:
    """Write the header of a new memory, each value as YAML reads it back."""
    name, description, type = map(frontmatter.quote, (name, description, type))
    return (
        f"---\nname: {name}\ndescription: {description}\ntype: {type}\n---\n"
    )

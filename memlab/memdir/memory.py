"""A memory as a value: one Markdown file, read without loss and written
without surprise.

Whatever YAML would make of a value, it is read as the text in the file. A
changed memory still knows the file it came from, and only the changed values
are written again. A file without frontmatter is refused: taking it for a
memory would mean guessing its name and its type.

The fields of ``Memory`` that have ``header_key`` are the table of the keys in
the header. Reading, writing, the scan, the policy and the doctor take the keys
from there. Claude Code moves keys that it does not know below ``metadata``, so
some keys are read in both places, and written in the place that the file has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from memlab.errors import MemoryFormatError
from memlab.memdir import frontmatter

METADATA = "metadata"
# what Claude Code writes below ``metadata`` in each of its memories
_CLAUDE_CODE_KEYS = {"node_type", "originSessionId"}
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

    @classmethod
    def parse(cls, text: str) -> MemoryType:
        """Give the type of that name; raises MemoryFormatError, which lists
        the four.
        """
        if text not in cls.__members__:
            raise MemoryFormatError(
                f"no type is {text!r}", do=f"Choose from: {', '.join(cls)}"
            )
        return cls(text)


@dataclass(frozen=True)
class HeaderKey:
    """A key of the header, and what it is for.

    A memory without a ``required`` key is refused by the policy and reported
    by the doctor. The scan reads a ``scanned`` key. A ``movable`` key may be
    below ``metadata``. An absent key has the value "".
    """

    name: str
    meaning: str
    required: bool
    scanned: bool
    movable: bool

    @property
    def places(self) -> tuple[frontmatter.Keys, ...]:
        """Where the key may be, the place that counts first."""
        places: tuple[frontmatter.Keys, ...] = ((self.name,),)
        return (*places, (METADATA, self.name)) if self.movable else places


def header_key(
    meaning: str,
    *,
    required: bool = False,
    scanned: bool = False,
    movable: bool = False,
) -> Mapping[str, Any]:
    """Make a field of ``Memory`` a key of the header; see ``HeaderKey``."""
    return {
        "meaning": meaning,
        "required": required,
        "scanned": scanned,
        "movable": movable,
    }


@dataclass(frozen=True)
class Memory:
    """One memory; a changed copy (``dataclasses.replace``) still knows the
    file it came from.

    ``body`` is all that follows the closing ``---`` line, ``raw_type`` the
    type as the file has it, one of the four or not. ``extra`` has the keys
    memlab does not know, to be read only.
    """

    name: str = field(
        metadata=header_key("a short title", required=True, scanned=True)
    )
    description: str = field(
        metadata=header_key(
            "one line that says when it helps", required=True, scanned=True
        )
    )
    type: MemoryType | None = field(
        metadata=header_key(
            "one of the four types", scanned=True, movable=True
        )
    )
    body: str
    path: Path | None = None
    superseded_by: str = field(
        default="",
        metadata=header_key("the file that says it now", movable=True),
    )
    dropped: str = field(
        default="",
        metadata=header_key("why the memory is to be removed", movable=True),
    )
    modified: str = field(
        default="",
        metadata=header_key("when another client changed it", movable=True),
    )
    extra: Mapping[str, object] = field(
        default_factory=lambda: MappingProxyType({}), hash=False
    )
    raw_type: str = field(default="", compare=False)
    _front: frontmatter.Frontmatter | None = field(
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
        return (
            bool(self.superseded_by or self.dropped) and not self.body.strip()
        )

    @property
    def is_from_claude_code(self) -> bool:
        """Whether Claude Code wrote the file: it says so below ``metadata``."""
        metadata = self.extra.get(METADATA)
        return isinstance(metadata, dict) and not _CLAUDE_CODE_KEYS.isdisjoint(
            metadata
        )

    @property
    def modified_at(self) -> datetime | None:
        """The time in ``modified``; None if there is none, or none with a
        zone.
        """
        with suppress(ValueError):
            time = datetime.fromisoformat(self.modified)
            return time if time.tzinfo else None
        return None


HEADER_KEYS = tuple(
    HeaderKey(key.name, **key.metadata)
    for key in fields(Memory)
    if "meaning" in key.metadata
)
_KNOWN = {place for key in HEADER_KEYS for place in key.places}


def parse_memory(source: bytes | str, *, path: Path | None = None) -> Memory:
    """Read a memory; raises MemoryFormatError, which names the file and the
    line.

    A missing name or description is "", a missing or unknown type is None:
    neither is an error.
    """
    front = frontmatter.read(source, path or "")
    texts = {key.name: _read_key(front, key, path) for key in HEADER_KEYS}
    raw_type = texts.pop("type")
    return Memory(
        **texts,
        type=MemoryType.__members__.get(raw_type),
        body=front.body,
        path=path,
        extra=MappingProxyType(_unknown_keys(front)),
        raw_type=raw_type,
        _front=front,
    )


def _read_key(
    front: frontmatter.Frontmatter, key: HeaderKey, path: Path | None
) -> str:
    """Give the value of a key at the first of its places that has one.

    A list or mapping is an error at the top level, except as a type, which
    may be anything. Below ``metadata`` it is somebody else's key.
    """
    for place in key.places:
        node = front.nodes.get(place)
        if node is None or not node.value:
            continue
        if isinstance(node.value, str):
            return node.value
        if key.name == "type":
            return str(node.value)
        if place == (key.name,):
            raise frontmatter.error(
                f"{key.name} is a list or mapping, not a text",
                front.head,
                node.start,
                path or "",
                "Put it in quotes",
            )
    return ""


def _unknown_keys(front: frontmatter.Frontmatter) -> dict[str, object]:
    """Give the keys that memlab does not know, those below ``metadata`` too."""
    unknown: dict[str, object] = {
        key: value
        for key, value in front.values.items()
        if (key,) not in _KNOWN
    }
    metadata = unknown.pop(METADATA, None)
    if isinstance(metadata, dict):
        metadata = {
            key: value
            for key, value in metadata.items()
            if (METADATA, key) not in _KNOWN
        }
    if metadata:
        unknown[METADATA] = metadata
    return unknown


def format_memory(memory: Memory) -> str:
    """Write a memory: unchanged, it is the very text it came from; changed,
    only that differs.

    A memory made in code gets one empty line above its body and one line end
    below. Raises MemoryFormatError rather than give a text that would not read
    back as this memory.
    """
    front = memory._front or frontmatter.read(
        _new_header(memory), memory.path or ""
    )
    if not memory._front and memory.body:
        memory = replace(memory, body="\n" + memory.body.strip("\r\n") + "\n")
    wanted: dict[frontmatter.Keys, str] = {}
    for key in HEADER_KEYS:
        was = _read_key(front, key, memory.path)
        value = getattr(memory, key.name)
        if key.name == "type":
            is_same = value == MemoryType.__members__.get(was)
            value = MemoryType.parse(value).value if value else ""
        else:
            is_same = value == was
        if not is_same:
            wanted |= dict.fromkeys(_places_to_write(front, key), value)
    text = frontmatter.rewrite(front, wanted, memory.body)
    if parse_memory(text, path=memory.path) != memory:
        what = (
            "this would read back otherwise: write its frontmatter as plain"
            " 'key: value' lines"
        )
        raise MemoryFormatError(what, where=memory.path or "")
    return text


def _new_header(memory: Memory) -> str:
    if memory.name and memory.description and memory.type:
        return format_header(memory.name, memory.description, memory.type)
    return "---\n---\n"


def format_header(name: str, description: str, type: str) -> str:
    """Write the header of a new memory, each value as YAML reads it back."""
    return (
        "---\n"
        f"name: {frontmatter.quote(name)}\n"
        f"description: {frontmatter.quote(description)}\n"
        f"type: {frontmatter.quote(type)}\n"
        "---\n"
    )


def _places_to_write(
    front: frontmatter.Frontmatter, key: HeaderKey
) -> list[frontmatter.Keys]:
    """Choose where a value goes: where the file has the key; else below
    ``metadata``, if the file has that and no such key at the top level.
    """
    there = [place for place in key.places if place in front.nodes]
    if there:
        return there
    top = any(
        one.movable and (one.name,) in front.nodes for one in HEADER_KEYS
    )
    if top or not frontmatter.can_add(front, key.places[-1]):
        return [key.places[0]]
    return [key.places[-1]]

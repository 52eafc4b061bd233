"""A memory as a value: one Markdown file, read without loss and written
without surprise.

Whatever YAML would make of a value, it is read as the text in the file. A
changed memory still knows the file it came from, and only the changed values
are written again. A file without frontmatter is refused: taking it for a
memory would mean guessing its name and its type.

The fields of ``Memory`` that have ``header_key`` are the table of the keys in
the header. Reading, writing, the scan, the policy and the doctor take the keys
from there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from memlab.errors import MemoryFormatError
from memlab.memdir import frontmatter

_TYPE_KEYS = ("type", "metadata")
_TYPE_PLACES: tuple[frontmatter.Keys, ...] = (("type",), ("metadata", "type"))
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
    by the doctor. The scan reads a ``scanned`` key. An absent key has the
    value "".
    """

    name: str
    meaning: str
    required: bool
    scanned: bool


def header_key(
    meaning: str, *, required: bool = False, scanned: bool = False
) -> Mapping[str, Any]:
    """Make a field of ``Memory`` a key of the header; see ``HeaderKey``."""
    return {"meaning": meaning, "required": required, "scanned": scanned}


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
        metadata=header_key("one of the four types", scanned=True)
    )
    body: str
    path: Path | None = None
    superseded_by: str = field(
        default="", metadata=header_key("the file that says it now")
    )
    dropped: str = field(
        default="", metadata=header_key("why the memory is to be removed")
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


HEADER_KEYS = tuple(
    HeaderKey(key.name, **key.metadata)
    for key in fields(Memory)
    if "meaning" in key.metadata
)
_TEXT_KEYS = tuple(key.name for key in HEADER_KEYS if key.name != "type")


def parse_memory(source: bytes | str, *, path: Path | None = None) -> Memory:
    """Read a memory; raises MemoryFormatError, which names the file and the
    line.

    A missing name or description is "", a missing or unknown type is None:
    neither is an error.
    """
    front = frontmatter.read(source, path or "")
    values = front.values
    texts = {key: values.pop(key, "") for key in _TEXT_KEYS}
    for key in _TEXT_KEYS:
        if not isinstance(texts[key], str):
            what, at = (
                f"{key} is a list or mapping, not a text",
                front.nodes[(key,)].start,
            )
            raise frontmatter.error(
                what, front.head, at, path or "", "Put it in quotes"
            )
    types = [
        front.nodes[keys].value for keys in _TYPE_PLACES if keys in front.nodes
    ]
    raw = str(next(filter(None, types), ""))
    kind = MemoryType.__members__.get(raw)
    extra = MappingProxyType(
        {key: values[key] for key in values if key not in _TYPE_KEYS}
    )
    return Memory(
        **texts,
        type=kind,
        body=front.body,
        path=path,
        extra=extra,
        raw_type=raw,
        _front=front,
    )


def format_memory(memory: Memory) -> str:
    """Write a memory: unchanged, it is the very text it came from; changed,
    only that differs.

    A memory made in code gets one empty line above its body and one line end
    below. Raises MemoryFormatError rather than give a text that would not read
    back as this memory.
    """
    front = memory._front or frontmatter.read("---\n---\n", "")
    if not memory._front and memory.body:
        memory = replace(memory, body="\n" + memory.body.strip("\r\n") + "\n")
    wanted: dict[frontmatter.Keys, str] = {
        (key,): getattr(memory, key) for key in _TEXT_KEYS
    }
    if memory.type != MemoryType.__members__.get(memory.raw_type):
        places = [keys for keys in _TYPE_PLACES if keys in front.nodes] or [
            ("type",)
        ]
        wanted |= dict.fromkeys(
            places, MemoryType.parse(memory.type).value if memory.type else ""
        )
    text = frontmatter.rewrite(front, wanted, memory.body)
    if parse_memory(text, path=memory.path) != memory:
        what = (
            "this would read back otherwise: write its frontmatter as plain"
            " 'key: value' lines"
        )
        raise MemoryFormatError(what, where=memory.path or "")
    return text

"""Where each sentence of a memory came from, as the journal records it.

Every write is stamped, sentence by sentence, with the origin of the content.
The stamp is in the journal, which no model can write to, and never in the
memory, where it could be forged. It names a sentence by a hash, so that a
memory that is forgotten for good leaves no words behind. A sentence that stays
as it is keeps its stamp. Text without a stamp, such as an edit by hand, is
*unknown*; a person can confirm a file, which makes that text theirs.

Whether a sentence is supported by others, and with which origin, is decided in
``support``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from enum import IntEnum
from typing import Any

from memlab.memdir.coverage import as_memory, text_of
from memlab.memdir.index import parse_pointers
from memlab.memdir.journal import Entry
from memlab.memdir.places import INDEXES
from memlab.text import fold_space, words

CONFIRM = "confirm"
_HASH_DIGITS = 24


class Origin(IntEnum):
    """Whose words a sentence is made of; a greater one is trusted more.

    What a tool printed ranks below what is unknown: a command's output can
    repeat anything that strangers wrote, while unknown text is at least in the
    person's own directory.
    """

    OUTSIDE = 0
    TOOL_RESULT = 1
    UNKNOWN = 2
    PROJECT_FILE = 3
    ASSISTANT = 4
    PERSON = 5

    @property
    def label(self) -> str:
        """The name in the journal and in messages."""
        return _LABELS[self]

    @classmethod
    def from_label(cls, label: object) -> Origin:
        """Read a name from the journal; one that this memlab does not know is
        *unknown*.
        """
        return next(
            (one for one, name in _LABELS.items() if name == label),
            cls.UNKNOWN,
        )


_LABELS = {
    Origin.OUTSIDE: "outside",
    Origin.TOOL_RESULT: "tool result",
    Origin.UNKNOWN: "unknown",
    Origin.PROJECT_FILE: "project file",
    Origin.ASSISTANT: "assistant",
    Origin.PERSON: "person",
}


def least_trusted(origins: Iterable[Origin]) -> Origin:
    """Give the origin of a text that was made of others; without any, it is
    *unknown*.
    """
    return min(origins, default=Origin.UNKNOWN)


@dataclass(frozen=True)
class MovedFrom:
    """Who wrote a sentence, and when, before its memory was moved here from
    another memory directory; ``place`` is the file that it was in.
    """

    place: str
    who: str = ""
    at: str = ""
    session: str = ""
    message: str = ""

    def as_json(self) -> dict[str, str]:
        """Give it as the journal keeps it."""
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_json(cls, value: Any) -> MovedFrom | None:
        """Read it; None if there is nothing."""
        if not isinstance(value, Mapping):
            return None
        known = [each.name for each in fields(cls)]
        return cls(**{name: str(value.get(name, "")) for name in known})

    def __str__(self) -> str:
        """Say it in a line for a terminal."""
        said = f"moved here from {self.place}"
        if self.who:
            said += f"; written there by {self.who}, {self.at[:16]}"
        if self.session:
            said += f", session {self.session}"
        if self.message:
            said += f", message {self.message}"
        return said


@dataclass(frozen=True)
class Stamp:
    """The origin of one sentence.

    ``message`` is the message it came from, in the session of its change.
    ``sources`` names the earlier changes that wrote what it was made of.
    ``inferred`` marks a *Why* or *How to apply* that a model inferred.
    ``moved`` says where the sentence was before, if it was moved.
    """

    origin: Origin = Origin.UNKNOWN
    message: str = ""
    sources: tuple[str, ...] = ()
    inferred: bool = False
    moved: MovedFrom | None = None

    def as_json(self) -> dict[str, Any]:
        """Give the stamp as the journal keeps it."""
        found: dict[str, Any] = {"origin": self.origin.label}
        if self.message:
            found["message"] = self.message
        if self.sources:
            found["sources"] = list(self.sources)
        if self.inferred:
            found["inferred"] = True
        if self.moved:
            found["moved"] = self.moved.as_json()
        return found

    @classmethod
    def from_json(cls, value: Any) -> Stamp:
        """Read a stamp; what cannot be read is *unknown*."""
        if not isinstance(value, Mapping):
            return cls()
        return cls(
            Origin.from_label(value.get("origin")),
            str(value.get("message", "")),
            tuple(map(str, value.get("sources", ()))),
            bool(value.get("inferred")),
            MovedFrom.from_json(value.get("moved")),
        )


@dataclass(frozen=True)
class Stamped:
    """A stamp and the change that made it."""

    entry: Entry
    stamp: Stamp


Stamps = Mapping[str, Mapping[str, Stamped]]
"""By file and by the hash of a sentence."""


@dataclass(frozen=True)
class Piece:
    """A sentence of a memory's body, or its name, description or index line
    (``label``).

    ``inferable`` is true in a *Why* or *How to apply* paragraph.
    """

    text: str
    label: bool = False
    inferable: bool = False

    @property
    def key(self) -> str:
        """The hash of the piece's words, by which the journal names it."""
        return piece_key(self.text)


def piece_key(text: str) -> str:
    """Hash the words of a sentence; case and punctuation do not count."""
    said = " ".join(words(text)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(said).hexdigest()[:_HASH_DIGITS]


_PARAGRAPH_END = r"\n\s*\n|\n(?=\s*(?:[-*+#>|]\s|\*\*|\d+[.)]\s))"
_LABELLED = r"\*\*\s*(why|how to apply)\s*:?\s*\*\*\s*:?"
_QUOTE_PAIRS = (("“", "”"), ("„", "“”"), ("«", "»"))


def pieces(name: str, data: bytes) -> list[Piece]:
    """Cut a memory into its name, its description and the sentences of its
    body; of the index, give the titles and hooks of its lines.

    A quotation is never cut, so that it stays with the words that say whose it
    is.
    """
    if name in INDEXES:
        found = [
            Piece(text, label=True)
            for pointer in parse_pointers(text_of(data))
            for text in (pointer.title, pointer.hook)
        ]
        return _without_empty(found)
    memory = as_memory(name, data)
    if memory is None:
        return _without_empty(_body_pieces(text_of(data)))
    labels = [Piece(memory.name, True), Piece(memory.description, True)]
    return _without_empty([*labels, *_body_pieces(memory.body)])


def _without_empty(found: Iterable[Piece]) -> list[Piece]:
    return list(dict.fromkeys(one for one in found if words(one.text)))


def _body_pieces(body: str) -> Iterator[Piece]:
    for paragraph in re.split(_PARAGRAPH_END, body):
        text = fold_space(paragraph)
        label = re.match(_LABELLED, text, re.IGNORECASE)
        if label:
            text = text[label.end() :].strip()
        for sentence in _whole_sentences(text):
            yield Piece(sentence, inferable=bool(label))


def _whole_sentences(text: str) -> Iterator[str]:
    waiting = ""
    for part in re.split(r"(?<=[.!?…])\s+|(?<=[.!?…][\"”»])\s+", text):
        waiting = f"{waiting} {part}".strip()
        if not _quotation_is_open(waiting):
            yield waiting
            waiting = ""
    if waiting:
        yield from re.split(r"(?<=[.!?…])\s+", waiting)


def _quotation_is_open(text: str) -> bool:
    if text.count('"') % 2:
        return True
    return any(
        text.count(start) > sum(text.count(end) for end in ends)
        for start, ends in _QUOTE_PAIRS
    )


def stamps_of(entries: Iterable[Entry]) -> dict[str, dict[str, Stamped]]:
    """Read from the journal how the sentences of each file are stamped.

    A confirmation that was undone does not count.
    """
    entries = list(entries)
    undone: set[str] = set()
    for entry in reversed(entries):
        if entry.id not in undone:
            undone.add(entry.undoes)
    found: dict[str, dict[str, Stamped]] = {}
    for entry in entries:
        if entry.what == CONFIRM and entry.id in undone:
            continue
        for file, stamped in entry.origins.items():
            if not isinstance(stamped, Mapping):
                continue
            for key, value in stamped.items():
                stamp = Stamp.from_json(value)
                found.setdefault(file, {})[key] = Stamped(entry, stamp)
    return found


@dataclass(frozen=True)
class LineOrigin:
    """One sentence of a memory, and the changes behind it, the newest first.

    The first is the change that wrote the sentence as it is; the others wrote
    what it was made of. There are none for text without a stamp.
    """

    text: str
    stamp: Stamp
    changes: tuple[Entry, ...] = ()

    def __str__(self) -> str:
        """Say it in lines for a terminal."""
        inferred = ", inferred" if self.stamp.inferred else ""
        rows = [
            f"{self.text}",
            f"    origin: {self.stamp.origin.label}{inferred}",
        ]
        if not self.changes:
            rows.append(
                "    no line of the journal says who wrote it: an edit by"
                " hand, another program, or an older memlab"
            )
        for number, entry in enumerate(self.changes):
            message = self.stamp.message if number == 0 else ""
            rows.append(f"    {_did(entry, message, first=number == 0)}")
        if self.stamp.moved:
            rows.append(f"    {self.stamp.moved}")
        return "\n".join(rows)


def _did(entry: Entry, message: str, *, first: bool) -> str:
    verb = "written by" if first else "made from what was written by"
    if entry.what == CONFIRM:
        verb = "confirmed by"
    where = [f"session {entry.session}"] if entry.session else []
    if message or entry.turn:
        where.append(f"message {message or entry.turn}")
    also = f", {', '.join(where)}" if where else ""
    return f"{verb} {entry.who}, {entry.at[:16]} ({entry.id}){also}"


def explain(
    name: str, data: bytes, entries: Iterable[Entry]
) -> list[LineOrigin]:
    """Say of each sentence of a memory where it came from, through merges and
    dreams.
    """
    entries = list(entries)
    by_id = {entry.id: entry for entry in entries}
    stamps = stamps_of(entries).get(name, {})
    found = []
    for piece in pieces(name, data):
        stamped = stamps.get(piece.key)
        if stamped is None:
            found.append(LineOrigin(piece.text, Stamp()))
            continue
        older = [
            by_id[one]
            for one in reversed(stamped.stamp.sources)
            if one in by_id and one != stamped.entry.id
        ]
        changes = (stamped.entry, *older)
        found.append(LineOrigin(piece.text, stamped.stamp, changes))
    return found

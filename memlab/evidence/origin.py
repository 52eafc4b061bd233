"""Whose words each sentence of a memory is, as the journal records it.

Every change is stamped, sentence by sentence, with the origin of its content.
The stamp is in the journal, which no model can write to, and never in the
memory, where it could be forged. It names a sentence by a hash, so that a
memory that is forgotten for good leaves no words behind. Text without a stamp
(an edit by hand, another client, a git pull) is *unknown*. Nothing here judges
a sentence: that is in ``support``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from memlab.evidence.sentences import Sentence, sentences_of
from memlab.memdir.journal import Entry, undone
from memlab.memdir.places import INDEXES

CONFIRM = "confirm"


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
        return self.name.lower().replace("_", " ")

    @classmethod
    def from_label(cls, label: object) -> Origin:
        """Read a name from the journal; any other is *unknown*."""
        known = {one.label: one for one in cls}
        return known.get(str(label), cls.UNKNOWN)

    @property
    def is_trusted(self) -> bool:
        """Whether it may support a sentence that names no source.

        Project files rank above unknown text, but many hands write them.
        """
        return self in (Origin.UNKNOWN, Origin.ASSISTANT, Origin.PERSON)


@dataclass(frozen=True)
class Stamp:
    """The origin of one sentence.

    ``message`` is the message it came from, in the session of its change.
    ``sources`` names the earlier changes that wrote what it was made of.
    ``inferred`` marks a *Why* or *How to apply* that a model inferred.
    ``moved`` says where the sentence was before its memory was moved from
    another directory: place, who, at, session, message.
    """

    origin: Origin = Origin.UNKNOWN
    message: str = ""
    sources: tuple[str, ...] = ()
    inferred: bool = False
    moved: Mapping[str, str] = field(default_factory=dict, hash=False)

    def as_json(self) -> dict[str, Any]:
        """Give the stamp as the journal keeps it."""
        said = {**vars(self), "origin": self.origin.label}
        said |= {"sources": [*self.sources], "moved": {**self.moved}}
        return {name: value for name, value in said.items() if value}

    @classmethod
    def from_json(cls, value: Any) -> Stamp:
        """Read a stamp; what cannot be read is *unknown*."""
        known = value if isinstance(value, Mapping) else {}
        return cls(
            Origin.from_label(known.get("origin")),
            str(known.get("message", "")),
            tuple(map(str, known.get("sources", ()))),
            bool(known.get("inferred")),
            dict(known.get("moved", {})),
        )


@dataclass(frozen=True)
class Stamped:
    """A stamp and the change that made it."""

    entry: Entry
    stamp: Stamp


Stamps = Mapping[str, Mapping[str, Stamped]]
"""By file, and by the key of a sentence."""


@dataclass(frozen=True)
class Source:
    """A sentence that may support another one, with its origin.

    ``file`` is the memory that it is in, "" for a message. ``change`` is the
    change that wrote it. What the person asked not to save is ``off_record``.
    """

    sentence: Sentence
    stamp: Stamp
    file: str = ""
    change: str = ""
    off_record: bool = False


def stamps_of(entries: Iterable[Entry]) -> dict[str, dict[str, Stamped]]:
    """Read from the journal how the sentences of each file are stamped.

    The newest stamp counts. A confirmation that was undone does not.
    """
    entries = list(entries)
    gone = undone(entries)
    found: dict[str, dict[str, Stamped]] = {}
    for entry in entries:
        if entry.what == CONFIRM and entry.id in gone:
            continue
        for file, stamps in entry.origins.items():
            for key, value in stamps.items():
                stamped = Stamped(entry, Stamp.from_json(value))
                found.setdefault(file, {})[key] = stamped
    return found


def remembered(
    contents: Mapping[str, bytes | None], stamps: Stamps
) -> list[Source]:
    """Give the sentences of memories as sources, with their stamps.

    An index is left out: its lines repeat what is in the files.
    """
    found: list[Source] = []
    for file in [one for one in contents if one not in INDEXES]:
        known = stamps.get(file, {})
        for sentence in sentences_of(file, contents[file]):
            stamped = known.get(sentence.key)
            stamp = stamped.stamp if stamped else Stamp()
            change = stamped.entry.id if stamped else ""
            found.append(Source(sentence, stamp, file, change))
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
        rows = [self.text, f"    origin: {self.stamp.origin.label}{inferred}"]
        if not self.changes:
            rows.append(
                "    no line of the journal says who wrote it: an edit by"
                " hand, another program, or an older memlab"
            )
        for number, entry in enumerate(self.changes):
            verb = "made from what was written by" if number else "written by"
            if entry.what == CONFIRM:
                verb = "confirmed by"
            message = "" if number else self.stamp.message
            said = f"{verb} {entry.who}, {entry.at[:16]} ({entry.id})"
            said += _where(entry.session, message or entry.turn)
            rows.append(f"    {said}")
        moved = self.stamp.moved
        if moved:
            said = f"moved here from {moved.get('place', '')}"
            if moved.get("who"):
                at = moved.get("at", "")[:16]
                said += f"; written there by {moved['who']}, {at}"
            said += _where(moved.get("session", ""), moved.get("message", ""))
            rows.append(f"    {said}")
        return "\n".join(rows)


def _where(session: str, message: str) -> str:
    said = f", session {session}" if session else ""
    return f"{said}, message {message}" if message else said


def explain(
    file: str, data: bytes, entries: Iterable[Entry]
) -> list[LineOrigin]:
    """Say of each sentence of a memory where it came from, through merges and
    dreams.
    """
    entries = list(entries)
    by_id = {entry.id: entry for entry in entries}
    stamps = stamps_of(entries).get(file, {})
    found = []
    for sentence in sentences_of(file, data):
        stamped = stamps.get(sentence.key)
        if stamped is None:
            found.append(LineOrigin(sentence.text, Stamp()))
            continue
        sources = reversed(stamped.stamp.sources)
        names = dict.fromkeys([stamped.entry.id, *sources])
        changes = tuple(by_id[one] for one in names if one in by_id)
        found.append(LineOrigin(sentence.text, stamped.stamp, changes))
    return found

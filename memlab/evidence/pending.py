"""Changes that wait for a person, all in one list.

A sentence that nobody said, and a dream that would change more than is allowed
without a review, are not written. They are kept in
``.memlab/pending/changes.json``, which is replaced as a whole, so a group of
changes waits completely or not at all. An id is made of the content, so adding
a change again adds nothing. The caller holds the store's guard for ``add``,
``accept`` and ``drop``; reading needs none, and never writes. Who may decide,
and whether a decision is wise, is not known here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from memlab.errors import StoreError
from memlab.evidence.sentences import Sentence, as_memory, sentences_of
from memlab.memdir.folder import Folder
from memlab.memdir.journal import content_hash
from memlab.memdir.memory import Memory, MemoryType, format_memory
from memlab.text import shorten

LIST = ".memlab/pending/changes.json"
DREAM = "dream"
ABOUT_CHARACTERS = 150


@dataclass(frozen=True)
class PendingChange:
    """A change of one file that waits.

    ``text`` is a sentence to be appended if ``base`` is None. Otherwise it is
    the whole file, None to remove it, and ``base`` is the hash of the content
    that it replaces, "" for no file. Changes of a ``group``, which says why
    they wait, belong together. ``why`` says why a sentence waits, or for a
    removal the reason. ``stamps`` has the
    origin of its sentences, by key, which they keep if it is accepted.
    """

    file: str
    text: str | None
    base: str | None = None
    why: str = ""
    group: str = ""
    who: str = ""
    session: str = ""
    turn: str = ""
    at: str = ""
    stamps: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Twelve digits by which a person names it."""
        said = json.dumps([self.file, self.text, self.base, self.group])
        return hashlib.sha256(said.encode()).hexdigest()[:12]

    @property
    def data(self) -> bytes | None:
        """The text as bytes, which need not be UTF-8."""
        if self.text is None:
            return None
        return self.text.encode("utf-8", "surrogateescape")

    @property
    def closes_gate(self) -> bool:
        """Whether it is part of a dream, while which no other may begin."""
        return self.group.startswith(DREAM)

    @property
    def line(self) -> str:
        """It in one line."""
        what = "" if self.base is None else " (the whole file)"
        said, memory = self.text or "", as_memory(self.data)
        if memory:
            said = memory.body
            if memory.description not in said:
                said = f"{memory.description} · {said}"
        return f"{self.file}{what}: {shorten(said, 300)} — {self.why}"


def waiting(folder: Folder) -> list[PendingChange]:
    """List what waits, the oldest first; raises StoreError for a damaged list,
    to which nothing may be added.
    """
    data = folder.read(LIST).data
    try:
        found = [] if data is None else json.loads(data)
        return [PendingChange(**one) for one in found]
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreError(
            "the list of what waits for you cannot be read",
            where=folder.path / LIST,
            do="Correct it, or delete it",
        ) from error


def add(folder: Folder, changes: Iterable[PendingChange], mtime: int) -> None:
    """Add changes to what waits, as one; ``mtime`` is in nanoseconds.

    The store does this before it commits the rest of a write: stopped in
    between, a sentence waits and its file is as it was.
    """
    known = waiting(folder)
    ids = {one.id for one in known}
    _save(
        folder, [*known, *(one for one in changes if one.id not in ids)], mtime
    )


def drop(folder: Folder, gone: Iterable[PendingChange], mtime: int) -> None:
    """Forget changes that waited, after they are committed or rejected."""
    ids = {one.id for one in gone}
    _save(folder, [one for one in waiting(folder) if one.id not in ids], mtime)


def accepted(
    folder: Folder, chosen: Iterable[PendingChange]
) -> dict[str, tuple[str, bytes | None]]:
    """Give what a commit has to write for changes that a person accepts: by
    file, the hash of what it replaces and the new content, None for no file.

    A sentence is appended to the file as it is now, or to the whole file that
    is accepted with it; without a file it makes a memory of its own.
    """
    found: dict[str, tuple[str, bytes | None]] = {}
    for one in sorted(chosen, key=lambda one: one.base is None):
        if one.base is not None:
            found[one.file] = one.base, one.data
            continue
        now = folder.read(one.file).data
        base, data = found.get(one.file, (content_hash(now), now))
        found[one.file] = base, _with_sentence(one, data)
    return found


def _with_sentence(one: PendingChange, data: bytes | None) -> bytes | None:
    """Append a sentence to a memory; to none it is one of its own."""
    said, memory = one.text or "", as_memory(data)
    there = {each.key for each in sentences_of(one.file, data)}
    if Sentence(said).key in there:  # accepting it was stopped half way
        return data
    if memory is None:
        title = PurePosixPath(one.file).stem.replace("-", " ").capitalize()
        about = shorten(said, ABOUT_CHARACTERS)
        memory = Memory(title, about, MemoryType.project, "")
    body = f"{memory.body.rstrip()}\n\n{said}\n".lstrip("\n")
    return format_memory(replace(memory, body=body)).encode()


def _save(folder: Folder, left: Iterable[PendingChange], mtime: int) -> None:
    text = json.dumps([asdict(one) for one in left], indent=1)
    folder.write(LIST, text.encode("ascii"), mtime)

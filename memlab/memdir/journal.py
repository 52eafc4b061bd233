"""The journal: one line for each change to a memory directory, naming files and hashes, no content.

A line counts once it is whole. A torn one, which a crash left, is as if it were not there. Left
out: the contents that the hashes name, and what makes a change safe (``commit``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memlab.errors import StoreError
from memlab.memdir.files import RealFiles

ERASED = "erased"


@dataclass(frozen=True)
class Change:
    """One file in a change: hashes of its content ("" for no file), mtimes in nanoseconds."""

    file: str
    before: str
    after: str
    mtime_before: int = 0
    mtime_after: int = 0


@dataclass(frozen=True)
class Entry:
    """One change of one or more files, by whom and why.

    ``kept`` names files that someone else changed while this was carried out: they stayed as found,
    under that hash. ``sources`` names messages of the session beside ``turn`` that a memory came
    from. ``withheld`` names, by session, the messages that a forgotten memory came from: nothing
    is learned from them again. ``forgets`` is a file whose contents were erased for good, and
    ``swaps`` says which content of the index has stood for an older one since then.
    """

    id: str
    at: str
    who: str
    what: str
    changes: tuple[Change, ...]
    session: str = ""
    turn: str = ""
    reason: str = ""
    undoes: str = ""
    forgets: str = ""
    sources: Sequence[str] = ()
    withheld: Mapping[str, Sequence[str]] = field(default_factory=dict)
    swaps: Mapping[str, str] = field(default_factory=dict)
    kept: Mapping[str, str] = field(default_factory=dict)

    def change_of(self, file: str) -> Change | None:
        """Give what this did to a file, or None."""
        return next((change for change in self.changes if change.file == file), None)

    def hashes(self) -> set[tuple[str, str]]:
        """Give, with its file, each content that an undo may need."""
        before = set() if self.forgets else {(one.file, one.before) for one in self.changes}
        after = {(one.file, one.after) for one in self.changes}
        return {pair for pair in before | after | set(self.kept.items()) if pair[1]}


class Journal:
    """A journal file; ``entries``, oldest first, and ``pending`` are as it was last read.

    ``pending`` is the newest entry while no line says that it was carried out.
    """

    def __init__(self, path: Path, files: RealFiles) -> None:
        self.path = path
        self.entries: list[Entry] = []
        self.pending: Entry | None = None
        self._files = files
        self._whole = b""

    @property
    def size(self) -> int:
        """The bytes of the whole lines."""
        return len(self._whole)

    def read(self) -> bool:
        """Read what is new, and tell whether a torn line follows; StoreError for a damaged one."""
        raw = self._files.read(self.path).data or b""
        if not raw.startswith(self._whole):
            self._whole, self.entries, self.pending = b"", [], None
        good = self.size
        try:
            while end := raw.find(b"\n", good) + 1:
                self._take(json.loads(raw[good:end]))
                good = end
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            if end < len(raw):
                where = f"{self.path}:{raw.count(10, 0, end)}"
                do = "Restore it from a backup, or move .memlab away, and the history with it"
                raise StoreError("the journal is damaged", where=where, do=do) from error
        finally:
            self._whole = raw[:good]
        return good < len(raw)

    def last(self, file: str) -> str | None:
        """Give the hash a file had after its newest entry; None if no entry names it."""
        changes = [one for entry in self.entries if (one := entry.change_of(file))]
        return changes[-1].after if changes else None

    def standing(self, change: str = "") -> tuple[Entry, list[Entry]]:
        """Find an entry to undo, by default the newest not undone yet, and those that follow it.

        Entries that were undone since do not count, nor do the undoings.
        """
        undone: set[str] = set()
        for entry in reversed(self.entries):
            if entry.id not in undone:
                undone.add(entry.undoes)
        left = [one.id for one in self.entries if not one.undoes and one.id not in undone]
        if not change and not left:
            raise StoreError("there is no change to undo", where=self.path, do="Name a change")
        wanted = change or left[-1]
        for place, entry in enumerate(self.entries):
            if entry.id == wanted and not entry.forgets:
                later = self.entries[place + 1 :]
                gone = undone | {one.id for one in later if one.undoes in {two.id for two in later}}
                return entry, [one for one in later if one.id not in gone]
        do = "Choose one from the history; what was forgotten for good stays so"
        raise StoreError(f"there is no change to undo called {wanted}", where=self.path, do=do)

    def append(self, record: Mapping[str, object]) -> None:
        """Add one line and return when it is on the disk."""
        told = {name: value for name, value in record.items() if value or name == "changes"}
        line = json.dumps(told, ensure_ascii=False) + "\n"
        self._files.append(self.path, line.encode("utf-8", "surrogatepass"))
        self._files.sync(self.path)
        if not self.size:
            self._files.sync_directory(self.path.parent)

    def cut(self, size: int) -> None:
        """Take off what stands behind the first ``size`` bytes."""
        if len(self._files.read(self.path).data or b"") > size:
            self._files.cut(self.path, size)
            self._files.sync(self.path)

    def _take(self, record: dict[str, Any]) -> None:
        if "applied" in record:
            self.entries[-1] = replace(self.entries[-1], kept=record.get("kept", {}))
            self.pending = None
            return
        changes = tuple(Change(**change) for change in record.pop("changes"))
        entry = Entry(changes=changes, **record)
        if entry.forgets:
            self.entries = [_without(entry, older) for older in self.entries]
        self.entries.append(entry)
        self.pending = entry


def _without(forget: Entry, older: Entry) -> Entry:
    """Read an entry as it is since a file was forgotten: naming none of its contents."""

    def now(file: str, sha: str) -> str:
        return ERASED if sha and file == forget.forgets else forget.swaps.get(sha, sha)

    changes = (
        replace(one, before=now(one.file, one.before), after=now(one.file, one.after))
        for one in older.changes
    )
    kept = {file: now(file, sha) for file, sha in older.kept.items()}
    return replace(older, changes=tuple(changes), kept=kept)

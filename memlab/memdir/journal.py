"""The journal: one line per change of a memory directory, with files and
hashes, no content.

A line counts once it is complete; a torn line, left by a crash, is ignored.
One line records the version of the journal. A field that an older memlab can
ignore without harm does not raise the version, and fields this memlab does not
know are kept. A change of meaning does raise it, and a journal of a newer
version is refused.

The contents that the hashes name, and the order of writes that makes a change
safe, are in ``wal``.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from memlab.bridge import RealFiles
from memlab.errors import StoreError

# Version 1, of memlab 0.1, records no version. Its images were deleted when no
# line named them, and forgetting for good left names and reasons in it.
# Version 2 records its version; an image that no line names is kept, and a
# line that forgets lists what is to be erased.
VERSION = 2
ERASED = "erased"
ERASED_TEXT = "erased for good"
LOG = "log"
"""What an entry says that stamps lines of a daily log. It has no changes,
because a log keeps all its lines, and it cannot be undone."""
LATEST_NAMED = 5
_IDS = {"id", "at", "who", "what", "session", "turn", "undoes", "applied"}
_WITHOUT_WORDS = _IDS | {"erases", "swaps", "sources", "withheld"}


@dataclass(frozen=True)
class Change:
    """One file in a change: hashes of its content ("" for no file), mtimes in
    nanoseconds.
    """

    file: str
    before: str
    after: str
    mtime_before: int = 0
    mtime_after: int = 0


@dataclass(frozen=True)
class Entry:
    """One change of one or more files, by whom and why.

    ``kept`` names files that someone else changed while the change was
    applied: they were left as they were, with the content of that hash.
    ``forgets`` is a file whose contents are erased for good; ``erases`` has
    the hashes of these contents, and ``swaps`` says which content of the index
    has replaced an older one since then. ``sources`` names messages of the
    session beside ``turn`` that a memory came from. ``withheld`` names, by
    session, the messages that a forgotten memory came from: nothing is learned
    from them again. ``origins`` has, by file and by the hash of a sentence,
    where new text came from (``memlab.memdir.origin``).
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
    erases: tuple[str, ...] = ()
    sources: Sequence[str] = ()
    withheld: Mapping[str, Sequence[str]] = field(default_factory=dict)
    swaps: Mapping[str, str] = field(default_factory=dict)
    kept: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, Any] = field(default_factory=dict)

    def change_of(self, file: str) -> Change | None:
        """Give what this did to a file, or None."""
        return next(
            (change for change in self.changes if change.file == file), None
        )

    def hashes(self) -> set[tuple[str, str]]:
        """Give, with its file, each content that an undo may need."""
        before = (
            set()
            if self.forgets
            else {(one.file, one.before) for one in self.changes}
        )
        after = {(one.file, one.after) for one in self.changes}
        return {
            pair for pair in before | after | set(self.kept.items()) if pair[1]
        }

    @property
    def alias(self) -> str:
        """The name that the journal uses for a forgotten file once its own
        name is erased.
        """
        return f"forgotten-{self.id}.md"


class Journal:
    """A journal file; ``entries``, oldest first, and ``pending`` are as of the
    last reading.

    ``pending`` is the newest entry if no line says yet that it was applied.
    """

    def __init__(self, path: Path, files: RealFiles) -> None:
        self.path = path
        self._files = files
        self._whole = b""
        self._start_over()

    @property
    def size(self) -> int:
        """The bytes of the complete lines."""
        return len(self._whole)

    def read(self) -> bool:
        """Read what is new, and say whether a torn line follows.

        Raises StoreError for a damaged journal and for one of a newer version.
        """
        raw = self._files.read(self.path).data or b""
        if not raw.startswith(self._whole):
            self._start_over()
        good = self.size
        end = good
        try:
            while end := raw.find(b"\n", good) + 1:
                self._take(json.loads(raw[good:end]))
                good = end
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            if end < len(raw):
                where = f"{self.path}:{raw.count(10, 0, end)}"
                do = (
                    "Restore it from a backup, or move .memlab away, and the"
                    " history with it"
                )
                raise StoreError(
                    "the journal is damaged", where=where, do=do
                ) from error
        finally:
            self._whole = raw[:good]
        return good < len(raw)

    def last(self, file: str) -> str | None:
        """Give the hash a file had after its newest entry; None if no entry
        names it.
        """
        changes = [
            one for entry in self.entries if (one := entry.change_of(file))
        ]
        return changes[-1].after if changes else None

    def needed(self) -> set[str]:
        """Give the hash of every content that an undo may need."""
        return {sha for entry in self.entries for _, sha in entry.hashes()} - {
            ERASED
        }

    def standing(self, change: str = "") -> tuple[Entry, list[Entry]]:
        """Find an entry to undo, by default the newest not undone yet, and
        those that follow it.

        Entries that were undone since do not count, nor do the undoings.
        """
        undone: set[str] = set()
        for entry in reversed(self.entries):
            if entry.id not in undone:
                undone.add(entry.undoes)
        left = [
            one.id
            for one in self.entries
            if not one.undoes and one.id not in undone and one.what != LOG
        ]
        if not change and not left:
            raise StoreError("there is no change to undo", do="Name a change")
        wanted = change or left[-1]
        for place, entry in enumerate(self.entries):
            if entry.id == wanted and entry.what == LOG:
                raise StoreError(
                    f"{wanted} is about a daily log, which only grows",
                    do="Erase the line: /forget --for-good FILE:LINE",
                )
            if entry.id == wanted and not entry.forgets:
                later = self.entries[place + 1 :]
                gone = undone | {
                    one.id
                    for one in later
                    if one.undoes in {two.id for two in later}
                }
                return entry, [one for one in later if one.id not in gone]
        do = "What was forgotten for good is no longer in the history"
        if left:
            do = (
                f"The latest are {', '.join(reversed(left[-LATEST_NAMED:]))}."
                f" {do}"
            )
        raise StoreError(f"there is no change to undo called {wanted}", do=do)

    def append(self, record: Mapping[str, object]) -> None:
        """Add one line and return when it is on the disk; a first entry brings
        the version.
        """
        lines = [record]
        if "changes" in record and self.version < VERSION:
            lines.insert(0, {"version": VERSION})
        self._files.append(self.path, _encode(map(_without_empty, lines)))
        self._files.sync(self.path)
        if not self.size:
            self._files.sync_directory(self.path.parent)

    def cut(self, size: int) -> None:
        """Remove what follows the first ``size`` bytes."""
        if len(self._files.read(self.path).data or b"") > size:
            self._files.cut(self.path, size)
            self._files.sync(self.path)

    def records(self) -> list[dict[str, Any]]:
        """Give the lines as they are in the file, with the fields that this
        memlab does not know.

        What was forgotten for good is still named in them until the journal is
        rewritten.
        """
        raw = self._files.read(self.path).data or b""
        return [json.loads(line) for line in raw[: self.size].splitlines()]

    def rewrite(self, records: Iterable[Mapping[str, object]]) -> None:
        """Put these lines in the place of all there are; a crash leaves the
        old ones or these.
        """
        temporary = self.path.with_name(".memlab-journal.tmp")
        self._files.write(temporary, _encode(records))
        self._files.sync(temporary)
        self._files.replace(temporary, self.path)
        self._files.sync_directory(self.path.parent)
        self.read()

    def _start_over(self) -> None:
        self.entries: list[Entry] = []
        self.pending: Entry | None = None
        self.version = 1
        self._whole = b""

    def _take(self, record: Mapping[str, Any]) -> None:
        if "version" in record:
            self._take_version(record["version"])
        elif "applied" in record:
            self.entries[-1] = replace(
                self.entries[-1], kept=record.get("kept", {})
            )
            self.pending = None
        else:
            entry = _entry(record)
            if entry.forgets:
                self.entries = [
                    _without(entry, older) for older in self.entries
                ]
            self.entries.append(entry)
            self.pending = entry if entry.what != LOG else None

    def _take_version(self, version: int) -> None:
        if version > VERSION:
            what = (
                f"a newer memlab wrote this journal (version {version}; this"
                f" one reads {VERSION})"
            )
            do = (
                "Update memlab and open it again; the memory files can be read"
                " as they are"
            )
            raise StoreError(what, where=self.path, do=do)
        self.version = version


# how much before a place in the journal tells whether it is still the same
_BEFORE = 4_096
# how much of the end is read to see whether a change is under way
_END = 65_536


def files_changed_since(
    path: Path, position: str
) -> tuple[set[str] | None, str]:
    """Read the end of a journal: which files it says were changed since
    ``position``, and the position to ask from the next time.

    The files are None if that cannot be said: because ``position`` is empty,
    or the journal was cut, rewritten or replaced. A change that is under way
    is before the new position only when its files are in place, so it is
    given again.
    """
    before, _, digest = position.partition(" ")
    place = int(before) if before.isdigit() else -1
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            start = max(0, place - _BEFORE if place >= 0 else size - _END)
            file.seek(start)
            data = file.read()
    except OSError:
        start, data = 0, b""
    same = place >= 0 and _digest(data, place - start) == digest
    at = place - start if same else data.find(b"\n") + 1 if start else 0
    settled = at
    files: set[str] = set()
    while end := data.find(b"\n", at) + 1:
        try:
            record = json.loads(data[at:end])
            names = {change["file"] for change in record.get("changes", ())}
            if not all(isinstance(name, str) for name in names):
                raise ValueError("a file has no name")
        except (ValueError, TypeError, LookupError, AttributeError):
            same, names = False, set()
        files |= names
        settled = at if names else end
        at = end
    return (
        files if same else None,
        f"{start + settled} {_digest(data, settled)}",
    )


def _digest(data: bytes, end: int) -> str:
    if end > len(data):
        return "cut"
    window = data[max(0, end - _BEFORE) : end]
    return hashlib.sha256(window).hexdigest()[:16]


def redact(
    record: Mapping[str, Any], forget: Entry, contains: Callable[[str], bool]
) -> dict[str, Any]:
    """Give a line of the journal without a forgotten file: its name, its
    hashes, its reasons.

    ``contains`` says whether a text contains any words of the file; such a
    text is erased wherever it is in the line, except for the names of other
    files, without which their history would be lost. All other fields stay,
    known or not.
    """
    touched = any(
        one["file"] == forget.forgets for one in record.get("changes", ())
    )
    redacted = {}
    for name, value in record.items():
        if name in _WITHOUT_WORDS:
            redacted[name] = value
        elif name == "reason" and touched:
            redacted[name] = ERASED_TEXT
        elif name == "origins":  # hashes and ids, no words
            redacted[name] = _without_origins(value, forget.forgets)
        else:
            redacted[name] = _redacted(value, forget, contains)
    return redacted


def without_stamps(
    record: Mapping[str, Any], file: str, keys: Collection[str]
) -> dict[str, Any]:
    """Give a line of the journal without the stamps of some sentences of a
    file.
    """
    origins = record.get("origins")
    if not isinstance(origins, Mapping) or file not in origins:
        return {**record}
    left = {
        key: stamp for key, stamp in origins[file].items() if key not in keys
    }
    return {**record, "origins": {**origins, file: left}}


def _without_origins(origins: Any, file: str) -> dict[str, Any]:
    if not isinstance(origins, Mapping):
        return {}
    return {name: value for name, value in origins.items() if name != file}


def _redacted(
    value: Any, forget: Entry, contains: Callable[[str], bool]
) -> Any:
    if isinstance(value, dict):
        mine = value.get("file") == forget.forgets
        found = {}
        for name, part in value.items():
            key = forget.alias if name == forget.forgets else name
            erased = part and (
                key == forget.alias or (mine and name in ("before", "after"))
            )
            if erased:
                found[key] = ERASED
            elif name == "file" and isinstance(part, str) and not mine:
                found[key] = part
            else:
                found[key] = _redacted(part, forget, contains)
        return found
    if isinstance(value, list | tuple):
        return [_redacted(part, forget, contains) for part in value]
    if isinstance(value, str):
        if value == forget.forgets:
            return forget.alias
        if value in forget.swaps:
            return forget.swaps[value]
        return ERASED_TEXT if contains(value) else value
    return value


def _entry(record: Mapping[str, Any]) -> Entry:
    """Read an entry; fields that this memlab does not know stay in the file
    and are not read.
    """
    known = {
        one.name: record[one.name]
        for one in fields(Entry)
        if one.name in record
    }
    changes = tuple(
        Change(
            **{
                one.name: change[one.name]
                for one in fields(Change)
                if one.name in change
            }
        )
        for change in record["changes"]
    )
    return Entry(
        **known
        | {
            "changes": changes,
            "erases": tuple(record.get("erases", ())),
        }
    )


def _without(forget: Entry, older: Entry) -> Entry:
    """Read an entry as it is since a file was forgotten: naming none of its
    contents.
    """

    def now(file: str, sha: str) -> str:
        return (
            ERASED
            if sha and file == forget.forgets
            else forget.swaps.get(sha, sha)
        )

    changes = (
        replace(
            one,
            before=now(one.file, one.before),
            after=now(one.file, one.after),
        )
        for one in older.changes
    )
    kept = {file: now(file, sha) for file, sha in older.kept.items()}
    origins = _without_origins(older.origins, forget.forgets)
    return replace(older, changes=tuple(changes), kept=kept, origins=origins)


def _without_empty(record: Mapping[str, object]) -> dict[str, object]:
    return {
        name: value
        for name, value in record.items()
        if value or name == "changes"
    }


def _encode(records: Iterable[Mapping[str, object]]) -> bytes:
    lines = (
        json.dumps(record, ensure_ascii=False) + "\n" for record in records
    )
    return "".join(lines).encode("utf-8", "surrogatepass")

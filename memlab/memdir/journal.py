"""The journal: changes of several files, each complete or not at all, and each
to be undone.

``.memlab/`` holds ``images/``, each content that a file had before or after a
change, named by its hash, and a journal with one line per change. A change
reaches the disk in this order:

1. the images, as ``HASH.new``, and the new files under temporary names;
2. the line in the journal. This is the commit point;
3. the renames; then a line that says they are done.

A change that has its line happens: if it is stopped, the next writer finishes
it. A change without a line never happened, and what was prepared for it is
removed. An image without ``.new`` is removed only by ``erase``. Reading never
writes. What somebody else has put in the place of a file is left as it is, and
named.

This module knows bytes and names. What a memory or an index is, and who may
change it, is decided in the store.
"""

from __future__ import annotations

import errno
import hashlib
import json
import re
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from os.path import dirname
from pathlib import Path
from typing import Any

from memlab.clock import to_nanoseconds
from memlab.errors import StoreError
from memlab.memdir.folder import (
    LEFTOVER,
    PRIVATE_FILE,
    SWAPPED,
    Folder,
    temporary,
)
from memlab.memdir.places import STORE_FOLDER

VERSION = 3
JOURNAL = f"{STORE_FOLDER}/journal.jsonl"
IMAGES = f"{STORE_FOLDER}/images"
GUARD = f"{STORE_FOLDER}/guard.lock"
# the number of the newest change, in case an older journal is put back
LAST = f"{STORE_FOLDER}/last.json"
LOG = "log"  # an entry that stamps lines of a daily log, without a change
ERASED, ERASED_TEXT = "erased", "erased for good"

_LEFTOVER = re.compile(
    rf"{re.escape(IMAGES)}/[0-9a-f]{{64}}\.new|{LEFTOVER.pattern}"
)
_IMAGE = re.compile(r"[0-9a-f]{64}")
_FULL = (errno.ENOSPC, errno.EDQUOT)

Files = Mapping[str, tuple[str, bytes | None]]
"""By file: the hash of the content that was reviewed, and the new content,
None to remove it."""


@dataclass(frozen=True)
class FileChange:
    """One file of a change: the hashes of its contents, "" for no file, and
    its mtimes in nanoseconds.
    """

    file: str
    before: str
    after: str
    mtime_before: int = 0
    mtime_after: int = 0


@dataclass(frozen=True)
class Entry:
    """One change, by whom, and why.

    ``at`` is ISO 8601 in UTC. ``sources`` names further messages of the
    session beside ``turn``. ``undoes`` is the id of another change. A memory
    that is erased for good is named by ``forgets``. The images that go with it
    are in ``erases``, and so are other changes whose reasons go; ``swaps`` has
    the images that take the place of others.
    ``withheld`` has, by session, messages of which nothing may be learned any
    more. Files that were left as somebody else had changed them are ``kept``.
    ``origins`` has, by file and by the key of a sentence, whose words it is.
    """

    id: str
    at: str
    who: str
    what: str
    changes: tuple[FileChange, ...] = ()
    session: str = ""
    turn: str = ""
    reason: str = ""
    undoes: str = ""
    forgets: str = ""
    erases: Sequence[str] = ()
    sources: Sequence[str] = ()
    withheld: Mapping[str, Sequence[str]] = field(default_factory=dict)
    swaps: Mapping[str, str] = field(default_factory=dict)
    kept: Sequence[str] = ()
    origins: Mapping[str, Any] = field(default_factory=dict)

    def change_of(self, file: str) -> FileChange | None:
        """Give what this did to a file."""
        return next((one for one in self.changes if one.file == file), None)

    @property
    def hashes(self) -> set[str]:
        """The contents that this change has to do with."""
        both = {sha for one in self.changes for sha in (one.before, one.after)}
        return (both | set(self.swaps.values())) - {"", ERASED}


class Journal:
    """The changes of one directory, ``entries``, oldest first, as of the last
    ``read``.

    ``unfinished`` are those that have their line and are not in place yet.
    Writers wait at most ``wait`` seconds for each other.
    """

    def __init__(self, folder: Folder, *, wait: float = 10.0) -> None:
        self.folder = folder
        self.wait = wait
        self._inside = 0  # the thread that has it
        self._whole = b""
        self._start_over()

    def open(self) -> None:
        """Read the journal, and settle what a crash has left if that can be
        done now.
        """
        with store_errors(self.folder.path):
            crashed = self.read() or self.unfinished or any(self._leftovers())
        if crashed:
            with suppress(StoreError), self.guard():
                self._sweep()

    def read(self) -> bool:
        """Read what is new, and tell whether half a line follows.

        Raises StoreError for a damaged journal, or one of a newer memlab.
        """
        data = self.folder.read(JOURNAL).data or b""
        if not data.startswith(self._whole):
            self._start_over()
        start, end = len(self._whole), data.rfind(b"\n") + 1
        lines = data[start:end].split(b"\n")[:-1]
        for number, line in enumerate(lines, data.count(b"\n", 0, start) + 1):
            try:
                self._take(json.loads(line))
            except (
                ValueError,
                TypeError,
                LookupError,
                AttributeError,
            ) as error:
                self._start_over()
                where = f"{self.folder.path / JOURNAL}:{number}"
                do = f"Restore it from a backup, or move {STORE_FOLDER} away"
                raise StoreError(
                    "the journal is damaged", where=where, do=do
                ) from error
        self._whole = data[:end]
        return end < len(data)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Keep other writers out, and finish or remove what a crash has left;
        a thread that is inside already goes on.

        An OSError inside becomes a StoreError that says what to do.
        """
        me = threading.get_ident()
        if self._inside == me:
            yield
            return
        with store_errors(self.folder.path):
            self.folder.make(IMAGES)
            with exclusive(self.folder.real / GUARD, self.wait):
                self._inside = me
                try:
                    self._settle()
                    yield
                finally:
                    self._inside = 0

    def commit(
        self,
        draft: Entry,
        files: Files,
        times: Mapping[str, int] | None = None,
    ) -> Entry:
        """Make one change, under the guard; gives its entry, with an id, or
        with none if there was nothing to do.

        ``times`` has mtimes in nanoseconds, by default that of the entry. A
        file that is no longer as it was reviewed is left alone and named in
        ``kept``. After an OSError nothing has happened; an error after the
        commit point is not raised, and the change is finished later.
        """
        entry, contents = self._planned(draft, files, times or {})
        says_more = not entry.kept and (entry.origins or entry.undoes)
        if not entry.changes and not says_more:
            return replace(entry, id="")
        return self._write(entry, contents)

    def undo(
        self, entry: Entry
    ) -> tuple[dict[str, tuple[str, bytes | None]], dict[str, int], list[str]]:
        """Give the files and their times that take a change back, and the
        files that have changed since, by hand or by a later change, which
        stay.

        Raises StoreError if a content is not in the history any more.
        """
        files: dict[str, tuple[str, bytes | None]] = {}
        times: dict[str, int] = {}
        changed: list[str] = []
        for one in entry.changes:
            if one.file in entry.kept or ERASED in (one.before, one.after):
                continue
            now = content_hash(self.folder.read(one.file).data)
            if now == one.after:
                files[one.file] = (
                    now,
                    self.image(one.before) if one.before else None,
                )
                times[one.file] = one.mtime_before
            elif now != one.before:
                changed.append(one.file)
        return files, times, changed

    def erase(
        self,
        draft: Entry,
        file: str,
        files: Files,
        *,
        swaps: Mapping[str, bytes],
        also: Collection[str] = (),
    ) -> Entry:
        """Make a change that erases every content that only this file had, its
        name, and the reasons of its changes.

        ``swaps`` has, by hash, what takes the place of images that name the
        file, and ``also`` further images to erase, and changes whose reasons
        go. While the entry is in
        ``unfinished``, the next writer goes on with erasing.
        """
        self._sweep()
        entry, contents = self._planned(draft, files, {})
        if entry.kept:
            what = f"{', '.join(entry.kept)} was changed just now"
            raise StoreError(what, do="Look at it, then erase it again")
        contents |= {content_hash(data): data for data in swaps.values()}
        new = {old: content_hash(data) for old, data in swaps.items()}
        own, others = set(also) | new.keys(), set[str]()
        for change in (*self.entries, entry):
            for one in change.changes:
                both = {one.before, one.after}
                if one.file == file:
                    own |= both
                else:
                    others |= {new.get(sha, sha) for sha in both}
        erases = own - others - {"", ERASED}
        left = {
            sha: data for sha, data in contents.items() if sha not in erases
        }
        entry = replace(entry, forgets=file, erases=sorted(erases), swaps=new)
        return self._write(entry, left)

    def image(self, sha: str) -> bytes:
        """Give a content by its hash; raises StoreError if it is gone or
        damaged.
        """
        for name in (_image(sha), _new_image(sha)):
            data = self.folder.read(name).data
            if data is not None and content_hash(data) == sha:
                return data
        do = "Put it back from a backup, unless it was erased"
        where = self.folder.path / _image(sha)
        raise StoreError("an image is missing or damaged", where=where, do=do)

    def unexplained(self) -> list[str]:
        """Name the images that no line names, because the journal was lost or
        replaced by an older one.
        """
        images = self.folder.walk([], below=IMAGES)
        found = {name.rpartition("/")[2] for name, _ in images}
        self.read()
        return sorted(filter(_IMAGE.fullmatch, found - self._needed()))

    def last_hash(self, file: str) -> str:
        """Give the hash that a file had after its newest change; "" if none
        names it.
        """
        found = (entry.change_of(file) for entry in reversed(self.entries))
        return next((one.after for one in found if one), "")

    def standing(self, change: str = "") -> Entry:
        """Give a change that can be undone, by default the newest that was
        not; raises StoreError if there is none.
        """
        gone = undone(self.entries)
        can = [one for one in self.entries if one.changes or one.forgets]
        left = [one for one in can if not one.undoes and one.id not in gone]
        named = [one for one in can if one.id == change] if change else left
        if named and not named[-1].forgets:
            return named[-1]
        called = f" called {change}" if change else ""
        latest = ", ".join(one.id for one in left[-5:]) or "all undone"
        do = f"The latest are {latest}. What was forgotten for good is not in the history"
        raise StoreError(f"there is no change to undo{called}", do=do)

    def _start_over(self) -> None:
        self.entries: list[Entry] = []
        self.unfinished: dict[str, Entry] = {}
        self.version = 0
        self._whole = b""

    def _take(self, record: Mapping[str, Any]) -> None:
        self.version = record.get("version", self.version)
        if self.version > VERSION:
            what = (
                f"a newer memlab wrote this journal (version {self.version})"
            )
            do = "Update memlab; the memory files can be read as they are"
            raise StoreError(what, where=self.folder.path / JOURNAL, do=do)
        if "applied" in record:
            done = self.unfinished.pop(record["applied"], None)
            if done and record.get("kept"):
                place = self.entries.index(done)
                kept = (*done.kept, *record["kept"])
                self.entries[place] = replace(done, kept=kept)
        elif "id" in record:
            entry = _entry(record)
            self.entries.append(entry)
            if entry.changes or entry.forgets:
                self.unfinished[entry.id] = entry

    def _settle(self) -> None:
        if self.read():
            self._rewrite(self._whole)
        for entry in list(self.unfinished.values()):
            self._finish(entry)

    def _planned(
        self, draft: Entry, files: Files, times: Mapping[str, int]
    ) -> tuple[Entry, dict[str, bytes]]:
        """Say what a change will do, and give the contents that it needs, by
        hash.
        """
        busy = {
            one.file
            for entry in self.unfinished.values()
            for one in entry.changes
        }
        now = to_nanoseconds(datetime.fromisoformat(draft.at))
        changes: list[FileChange] = []
        kept: list[str] = []
        contents: dict[str, bytes] = {}
        for name, (reviewed, data) in files.items():
            found = self.folder.read(name)
            before, after = content_hash(found.data), content_hash(data)
            if name in busy:
                what = f"an earlier change of {name} is not in place yet"
                raise StoreError(
                    what, do="Close what has it open, then try again"
                )
            if before != reviewed:
                kept.append(name)
            elif before != after or name in draft.origins:
                mtime = (
                    times.get(name, now) if before != after else found.mtime
                )
                changes.append(
                    FileChange(name, before, after, found.mtime, mtime)
                )
                both = {before: found.data, after: data}
                contents |= {k: v for k, v in both.items() if v is not None}
        origins = {
            name: one
            for name, one in draft.origins.items()
            if name not in kept
        }
        entry = replace(
            draft,
            id=self._next_id(),
            changes=tuple(changes),
            kept=kept,
            origins=origins,
        )
        return entry, contents

    def _next_id(self) -> str:
        known = [_number(entry.id) for entry in self.entries]
        return _id(1 + max([self._last(), *known]))

    def _last(self) -> int:
        """Give the number of the newest change that was ever finished."""
        with suppress(ValueError, TypeError, LookupError):
            return _number(json.loads(self.folder.read(LAST).data or "")["id"])
        return 0

    def _write(self, entry: Entry, contents: Mapping[str, bytes]) -> Entry:
        """Bring a change to the disk."""
        record = {
            k: v for k, v in asdict(entry).items() if v or k == "changes"
        }
        version = [] if self.version == VERSION else [{"version": VERSION}]
        try:
            for sha, data in contents.items():
                if self.folder.read(_image(sha)).data != data:
                    self.folder.create(_new_image(sha), data, time.time_ns())
            for one in entry.changes:
                if one.after and one.after != one.before:
                    self._stage(one, contents[one.after])
            folders = {IMAGES, *(dirname(one.file) for one in entry.changes)}
            for place in folders:
                with suppress(FileNotFoundError):
                    self.folder.sync(place)
            self.folder.append(JOURNAL, _lines(*version, record))
        except OSError:
            self.read()
            if entry.id not in self.unfinished:
                with suppress(OSError):
                    self._sweep()
                raise
        self.read()
        self._finish(entry)
        return next(
            one for one in reversed(self.entries) if one.id == entry.id
        )

    def _stage(self, one: FileChange, data: bytes) -> None:
        mode = self.folder.read(one.file, 0).mode
        self.folder.create(temporary(one.file), data, one.mtime_after, mode)

    def _finish(self, entry: Entry) -> None:
        """Put a change that has its line into place, and note that; after an
        error it stays unfinished.
        """
        with suppress(OSError):
            for sha in entry.hashes - set(entry.erases):
                if self.folder.read(_new_image(sha), 0).data is not None:
                    self.folder.rename(_new_image(sha), _image(sha))
            kept = []
            newest = max(_number(one.id) for one in self.entries)
            # a journal without its end: what it begins was finished long ago
            is_cut = newest < self._last()
            for one in () if is_cut else entry.changes:
                if not self._put(one):
                    kept.append(one.file)
            last = _lines({"id": _id(max(newest, self._last()))})
            self.folder.write(LAST, last, time.time_ns())
            done = {"applied": entry.id} | ({"kept": kept} if kept else {})
            if entry.forgets:
                self._forget(entry, done)
            elif entry.changes:
                self.folder.append(JOURNAL, _lines(done))
            self.read()

    def _put(self, one: FileChange) -> bool:
        """Put one file into place, and tell whether it is as it should be."""
        fresh = temporary(one.file)
        if not one.file.endswith(".md"):  # a foreign line
            return False
        try:
            now = content_hash(self.folder.read(one.file).data)
            if now == one.before != one.after:
                if not one.after:
                    self.folder.remove(one.file)
                    return True
                if content_hash(self.folder.read(fresh).data) != one.after:
                    self._stage(one, self.image(one.after))
                self.folder.rename(fresh, one.file)
                return True
            if now == one.after:
                return True
        except StoreError:
            pass  # its image is lost
        except OSError as error:
            if error.errno not in SWAPPED:
                raise
        with suppress(OSError):
            self.folder.remove(fresh)
        return False

    def _forget(self, entry: Entry, done: Mapping[str, Any]) -> None:
        """Erase the images that an entry lists, and then what the journal says
        of its file.
        """
        for sha in filter(_IMAGE.fullmatch, entry.erases):
            self.folder.remove(_image(sha))
            self.folder.remove(_new_image(sha))
        # the fields that this memlab does not know stay
        records = [json.loads(one) for one in self._whole.split(b"\n")[:-1]]
        left = [_without_file(one, entry) for one in (*records, done)]
        self._rewrite(_lines(*left))

    def _sweep(self) -> None:
        """Remove what was prepared for changes that never happened."""
        needed = {*map(_new_image, self._needed())}
        for name in sorted({*self._leftovers()} - needed):
            self.folder.remove(name)

    def _leftovers(self) -> Iterator[str]:
        """Give the names of our own temporary files."""

        def enter(name: str) -> bool:
            return name.startswith(STORE_FOLDER) or "/." not in f"/{name}"

        names = (name for name, _ in self.folder.walk([], enter))
        return filter(_LEFTOVER.fullmatch, names)

    def _needed(self) -> set[str]:
        return set().union(*(entry.hashes for entry in self.entries))

    def _rewrite(self, data: bytes) -> None:
        self.folder.write(JOURNAL, data, time.time_ns())
        self.read()


def undone(entries: Iterable[Entry]) -> set[str]:
    """Give the ids of the changes that were taken back, and not brought back
    since.
    """
    found: set[str] = set()
    for entry in reversed(list(entries)):
        if entry.undoes and entry.id not in found:
            found.add(entry.undoes)
    return found


def content_hash(data: bytes | None) -> str:
    """Name a content by its SHA-256; "" for no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def exclusive(file: Path, wait: float) -> AbstractContextManager[object]:
    """Keep other processes and threads out, by a file that stays; a crash lets
    the next one in. Raises TimeoutError after ``wait`` seconds.
    """
    from filelock import FileLock

    return FileLock(
        file,
        timeout=wait,
        poll_interval=0.005,
        mode=PRIVATE_FILE,
        preserve_lock_file=True,
        fallback_to_soft=False,
    )


@contextmanager
def store_errors(where: Path) -> Iterator[None]:
    """Turn an OSError into a StoreError that says what to do."""
    try:
        yield
    except OSError as error:
        what = error.strerror or str(error)
        do = "Make sure that you may read and write it, then try again"
        if error.errno in _FULL:
            do = "Make room on the disk, then try again"
        if isinstance(error, TimeoutError):
            what = "another process is writing"
            do = "Try again when it has finished"
        place = Path(where, str(error.filename or ""))
        raise StoreError(what, where=place, do=do) from error


def _entry(record: Mapping[str, Any]) -> Entry:
    known = {
        one.name: record[one.name]
        for one in fields(Entry)
        if one.name in record
    }
    names = [one.name for one in fields(FileChange)]
    changes = [
        FileChange(**{name: one[name] for name in names if name in one})
        for one in record["changes"]
    ]
    return Entry(**known | {"changes": tuple(changes)})


def _without_file(value: Any, entry: Entry) -> Any:
    """Give a part of the journal without what was erased: the file's name, its
    contents, its stamps, and texts that name it or give reasons.
    """
    file, alias = entry.forgets, f"forgotten-{entry.id}.md"
    if isinstance(value, list):
        return [_without_file(one, entry) for one in value]
    if isinstance(value, str):
        names_it = re.search(rf"(?<![\w/-]){re.escape(file)}(?![\w-])", value)
        text = ERASED_TEXT if names_it else value
        return alias if value == file else entry.swaps.get(value, text)
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    is_change = value.get("file") == file
    touched = any(one["file"] == file for one in value.get("changes", ()))
    for key, part in value.items():
        if is_change and key in ("before", "after"):
            found[key] = ERASED if part else ""
        elif key == "origins":
            found[key] = {
                name: one for name, one in part.items() if name != file
            }
        elif key == "reason" and (touched or value.get("id") in entry.erases):
            found[key] = ERASED_TEXT
        elif key not in ("erases", "swaps"):
            found[alias if key == file else key] = _without_file(part, entry)
    return found


def _number(change: str) -> int:
    found = re.fullmatch(r"change-(\d{1,18})", change)
    return int(found[1]) if found else 0


def _id(number: int) -> str:
    return f"change-{number:04d}"


def _lines(*records: Mapping[str, Any]) -> bytes:
    texts = [json.dumps(record, ensure_ascii=False) for record in records]
    return "".join(f"{text}\n" for text in texts).encode(
        "utf-8", "surrogatepass"
    )


def _image(sha: str) -> str:
    return f"{IMAGES}/{sha}"


def _new_image(sha: str) -> str:
    return f"{IMAGES}/{sha}.new"

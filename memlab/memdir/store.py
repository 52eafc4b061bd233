"""The one write path into a memory directory: memory files, index and journal change together.

Every content a file had is kept, a person's own edits between two of ours included, so that every
change can be undone; only ``forget_for_good`` erases. Left out: what may be stored (``checks``),
and how a change survives a crash (``commit``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypedDict, Unpack

from memlab.clock import Clock, SystemClock
from memlab.errors import MemoryFormatError, MemoryRefusedError, StoreError
from memlab.memdir.checks import Finding, lint_memory
from memlab.memdir.commit import Commits, content_hash, store_errors
from memlab.memdir.files import Found, RealFiles
from memlab.memdir.index import INDEX, Pointer, pointer_to, remove_pointer, set_pointer, settle_edit
from memlab.memdir.inside import memory_file
from memlab.memdir.journal import ERASED, Change, Entry, Journal
from memlab.memdir.known import KnownMemories
from memlab.memdir.memory import Memory, format_memory, parse_memory
from memlab.memdir.names import file_name

Contents = Mapping[str, bytes | None]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class By(TypedDict, total=False):
    """Who changes something (user, main agent, extractor, dream), in which session and turn."""

    who: str
    session: str
    turn: str


@dataclass(frozen=True)
class Written:
    """What came of a change, and its id, "" where everything was so already.

    ``kept`` names files left as found, because someone else changed them meanwhile.
    """

    path: Path
    change: str
    findings: tuple[Finding, ...] = ()
    kept: tuple[str, ...] = ()


class MemoryStore:
    """A memory directory, made at the first write; opening it settles what a crash left.

    Raises MemoryPathError for a file that may not be used, MemoryFormatError for what is no memory,
    MemoryRefusedError for what a check refuses, and StoreError for all else, such as a full disk or
    another writer that outlasts ``wait`` seconds. After each the memory is as it was.
    """

    def __init__(
        self,
        directory: Path | str,
        *,
        clock: Clock | None = None,
        files: RealFiles | None = None,
        checks: Callable[..., Sequence[Finding]] = lint_memory,
        writer: str = "user",
        wait: float = 10.0,
    ) -> None:
        self.directory = Path(os.path.abspath(directory))
        self._clock, self._files = clock or SystemClock(), files or RealFiles()
        self._checks, self._writer = checks, writer
        self._commits = Commits(self.directory, self._files, wait=wait)
        self._journal = self._commits.open()
        self._known = KnownMemories(self.directory, lambda path: self._files.read(path).data)

    def read(self, file: str | Path) -> Memory:
        """Read one memory; its times stay as they are."""
        name = memory_file(self.directory, file)
        with store_errors(self.directory):
            return parse_memory(self._there(name), path=self.directory / name)

    def write(self, memory: Memory, **by: Unpack[By]) -> Written:
        """Write a memory to the file it came from, else to that of its name, else to a new one."""
        with self._guard(by):
            path = memory.path
            if path and (path.is_relative_to(self.directory) or not path.is_absolute()):
                name = memory_file(self.directory, path)
            else:
                named = {file: known.name for file, known in self._memories().items()}
                name = file_name(memory.name, dict.fromkeys(self._names(), "") | named)
            return self._put(name, format_memory(memory).encode(), by)

    def write_text(self, file: str | Path, text: bytes | str, **by: Unpack[By]) -> Written:
        """Write a memory, a tombstone that removes one, or the index but for what it points to."""
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        with self._guard(by):
            if (name := memory_file(self.directory, file, or_index=True)) == INDEX:
                return self._change("edit", {INDEX: data}, by)
            return self._put(name, data, by)

    def remove(self, file: str | Path, *, reason: str = "", **by: Unpack[By]) -> Written:
        """Remove a memory and its pointer; ``undo`` brings both back."""
        with self._guard(by):
            name = memory_file(self.directory, file)
            self._there(name)
            return self._change("remove", {name: None}, by, reason=reason)

    def replace_many(
        self,
        changes: Contents,
        *,
        base: Contents | None = None,
        allowed: Callable[[], None] = lambda: None,
        reason: str = "",
        **by: Unpack[By],
    ) -> Written:
        """Write, or remove (None), many files as one change.

        A file whose content is no longer that in ``base`` is kept. ``allowed`` is called when no
        other writer can come between any more, and may raise.
        """
        with self._guard(by):
            wanted = {
                memory_file(self.directory, file, or_index=True): data
                for file, data in changes.items()
            }
            was = {name: self._files.read(self.directory / name).data for name in wanted}
            kept = [name for name in wanted if base is not None and was[name] != base.get(name)]
            allowed()
            rest = {name: data for name, data in wanted.items() if name not in kept}
            written = self._change("replace", rest, by, reason=reason)
            return replace(written, kept=(*kept, *written.kept))

    def undo(self, change: str = "", **by: Unpack[By]) -> Written:
        """Take a change back, bytes and times; without an id the newest that still stands."""
        with self._guard(by):
            entry, later = self._journal.standing(change)
            wanted: dict[str, bytes | None] = {}
            for one in entry.changes:
                if content_hash(self._files.read(self.directory / one.file).data) != one.after:
                    if one.file in entry.kept or (one.file == INDEX and len(entry.changes) > 1):
                        continue  # not ours to take back; or a matter of single pointers
                    if since := [newer.id for newer in later if newer.change_of(one.file)]:
                        what = f"{one.file} was changed again by {since[-1]}"
                        raise StoreError(what, where=entry.id, do="Undo that change first")
                wanted[one.file] = self._commits.image(one.before) if one.before else None
            times = {one.file: one.mtime_before for one in entry.changes if one.file in wanted}
            return self._change("undo", wanted, by, times=times, undoes=entry.id)

    def history(self, file: str | Path = "") -> list[Entry]:
        """List the changes, oldest first: all, or those of one file."""
        name = memory_file(self.directory, file, or_index=True) if file else ""
        journal = Journal(self._journal.path, self._files)  # others may be reading theirs
        with store_errors(self.directory):
            journal.read()
        return [entry for entry in journal.entries if not name or entry.change_of(name)]

    def content(self, sha: str) -> bytes:
        """Give a content that the history names by its hash."""
        with store_errors(self.directory):
            return self._commits.image(sha)

    def forget_for_good(self, file: str | Path, *, confirmed: bool, **by: Unpack[By]) -> Written:
        """Remove a memory and erase each content that only its history holds, its pointers too.

        The journal keeps names, hashes and reasons, and other memories what they say. There is no
        undo, so nothing happens unless a person has ``confirmed`` it.
        """
        if not confirmed:
            raise StoreError("nobody confirmed to erase it for good", where=file, do="Ask first")
        with self._guard(by):
            name = memory_file(self.directory, file)
            if not any(entry.change_of(name) for entry in self._journal.entries):
                self._there(name)
            return self._change("forget", {name: None}, by, forgets=name)

    def _guard(self, by: By) -> AbstractContextManager[None]:
        return self._commits.guard(by.get("who") or self._writer)

    def _put(self, name: str, data: bytes, by: By) -> Written:
        memory, others = parse_memory(data, path=Path(name)), {*self._names()} - {name}
        if not memory.is_tombstone:
            return self._change("write", {name: data}, by)
        self._there(name)
        heir = memory.superseded_by
        if heir and heir not in others:
            what = f"superseded_by names {heir}, which is no other memory"
            do = "Name the file that says it now, or give a reason as 'dropped'"
            raise MemoryRefusedError(what, rule="tombstone", where=name, do=do)
        reason = memory.dropped or f"superseded by {heir}"
        return self._change("remove", {name: None}, by, reason=reason)

    def _change(
        self, what: str, wanted: Contents, by: By, *, times: Mapping[str, int] = {}, **more: Any
    ) -> Written:
        live = {name: self._files.read(self.directory / name) for name in (*wanted, INDEX)}
        new = {name: data for name, data in wanted.items() if data != live[name].data}
        findings = [] if what == "undo" else self._judge(new)
        if what != "undo" or INDEX not in wanted:
            new[INDEX] = self._index(wanted, live, findings)
        stamp = ((now := self._clock.now()) - _EPOCH) // timedelta(microseconds=1) * 1000
        changes, contents = [], list[bytes | None]()
        for name, data in new.items():
            found = live[name]
            if data != found.data:
                hashes = content_hash(found.data), content_hash(data)
                changes.append(Change(name, *hashes, found.mtime, times.get(name, stamp)))
                contents += [found.data, data]
                if name != INDEX and self._journal.last(name) not in (hashes[0], ERASED, None):
                    told = f"{name} had been edited by hand; that version is in the history"
                    findings.append(Finding("edited", "flag", told))
        path = self.directory / next(iter(wanted), INDEX)
        if forgotten := more.get("forgets"):
            more["swaps"] = self._scrub(forgotten, contents)
        elif not changes and what != "undo":
            return Written(path, "", tuple(findings))
        more |= {"who": self._writer} | {key: value for key, value in by.items() if value}
        number = f"change-{len(self._journal.entries) + 1:04d}"
        entry = Entry(number, now.isoformat(), what=what, changes=tuple(changes), **more)
        kept = self._commits.commit(entry, [data for data in contents if data is not None])
        return Written(path, entry.id, tuple(findings), tuple(kept))

    def _judge(self, new: Contents) -> list[Finding]:
        texts = {name: data for name, data in new.items() if data is not None and name != INDEX}
        written = {name: parse_memory(data, path=Path(name)) for name, data in texts.items()}
        if not written:
            return []
        others = self._known.beside(written, without=new, known=self._memories())
        findings: list[Finding] = []
        for name, memory in written.items():
            existing = others(memory)
            findings += self._checks(memory, existing=existing, now=self._clock.now())
            if refused := [one for one in findings if one.severity == "refuse"]:
                what = "; ".join(one.message for one in refused)
                do = "; ".join(one.suggestion for one in refused)
                raise MemoryRefusedError(what, rule=refused[0].rule, where=name, do=do)
        return findings

    def _index(
        self, wanted: Contents, live: Mapping[str, Found], findings: list[Finding]
    ) -> bytes | None:
        text = _text(live[INDEX].data)
        if INDEX in wanted:
            gone = {name for name, data in wanted.items() if data is None}
            there = {*self._names(), *wanted} - gone
            text, said = settle_edit(text, _text(wanted[INDEX]), there)
            findings += [Finding("index", "flag", f"{file}: {what}") for file, what in said]
        for name, data in wanted.items():
            if data is None:
                text = remove_pointer(text, name)
            elif name != INDEX:
                text = set_pointer(text, _pointer(name, data), was=_pointer(name, live[name].data))
        nothing = not text and live[INDEX].data is None
        return None if nothing else text.encode("utf-8", "surrogateescape")

    def _scrub(self, file: str, contents: list[bytes | None]) -> dict[str, str]:
        """Pair each content of the index that points to a file with one that does not."""
        named = {pair for entry in self._journal.entries for pair in entry.hashes()}
        swaps = {}
        for sha in sorted(sha for name, sha in named if name == INDEX):
            with suppress(StoreError):  # what is missing or erased points to nothing
                data = self._commits.image(sha)
                clean = remove_pointer(_text(data), file).encode("utf-8", "surrogateescape")
                if clean != data:
                    contents.append(clean)
                    swaps[sha] = content_hash(clean)
        return swaps

    def _there(self, name: str) -> bytes:
        data = self._files.read(path := self.directory / name).data
        if data is None:
            raise StoreError("no such memory", where=path, do="Look for its name in the index")
        return data

    def _names(self) -> list[str]:
        return [
            name
            for name in self._files.walk(self.directory)
            if name.endswith(".md") and (name[-4:-3] not in ("y", "Y") or not _is_index(name))
        ]

    def _memories(self) -> dict[str, Memory]:
        return self._known.update(self._names())


def _is_index(name: str) -> bool:
    end = name[-len(INDEX) :]
    return end.casefold() == INDEX.casefold() and name[: -len(INDEX)][-1:] in ("", "/")


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")


def _pointer(name: str, data: bytes | None) -> Pointer:
    with suppress(MemoryFormatError):
        memory = parse_memory(data or b"", path=Path(name))
        return pointer_to(name, memory.name, memory.description)
    return pointer_to(name, "", "")

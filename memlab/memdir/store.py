"""The store: the one way in which memories are written, whoever writes.

A change goes through ``_commit``: what is unchanged is left out, the rules
check it, a model's words are reviewed, the indexes follow, each new sentence
is stamped with whose words it is, and the journal makes all of it one step.
What a model writes from a source that is not to be trusted waits for the
person (``hold`` says when).

Bytes, crashes and undoing are the journal's; what may be said is in the rules,
and whose words they are in ``evidence``. Erasing for good is in ``erase``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, TypedDict, Unpack

from memlab.clock import Clock, SystemClock, to_nanoseconds
from memlab.errors import MemoryFormatError, MemoryRefusedError, StoreError
from memlab.evidence import hold, pending
from memlab.evidence.origin import (
    CONFIRM,
    LineOrigin,
    Origin,
    Source,
    Stamp,
    explain,
    remembered,
    stamps_of,
)
from memlab.evidence.pending import PendingChange
from memlab.evidence.sentences import as_memory, sentences_of
from memlab.evidence.support import Evidence, stamp_new
from memlab.memdir import follow, from_02, rules
from memlab.memdir.checks import (
    check_owner,
    check_secrets,
    refuse_found,
    refuse_over_cap,
    refuse_secrets,
    text_in,
)
from memlab.memdir.daily_log import MOST_LOGS, find_logs, is_below_logs
from memlab.memdir.erase import messages_behind, withheld
from memlab.memdir.folder import Folder
from memlab.memdir.index import (
    Pointer,
    Settled,
    memlab_caps,
    parse_pointers,
    settle,
)
from memlab.memdir.journal import (
    ERASED,
    LOG,
    Entry,
    Journal,
    content_hash,
    store_errors,
)
from memlab.memdir.memory import Memory, format_memory, parse_memory
from memlab.memdir.names import file_name, memory_file
from memlab.memdir.places import INDEX, INDEXES, LOGS, index_of
from memlab.memdir.rules import Finding
from memlab.memdir.scan import LARGEST, find_memory_files
from memlab.memdir.secrets import find_secrets
from memlab.settings import Settings

Contents = follow.Contents
MAIN_AGENT = "main agent"
_NOTES = ("held", "kept", "replaced")  # findings that the person should know


class By(TypedDict, total=False):
    """Who changes something (user, main agent, extractor, dream), in which
    session and turn.

    ``sources`` names further messages of the session that it comes from. With
    ``evidence``, what a model writes is reviewed.
    """

    who: str
    session: str
    turn: str
    sources: Sequence[str]
    evidence: Evidence


@dataclass(frozen=True)
class Written:
    """What became of a change; its id is "" if there was nothing to change.

    ``kept`` names files that are left as somebody else has changed them.
    ``undoes`` is the change that an undo has taken back. ``held`` waits for
    the person. ``settled`` says what was done to the index.
    """

    path: Path
    change: str = ""
    findings: tuple[Finding, ...] = ()
    kept: tuple[str, ...] = ()
    undoes: str = ""
    held: tuple[PendingChange, ...] = ()
    settled: Settled | None = None


class MemoryStore:
    """A memory directory, made at the first write; opening it settles what a
    crash has left.

    Raises MemoryPathError for a file that may not be used, MemoryFormatError
    for what is no memory, MemoryRefusedError for what a rule refuses, and
    StoreError for all else. After each of them nothing has changed.
    """

    # whether what a model writes is reviewed, so that some of it waits
    holds_back = True
    # what a person types in front of the names of its files and changes
    prefix = ""
    # what CLAUDE.md says, which need not be said again
    instructions = ""
    # when the messages were written from which a writer in the background
    # learns, the oldest first
    times: Mapping[str, datetime] = {}
    # when the message behind a change was written, if not now
    said_at = datetime.max.replace(tzinfo=UTC)

    def __init__(
        self,
        directory: Path | str,
        *,
        clock: Clock | None = None,
        settings: Settings | None = None,
        writer: str = "user",
        wait: float = 10.0,
        durable: bool = True,
    ) -> None:
        self.settings = settings or Settings()
        self.directory = Path(os.path.abspath(directory))
        self.folder = Folder(self.directory, durable=durable)
        self.journal = Journal(self.folder, wait=wait)
        self.notes: list[str] = []  # for the person; whoever shows them clears
        self._clock = clock or SystemClock()
        self._writer = writer
        self._parsed: dict[str, tuple[int, Memory | None]] = {}
        from_02.convert(self.journal, self._nanoseconds())
        self.journal.open()

    def read(self, file: str | Path) -> Memory:
        """Read one memory; its times stay as they are."""
        name = self.file(file)
        return parse_memory(self.there(name), path=self.directory / name)

    def write(self, memory: Memory, **by: Unpack[By]) -> Written:
        """Write a memory to the file it came from, else to that of its name,
        else to a new one.
        """
        path = memory.path
        with self.journal.guard():
            if path and (
                path.is_relative_to(self.directory) or not path.is_absolute()
            ):
                name = self.file(path)
            else:
                times = self.listed()
                known = self._memories(times)
                taken = dict.fromkeys(times, "")
                taken |= {file: one.name for file, one in known.items()}
                name = file_name(memory.name, taken)
            return self._put(name, format_memory(memory).encode(), by)

    def write_text(
        self, file: str | Path, text: bytes | str, **by: Unpack[By]
    ) -> Written:
        """Write a memory, a tombstone that removes one, or an index."""
        if isinstance(text, str):
            text = text.encode("utf-8", "surrogatepass")
        with self.journal.guard():
            name = self.file(file, or_index=True)
            if name in INDEXES:
                return self._commit("edit", {name: text}, by)
            return self._put(name, text, by)

    def remove(
        self, file: str | Path, *, reason: str = "", **by: Unpack[By]
    ) -> Written:
        """Remove a memory and its pointer; ``undo`` brings both back.

        Nothing is learned again from the messages that it came from.
        """
        with self.journal.guard():
            name = self.file(file)
            self.there(name)
            refuse_secrets(name, reason, "the reason")
            gone = messages_behind(self.journal.entries, name, by)
            return self._commit(
                "remove", {name: None}, by, reason, withheld=gone
            )

    def commit(
        self,
        what: str,
        wanted: Contents,
        *,
        base: Contents | None = None,
        reason: str = "",
        times: Mapping[str, int] | None = None,
        stamps: Mapping[str, Any] | None = None,
        **by: Unpack[By],
    ) -> Written:
        """Write, or remove (None), several files as one change.

        A file whose content is not that in ``base`` is kept. ``times`` has
        mtimes in nanoseconds. ``stamps`` has the origin of sentences, by key,
        that keep theirs. Without files, the index alone is put in order.
        """
        with self.journal.guard():
            files = {
                self.file(one, or_index=True): data
                for one, data in wanted.items()
            }
            if find_secrets(reason):
                reason = "left out: it looked like a secret"
            return self._commit(
                what, files, by, reason, base=base, times=times, stamps=stamps
            )

    def undo(self, change: str = "", **by: Unpack[By]) -> Written:
        """Take a change back, bytes and times; without an id the newest that
        still stands.

        What somebody has edited by hand since then stays, and is ``kept``.
        Memories come back, and the index follows, with the lines that it had.
        """
        with self.journal.guard():
            entry = self.journal.standing(change)
            files, times, changed = self.journal.undo(entry)
            memories = [
                one for one in entry.changes if one.file not in INDEXES
            ]
            gone = [
                one for one in memories if ERASED in (one.before, one.after)
            ]
            if gone and gone == memories:
                what = (
                    f"{entry.id} changed a memory that was forgotten for good"
                )
                do = "Choose another change"
                raise StoreError(what, where=entry.id, do=do)
            if memories:  # the index follows
                changed = [name for name in changed if name not in INDEXES]
            wanted = {
                name: data
                for name, (_, data) in files.items()
                if name not in INDEXES or not changed
            }
            if changed and not wanted:
                path = self.directory / changed[0]
                return Written(path, kept=tuple(changed), undoes=entry.id)
            done = self._commit("undo", wanted, by, times=times, undoes=entry)
            kept = (*changed, *done.kept)
            return replace(done, kept=kept, undoes=entry.id)

    def history(self, file: str | Path = "") -> list[Entry]:
        """List the changes, oldest first: all, or those of one file."""
        with store_errors(self.directory):
            self.journal.read()
        name = self.file(file, or_index=True) if file else ""
        entries = self.journal.entries
        return [one for one in entries if not name or one.change_of(name)]

    def why(self, file: str | Path) -> list[LineOrigin]:
        """Say of each sentence of a memory where it came from."""
        name = self.file(file)
        return explain(name, self.there(name), self.history())

    def confirm(self, file: str | Path, **by: Unpack[By]) -> Written:
        """Record that the person confirms the text of a memory, or a log,
        whose origin is unknown; later edits by hand are unknown again.
        """
        with self.journal.guard():
            name = self.file(file)
            data = self.there(name)
            known = stamps_of(self.journal.entries).get(name, {})
            stamp = Stamp(Origin.PERSON, by.get("turn", "")).as_json()
            stamps = {
                one.key: stamp
                for one in sentences_of(name, data)
                if one.key not in known
                or known[one.key].stamp.origin is Origin.UNKNOWN
            }
            if not stamps:
                return Written(self.directory / name)
            is_log = is_below_logs(name)
            draft = self.draft(
                LOG if is_log else CONFIRM, by, origins={name: stamps}
            )
            files = {} if is_log else {name: (content_hash(data), data)}
            entry = self.journal.commit(draft, files)
            return Written(
                self.directory / name, entry.id, kept=(*entry.kept,)
            )

    def waiting(self) -> list[PendingChange]:
        """List what waits for the person."""
        with store_errors(self.directory):
            return pending.waiting(self.folder)

    def accept(
        self, chosen: Sequence[PendingChange], **by: Unpack[By]
    ) -> Written:
        """Write what waited; its sentences keep their origin. What was made
        for another version of a file is kept, and waits on.
        """
        with self.journal.guard():
            files = pending.accepted(self.folder, chosen)
            stamps = {
                key: one for each in chosen for key, one in each.stamps.items()
            }
            fits = {
                name: data
                for name, (base, data) in files.items()
                if base == content_hash(self.folder.read(name).data)
            }
            kept = tuple(name for name in files if name not in fits)
            done = self._commit("write", fits, by, stamps=stamps)
            self.drop(one for one in chosen if one.file not in kept)
            return replace(done, kept=(*kept, *done.kept))

    def hold(self, waits: Sequence[PendingChange]) -> None:
        """Let changes wait for the person."""
        if waits:
            with self.journal.guard():
                pending.add(self.folder, waits, self._nanoseconds())

    def drop(self, gone: Iterable[PendingChange]) -> None:
        """Forget what waited."""
        with self.journal.guard():
            pending.drop(self.folder, gone, self._nanoseconds())

    def settled(self, changes: Contents | None = None) -> Settled:
        """Say what these changes would do to the indexes, and which memories
        they have no room for. Nothing is written.
        """
        with store_errors(self.directory):
            return self.followed(changes or {}, INDEXES, self.listed())[1]

    def support(
        self,
        conversation: Iterable[Source] = (),
        known: Contents | None = None,
    ) -> Evidence:
        """Collect what may support a new sentence: the memories (``known``, by
        default all as they are), the newest logs, and what a conversation
        holds.
        """
        with store_errors(self.directory):
            if known is None:
                names = self.listed()
                known = {name: self.folder.read(name).data for name in names}
        stamps = stamps_of(self.history())
        logs = {
            name: one.data
            for name, one in islice(find_logs(self.directory), MOST_LOGS)
        }
        gone = frozenset[str]().union(*self.withheld().values())
        said = [
            replace(one, file="")  # as the words of a conversation
            for one in remembered(dict(reversed(logs.items())), stamps)
            if one.stamp.message not in gone
        ]
        heard = [
            replace(
                one, off_record=one.off_record or one.stamp.message in gone
            )
            for one in conversation
        ]
        return Evidence([*remembered(known, stamps), *said, *heard])

    def behind(self, new: Contents, evidence: Evidence) -> list[str]:
        """Name the messages that a change comes from, the closest first, where
        its writer learns from several.
        """
        said = [
            one
            for name, data in new.items()
            for one in sentences_of(name, data)
        ]
        found = [one for one in evidence.messages(said) if one in self.times]
        return found or [*self.times][-1:]

    def withheld(self) -> dict[str, frozenset[str]]:
        """Give, by session, the messages that forgotten memories came from."""
        return withheld(self.history())

    def content(self, sha: str) -> bytes:
        """Give a content that the history names by its hash."""
        with store_errors(self.directory):
            return self.journal.image(sha)

    def there(self, name: str) -> bytes:
        """Read a file that has to be there."""
        with store_errors(self.directory):
            data = self.folder.read(name, LARGEST + 1).data
        if len(data or b"") > LARGEST:
            what = "this is larger than 20 MB, so it is not read"
            do = "Split it, or move it away"
            raise MemoryFormatError(what, where=self.directory / name, do=do)
        if data is None:
            do = f"Look for its name in the index, or for its day in {LOGS}"
            what = "no such memory"
            raise StoreError(what, where=self.directory / name, do=do)
        return data

    def now(self) -> str:
        """Give the time as the journal writes it."""
        return self._clock.now().isoformat()

    def file(self, typed: str | Path, *, or_index: bool = False) -> str:
        """Give the name of a memory below the directory."""
        text = typed.as_posix() if isinstance(typed, Path) else typed
        return memory_file(self.folder, text, or_index=or_index)

    def draft(self, what: str, by: By, **more: Any) -> Entry:
        """Begin an entry of the journal."""
        entry = Entry(
            "",
            self._clock.now().isoformat(),
            by.get("who", self._writer),
            what,
            session=by.get("session", ""),
            turn=by.get("turn", ""),
            sources=by.get("sources", ()),
            **more,
        )
        for one in (entry.who, entry.session, entry.turn, *entry.sources):
            refuse_secrets("the journal", one, "a name in it")
        return entry

    def check(
        self, memory: Memory, others: Sequence[Memory], known: str
    ) -> Sequence[Finding]:
        """Say what the rules find, by the time of the message behind it."""
        found = rules.check(
            memory,
            min(self.said_at, self._clock.now()),
            others,
            known=known,
            project_instructions=self.instructions,
        )
        # what was said in passing may be without a reason
        drop = "paragraphs" if self.times else ""
        return [one for one in found if one.rule != drop]

    def _put(self, name: str, data: bytes, by: By) -> Written:
        """Write a memory, or remove one if this is its tombstone."""
        check_owner(name, None, None, "")  # a log is no memory
        memory = parse_memory(data, path=Path(name))
        if not memory.is_tombstone:
            was = as_memory(self.folder.read(name).data)
            same = was is not None and was.modified == memory.modified != ""
            if same and self.folder.read(name).data != data:
                now = self._clock.now().isoformat(timespec="milliseconds")
                fresh = replace(memory, modified=now.replace("+00:00", "Z"))
                data = format_memory(fresh).encode()
            return self._commit("write", {name: data}, by)
        self.there(name)
        heir = memory.superseded_by
        if heir and (heir == name or heir not in self.listed()):
            what = f"superseded_by names {heir}, which is no other memory"
            do = (
                "Name the file that says it now, or give a reason as 'dropped'"
            )
            raise MemoryRefusedError(what, rule="tombstone", where=name, do=do)
        refuse_secrets(name, text_in(data), "the tombstone")
        gone = {} if heir else messages_behind(self.journal.entries, name, by)
        reason = memory.dropped or f"superseded by {heir}"
        return self._commit("remove", {name: None}, by, reason, withheld=gone)

    def _commit(
        self,
        what: str,
        wanted: Contents,
        by: By,
        reason: str = "",
        *,
        base: Contents | None = None,
        times: Mapping[str, int] | None = None,
        stamps: Mapping[str, Any] | None = None,
        withheld: Mapping[str, Sequence[str]] | None = None,
        undoes: Entry | None = None,
    ) -> Written:
        """Check a change, complete it, and make it as one step."""
        who = by.get("who", self._writer)
        before = {name: self.folder.read(name).data for name in wanted}
        kept = [
            name
            for name in wanted
            if base is not None and before[name] != base.get(name)
        ]
        new = {
            name: data
            for name, data in wanted.items()
            if name not in kept and data != before[name]
        }
        listed = self.listed()
        held, findings = list[PendingChange](), list[Finding]()
        if undoes:
            self._check_undo(new, before, who)
        else:
            for name, data in new.items():
                check_owner(name, data, before[name], who)
            memories = self._memories(listed) if new else {}
            is_doubted = who != "user" and self.holds_back and not stamps
            if is_doubted and "evidence" in by:
                new, held = self._reviewed(new, before, by, memories, findings)
            if self.times and "evidence" in by:
                turn, *others = self.behind(new, by["evidence"])
                by = {**by, "turn": turn, "sources": others}
                self.said_at = self.times[turn]
            findings += self._checked(new, before, memories)

        files: dict[str, tuple[str, bytes | None]] = {}
        settled = None
        if new or not wanted or what == "index":
            files, settled = self.followed(new, wanted, listed, who, undoes)
            edited = who != "user" and bool(new.keys() & {*INDEXES})
            findings += follow.said_of(settled, new, edited)

        origins = {} if undoes else self.origins(new, before, by, stamps or {})
        draft = self.draft(
            what,
            by,
            origins=origins,
            reason=reason,
            withheld=withheld or {},
            undoes=undoes.id if undoes else "",
        )
        self.hold(held)
        entry = self.journal.commit(draft, files, times)
        self.notes += [one.message for one in findings if one.rule in _NOTES]
        path = self.directory / next(iter(wanted), INDEX)
        kept += entry.kept
        return Written(
            path,
            entry.id,
            tuple(findings),
            tuple(kept),
            held=tuple(held),
            settled=settled,
        )

    def _check_undo(self, new: Contents, before: Contents, who: str) -> None:
        """An undo may bring back all but a secret of the team's: that was
        there once, and does not go back.
        """
        for name, data in new.items():
            if index_of(name) != INDEX:
                check_owner(name, data, before[name], who)
                check_secrets(name, data, before[name])

    def _reviewed(
        self,
        new: Contents,
        before: Contents,
        by: By,
        memories: Mapping[str, Memory],
        findings: list[Finding],
    ) -> tuple[dict[str, bytes | None], list[PendingChange]]:
        """Leave out what a model may not write without the person, and keep
        what it would lose.

        Raises MemoryRefusedError if nothing is left of a file.
        """
        left, held = dict(new), list[PendingChange]()
        entry = self.draft("", by)
        for name, data in new.items():
            if data is None or find_secrets(text_in(data)):
                continue  # the rules refuse a secret, and it may not wait
            left[name], waits, told = hold.held_back(
                PendingChange(
                    name,
                    None,
                    who=entry.who,
                    session=entry.session,
                    turn=entry.turn,
                    at=entry.at,
                ),
                data,
                before[name],
                [one.text for file, one in memories.items() if file != name],
                by["evidence"],
                watched=entry.who == MAIN_AGENT,
            )
            if left[name] is None:
                self.hold(waits)
                self.notes += told.values()
                what, do = (
                    told["held"],
                    "Go on without it, or write who says it",
                )
                raise MemoryRefusedError(what, rule="held", where=name, do=do)
            held += waits
            findings += [
                Finding(rule, "flag", one) for rule, one in told.items()
            ]
        return left, held

    def _checked(
        self, new: Contents, before: Contents, memories: Mapping[str, Memory]
    ) -> list[Finding]:
        """Run the rules; raises MemoryRefusedError for what they refuse."""
        findings: list[Finding] = []
        others = [one for file, one in memories.items() if file not in new]
        for name, data in new.items():
            old = before[name]
            if data is not None and name not in INDEXES:
                was = as_memory(old)
                memory = parse_memory(data, path=Path(name))
                found = self.check(memory, others, was.body if was else "")
                refuse_found(name, found)
                findings += found
                known = self.journal.last_hash(name)
                if known not in ("", content_hash(old)):
                    what = f"{name} had been edited by hand; that version is in the history"
                    findings.append(Finding("edited", "flag", what))
            check_secrets(name, data, old)
        return findings

    def followed(
        self,
        new: Contents,
        about: Iterable[str],
        listed: Mapping[str, int],
        who: str = "user",
        undoes: Entry | None = None,
    ) -> tuple[dict[str, tuple[str, bytes | None]], Settled]:
        """Give the files of a change together with the indexes that follow,
        and say what was done to those.

        ``about`` names files whose index is put in order, too, and ``listed``
        has the times of all memories. An index that an undo brings back stays
        as it was.
        """
        before = {name: self.folder.read(name).data for name in new}
        files = {
            name: (content_hash(before[name]), data)
            for name, data in new.items()
        }
        earlier = {**self._edited_since(listed), **before}
        settled = follow.NOTHING
        for index in sorted({INDEX, *map(index_of, (*new, *about))}):
            if undoes and index in about:
                continue
            old = self.folder.read(index).data
            by_model = who != "user" and index in new
            if by_model:
                caps = memlab_caps(self.settings)
                refuse_over_cap(index, text_in(new[index]), text_in(old), caps)
            done = self._settle(
                index,
                text_in(new.get(index, old)),
                new,
                listed,
                follow.pointers_of(earlier, index),
                self._lines_before(undoes, index),
                by_model,
            )
            settled = follow.joined(settled, done, index)
            if done.text or old is not None:
                data = done.text.encode("utf-8", "surrogateescape")
                files[index] = content_hash(old), data
        return files, settled

    def _settle(
        self,
        index: str,
        text: str,
        new: Contents,
        listed: Mapping[str, int],
        was: Mapping[str, Pointer],
        lines: Mapping[str, Pointer],
        by_model: bool,
    ) -> Settled:
        """Settle one index; what a line says comes from the header as it will
        be, or it is one of ``lines``.
        """
        below = index.removesuffix(INDEX)

        def made(file: str) -> Pointer | None:
            name = below + file
            if name not in new:
                return follow.pointer_of(
                    file, self._memory(name, listed[name])
                )
            memory = as_memory(new[name])
            return lines.get(file) or follow.pointer_of(file, memory)

        written = [one for one in new if new[one] is not None]
        names = [*written, *(one for one in listed if one not in new)]
        there = [
            one.removeprefix(below)
            for one in names
            if one.startswith(below) and one not in INDEXES
        ]
        limit = self.settings
        return settle(
            text, there, made, was=was, by_model=by_model, settings=limit
        )

    def _lines_before(
        self, undoes: Entry | None, index: str
    ) -> dict[str, Pointer]:
        """Give the lines that an index had before a change that is undone."""
        one = undoes.change_of(index) if undoes else None
        text = text_in(self._image(one.before)) if one else ""
        return {line.file: line for line in parse_pointers(text)}

    def _edited_since(self, listed: Mapping[str, int]) -> Contents:
        """Give the last version that the history has of each memory that
        somebody has edited since: its line in the index may be of that. One
        that cannot be read now keeps its line.
        """
        entries = self.journal.entries
        last = {one.file: one for each in entries for one in each.changes}
        return {
            name: self._image(one.after)
            for name, one in last.items()
            if name in listed
            and one.mtime_after != listed[name]
            and self._memory(name, listed[name])
        }

    def _image(self, sha: str) -> bytes | None:
        """Give a content by its hash; None for one that is lost or erased."""
        with suppress(StoreError):
            return self.journal.image(sha) if sha else None
        return None

    def origins(
        self,
        new: Contents,
        before: Contents,
        by: By,
        stamps: Mapping[str, Any],
    ) -> dict[str, dict[str, Any]]:
        """Stamp the new sentences with whose words they are.

        A model without evidence has only the memories themselves as a source.
        """
        evidence = by.get("evidence")
        if evidence is None and by.get("who", self._writer) != "user":
            known = stamps_of(self.journal.entries)
            evidence = Evidence(remembered(before, known))
        found = stamp_new(new, before, evidence)
        return {
            file: {key: stamps.get(key, one) for key, one in each.items()}
            for file, each in found.items()
        }

    def listed(self) -> dict[str, int]:
        """Give the times of the memories, newest first."""
        found, closed = find_memory_files(str(self.directory))
        for name, why in closed:
            place = self.directory / name
            if place.is_dir() and not os.access(place, os.R_OK | os.X_OK):
                do = "Give yourself the right to read it"
                raise StoreError(why, where=place, do=do)
        return {name: -time for time, name in sorted(found)}

    def _memories(self, listed: Mapping[str, int]) -> dict[str, Memory]:
        """Read the newest memories, as many as a scan does."""
        newest = islice(listed.items(), self.settings.scan_max_files)
        found = {name: self._memory(name, time) for name, time in newest}
        return {name: one for name, one in found.items() if one}

    def _memory(self, name: str, time: int) -> Memory | None:
        """Read a memory, once for each of its versions."""
        known = self._parsed.get(name)
        if known is None or known[0] != time:
            data = self.folder.read(name, LARGEST + 1).data
            known = self._parsed[name] = time, as_memory(data, Path(name))
        return known[1]

    def _nanoseconds(self) -> int:
        return to_nanoseconds(self._clock.now())

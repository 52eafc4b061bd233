"""The only write path into a memory directory: memory files, index and journal
change together.

Every content a file had is kept, including a person's own edits between two
changes of ours, so every change can be undone; only ``forget_for_good``
erases. An undo leaves alone what somebody has edited by hand since then,
unless it is forced. No writer may store a secret, wherever in a file it is:
that rule is here, so there is no way around it. ``policy`` says what else may
be stored, and ``wal`` makes a change survive a crash. The functions at the end
run a person's commands (forget, erase, undo) and say in a sentence what
happened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any, TypedDict, Unpack

from memlab.bridge import RealFiles, lint_memory, memory_file
from memlab.clock import Clock, SystemClock, to_nanoseconds
from memlab.errors import (
    MemlabError,
    MemoryFormatError,
    MemoryRefusedError,
    StoreError,
)
from memlab.memdir.attribution import GROUNDING
from memlab.memdir.cache import MemoryCache
from memlab.memdir.coverage import as_memory
from memlab.memdir.daily_log import (
    append_refused,
    is_below_logs,
    log_path,
    plain_log,
    split_place,
)
from memlab.memdir.erasure import (
    Traces,
    messages_to_withhold,
    withheld_messages,
)
from memlab.memdir.folder import PRIVATE_DIRECTORY, Found
from memlab.memdir.frontmatter import MAX_BYTES
from memlab.memdir.held import (
    HeldSentence,
    encode_held,
    held_sentence,
    is_about,
    parse_held,
    without_sentences,
)
from memlab.memdir.index import (
    INDEX,
    Pointer,
    Tidied,
    current_pointers,
    index_for_prompt,
    memlab_caps,
    not_in_index,
    parse_pointers,
    pointer_to,
    readable_lines,
    remove_pointer,
    set_pointer,
    settle_edit,
    take_back_lines,
    tidy_index,
)
from memlab.memdir.journal import (
    ERASED,
    LOG,
    Change,
    Entry,
    Journal,
    without_stamps,
)
from memlab.memdir.memory import (
    Memory,
    MemoryType,
    format_memory,
    parse_memory,
)
from memlab.memdir.names import file_name
from memlab.memdir.origin import (
    CONFIRM,
    LineOrigin,
    Origin,
    Piece,
    Stamp,
    explain,
    pieces,
    stamps_of,
)
from memlab.memdir.places import INDEXES, LOGS, STORE_FOLDER, index_of
from memlab.memdir.rules import Finding
from memlab.memdir.secrets import find_secrets
from memlab.memdir.support import (
    AcceptedWitness,
    Judgement,
    PersonWitness,
    Source,
    Support,
    Verdict,
    Witness,
    keep_lost,
    log_sources,
    memory_sources,
    new_pieces,
    stamp_new,
)
from memlab.memdir.team import merged_index
from memlab.memdir.wal import (
    TEMPORARY,
    WriteAheadLog,
    content_hash,
    is_image,
    store_errors,
)
from memlab.settings import Settings
from memlab.text import shorten, visible

Contents = Mapping[str, bytes | None]
MAIN_AGENT = "main agent"
AROUND = 4  # lines that a secret may be spread over
REASON_WITH_SECRET = "left out: it looked like a secret"


class By(TypedDict, total=False):
    """Who changes something (user, main agent, extractor, dream), in which
    session and turn.

    ``sources`` names further messages of the session that the memory comes
    from. ``witness`` knows where new sentences come from; it is not written
    down.
    """

    who: str
    session: str
    turn: str
    sources: Sequence[str]
    witness: Witness


@dataclass(frozen=True)
class Written:
    """The result of a change, and its id, "" where there was nothing to
    change.

    ``kept`` names files that were left as they are, because someone else has
    changed them: during this change, or, for an undo, since the change in
    ``undoes``. ``remains`` says where words of a memory that was forgotten for
    good can still be found. ``tidied`` says what code did to put the index in
    order, where it had to. ``held`` has the sentences that were added to those
    that wait for a person, or erased from them.
    """

    path: Path
    change: str
    findings: tuple[Finding, ...] = ()
    kept: tuple[str, ...] = ()
    undoes: str = ""
    remains: tuple[str, ...] = ()
    tidied: Tidied | None = None
    held: tuple[HeldSentence, ...] = ()


@dataclass
class _Undo:
    """What an undo will do: contents to write, those that come back exactly,
    what it leaves.
    """

    wanted: dict[str, bytes | None] = field(default_factory=dict)
    exact: set[str] = field(default_factory=set)
    left: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _NewIndex:
    """The content of an index that goes with a change, None for no file, and
    what was done to it.
    """

    data: bytes | None
    findings: list[Finding]
    tidied: Tidied | None


class MemoryStore:
    """A memory directory, made at the first write; opening it settles what a
    crash left.

    Raises MemoryPathError for a file that may not be used, MemoryFormatError
    for what is no memory, MemoryRefusedError for what a check refuses, and
    StoreError for all else, such as a full disk or another writer that
    outlasts ``wait`` seconds. After each the memory is as it was.
    """

    # whether each memory that is written puts the whole index in order
    tidies_index = False
    # whether what a model writes although nobody said it waits for the person
    holds_back = True
    # what a person types in front of the names of its files and changes
    prefix = ""

    def __init__(
        self,
        directory: Path | str,
        *,
        clock: Clock | None = None,
        files: RealFiles | None = None,
        checks: Callable[..., Sequence[Finding]] = lint_memory,
        writer: str = "user",
        wait: float = 10.0,
        settings: Settings | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self.directory = Path(os.path.abspath(directory))
        self._clock, self._files = (
            clock or SystemClock(),
            files or RealFiles(self.directory),
        )
        self._checks, self._writer = checks, writer
        # what the person should know of a review; whoever shows it clears it
        self.notes: list[str] = []
        self._wal = WriteAheadLog(self.directory, self._files, wait=wait)
        self._journal = self._wal.open()
        real = self._files  # not self: the cycle would keep the directory open
        self._cache = MemoryCache(
            self.directory, lambda path: real.read(path).data
        )

    def read(self, file: str | Path) -> Memory:
        """Read one memory; its times stay as they are."""
        name = memory_file(self.directory, file)
        with store_errors(self.directory):
            return parse_memory(self._there(name), path=self.directory / name)

    def write(self, memory: Memory, **by: Unpack[By]) -> Written:
        """Write a memory to the file it came from, else to that of its name,
        else to a new one.
        """
        with self._guard(by):
            path = memory.path
            if path and (
                path.is_relative_to(self.directory) or not path.is_absolute()
            ):
                name = memory_file(self.directory, path)
            else:
                named = {
                    file: known.name
                    for file, known in self._memories().items()
                }
                name = file_name(
                    memory.name, dict.fromkeys(self._names(), "") | named
                )
            return self._put(name, format_memory(memory).encode(), by)

    def write_text(
        self, file: str | Path, text: bytes | str, **by: Unpack[By]
    ) -> Written:
        """Write a memory, a tombstone that removes one, or the index, which
        keeps its pointers.
        """
        data = (
            text.encode("utf-8", "surrogatepass")
            if isinstance(text, str)
            else text
        )
        with self._guard(by):
            name = memory_file(self.directory, file, or_index=True)
            if name in INDEXES:
                self._without_doubtful(name, data, by)
                return self._change("edit", {name: data}, by)
            return self._put(name, data, by)

    def append_log(
        self,
        file: str | Path,
        text: bytes | str,
        *,
        today: date,
        **by: Unpack[By],
    ) -> Written:
        """Add lines to the log of today: ``text`` is the whole log, as it
        should be.

        Raises MemoryRefusedError for any other change, for a secret, and for
        words that claim more than their source. The log keeps no earlier
        versions, since it has all its lines; the journal has where each new
        sentence came from, and when.
        """
        data = text.encode() if isinstance(text, str) else text
        with self._guard(by):
            name = memory_file(self.directory, file)
            path = self.directory / name
            old = self._files.read(path).data or b""
            before = plain_log(old)
            after = plain_log(data)
            refused = append_refused(name, before, after, today)
            if refused:
                raise MemoryRefusedError(
                    refused,
                    rule="append-only",
                    where=name,
                    do=(
                        f"Add a new line at the end of {log_path(today)}; if"
                        " an earlier line is wrong, let the new one say so"
                    ),
                )
            # where a crash has cut off a line, this begins with its line end
            added = f"{after[len(before) :].rstrip()}\n"
            if b"\r\n" in old:
                added = added.replace("\n", "\r\n")
            new = old + added.encode("utf-8", "replace")
            for part, known in _new_parts(_text(new), _text(old)):
                if len(find_secrets(part)) > len(find_secrets(known)):
                    _refuse_secrets(name, part, "what is new in it")
            self._refuse_risen(name, new, old, by)
            stamps = self._origins({name: new}, {name: old}, by)
            self._append(path, new[len(old) :], len(old))
            entry = self._log_entry(by, origins=stamps)
            # a line without a stamp is of unknown origin, which is safe
            self._journal.append(asdict(entry))
            self._journal.read()
            return Written(path, entry.id)

    def _log_entry(self, by: By, **more: Any) -> Entry:
        """Make an entry about a daily log, of which no version is kept."""
        return Entry(
            self._wal.next_id(),
            self._clock.now().isoformat(),
            by.get("who", self._writer),
            LOG,
            (),
            session=by.get("session", ""),
            turn=by.get("turn", ""),
            **more,
        )

    def _refuse_risen(self, name: str, new: bytes, old: bytes, by: By) -> None:
        """Refuse lines that pass off somebody else's words as the person's."""
        witness = by.get("witness")
        if not isinstance(witness, Support):
            return
        for piece in new_pieces(name, new, old):
            judged = witness.judge(piece)
            if judged.verdict is Verdict.RISE:
                said = shorten(piece.text, 200)
                raise MemoryRefusedError(
                    f"“{said}” claims more than the person said",
                    rule="held",
                    where=name,
                    do="Write who says it, or leave it out",
                )

    def _append(self, path: Path, data: bytes, size: int) -> None:
        """Add to a file, completely or not at all, and return when it is on
        the disk.
        """
        missing = []
        folder = path.parent
        while folder != self.directory and not folder.is_dir():
            missing.append(folder)
            folder = folder.parent
        for one in reversed(missing):
            self._files.make_directory(one, PRIVATE_DIRECTORY)
            self._files.sync_directory(one.parent)
        try:
            self._files.append(path, data)
            self._files.set_mtime(path, to_nanoseconds(self._clock.now()))
            self._files.sync(path)
        except OSError:
            with suppress(OSError):
                self._files.cut(path, size)
            raise
        if not size:
            self._files.sync_directory(path.parent)

    def remove(
        self, file: str | Path, *, reason: str = "", **by: Unpack[By]
    ) -> Written:
        """Remove a memory and its pointer; ``undo`` brings both back."""
        with self._guard(by):
            name = memory_file(self.directory, file)
            self._there(name)
            _refuse_secrets(name, reason, "the reason")
            withheld = self._withheld(name, by)
            return self._change(
                "remove", {name: None}, by, reason=reason, withheld=withheld
            )

    def replace_many(
        self,
        changes: Contents,
        *,
        base: Contents | None = None,
        allowed: Callable[[], None] = lambda: None,
        reason: str = "",
        tidy: bool = False,
        hold: Iterable[HeldSentence] = (),
        times: Mapping[str, int] = {},
        **by: Unpack[By],
    ) -> Written:
        """Write, or remove (None), many files as one change.

        A file whose content is no longer that in ``base`` is kept. ``allowed``
        is called when no other writer can come between any more, and may
        raise. With ``tidy``, putting the index in order is part of the change;
        the team's only if a file of the team changes.
        The sentences in ``hold`` wait for the person from then on. ``times``
        has the mtimes, in nanoseconds, of files that are not new although they
        are written.
        """
        with self._guard(by):
            wanted = {
                memory_file(self.directory, file, or_index=True): data
                for file, data in changes.items()
            }
            was = {
                name: self._files.read(self.directory / name).data
                for name in wanted
            }
            kept = [
                name
                for name in wanted
                if base is not None and was[name] != base.get(name)
            ]
            allowed()
            rest = {
                name: data for name, data in wanted.items() if name not in kept
            }
            reason = REASON_WITH_SECRET if find_secrets(reason) else reason
            indexes = (INDEX, *map(index_of, rest)) if tidy else ()
            written = self._change(
                "replace",
                rest,
                by,
                reason=reason,
                tidy=indexes,
                hold=hold,
                times=times,
            )
            return replace(written, kept=(*kept, *written.kept))

    def put_index_in_order(
        self, index: str = INDEX, **by: Unpack[By]
    ) -> Written:
        """Make an index obey its rules again, as a change of its own.

        Nothing is written where it obeys them already, and no other writer is
        kept waiting then.
        """
        path = self.directory / index
        if not path.parent.is_dir():
            return Written(path, "")
        with store_errors(self.directory):
            live = _text(self._files.read(path).data)
        if self.preview_index({}, index).text == live:
            return Written(path, "")
        with self._guard(by):
            return self._change("index", {}, by, tidy=(index,))

    def preview_index(self, changes: Contents, index: str = INDEX) -> Tidied:
        """Say how code would put an index in order after these changes."""
        with store_errors(self.directory):
            live = self._live([*changes, index])
            found = self._index(index, changes, live, tidy=True)
            return found.tidied or Tidied("")

    def not_in_index(self) -> list[str]:
        """List the memories for which their index has no room, newest first."""
        missing: list[str] = []
        with store_errors(self.directory):
            for index in INDEXES:
                folder = index.removesuffix(INDEX)
                text = _text(self._files.read(self.directory / index).data)
                there = current_pointers(self.directory, self.settings, index)
                missing += [
                    folder + file
                    for file in not_in_index(text, there, self.settings)
                ]
        return missing

    def index_trouble(self) -> str:
        """Say why no session can use the index as it is; "" if it can.

        A directory without memories needs no index.
        """
        path = self.directory / INDEX
        with store_errors(self.directory):
            try:
                mode = os.lstat(path).st_mode
            except (FileNotFoundError, NotADirectoryError):
                lost = any(current_pointers(self.directory, self.settings))
                return "is missing" if lost else ""
            if stat.S_ISLNK(mode):
                return f"is a link to {os.readlink(path)}, not a file"
            if stat.S_ISDIR(mode):
                return "is a folder, not a file"
            if not stat.S_ISREG(mode):
                return "is not a regular file"
            with suppress(MemoryFormatError, OSError):
                data = self._files.read(path).data or b""
                if readable_lines(data) is not None:
                    return "cannot be decoded as text"
        return ""

    def rebuild_index(self, **by: Unpack[By]) -> tuple[Written, str]:
        """Make an index that no session can use from the memories; gives the
        change, and where the old one was moved to, if it was no file.

        The bytes of an old file are in the history first. Of a text with a few
        broken bytes, the lines that can be read stay.
        """
        with self._guard(by):
            trouble = self.index_trouble()
            path = self.directory / INDEX
            if not trouble:
                return Written(path, ""), ""
            aside = ""
            if os.path.lexists(path) and not _is_regular(path):
                aside = self._set_index_aside()
            reason = f"{INDEX} {trouble}" + (f"; see {aside}" if aside else "")
            if find_secrets(reason):
                reason = REASON_WITH_SECRET
            try:
                written = self._change(
                    "index", {}, by, reason=reason, tidy=(INDEX,)
                )
            except (OSError, MemlabError):
                if aside:
                    self._files.replace(self.directory / aside, path)
                raise
            return written, aside

    def _set_index_aside(self) -> str:
        """Give what is in the place of the index another name, since its bytes
        cannot be in the history.
        """
        number = 1
        while os.path.lexists(
            self.directory / (name := f"{INDEX}.set-aside-{number}")
        ):
            number += 1
        self._files.replace(self.directory / INDEX, self.directory / name)
        self._files.sync_directory(self.directory)
        return name

    def undo(
        self, change: str = "", *, force: bool = False, **by: Unpack[By]
    ) -> Written:
        """Take a change back, bytes and times; without an id the newest that
        still stands.

        What somebody has edited by hand since then stays as it is, and is
        named in ``kept``. With ``force`` it is replaced, and an undo of this
        undo brings it back.
        """
        with self._guard(by):
            entry, later = self._journal.standing(change)
            plan = _Undo()
            for one in entry.changes:
                # a confirmation has not written anything
                if one.file not in INDEXES and entry.what != CONFIRM:
                    self._plan_file(plan, entry, one, later, force)
            for index in INDEXES:
                if changed := entry.change_of(index):
                    self._plan_index(plan, entry, changed, force)
            if plan.left and all(
                self._is_now(*pair) for pair in plan.wanted.items()
            ):
                path = self.directory / plan.left[0]
                return Written(
                    path, "", kept=tuple(plan.left), undoes=entry.id
                )
            times = {
                one.file: one.mtime_before
                for one in entry.changes
                if one.file in plan.exact
            }
            exact = plan.exact.intersection(INDEXES)
            written = self._change(
                "undo",
                plan.wanted,
                by,
                times=times,
                exact_indexes=exact,
                undoes=entry.id,
            )
            findings = (
                *written.findings,
                *(_replaced(file) for file in plan.replaced),
            )
            kept = (*plan.left, *written.kept)
            return replace(
                written, findings=findings, kept=kept, undoes=entry.id
            )

    def history(self, file: str | Path = "") -> list[Entry]:
        """List the changes, oldest first: all, or those of one file."""
        name = memory_file(self.directory, file, or_index=True) if file else ""
        return [
            entry
            for entry in self._read_journal().entries
            if not name or entry.change_of(name)
        ]

    def next_to_undo(self) -> Entry | None:
        """Give the change that ``undo`` takes back if none is named."""
        with suppress(StoreError):
            return self._read_journal().standing()[0]
        return None

    def _read_journal(self) -> Journal:
        # others may be reading theirs
        journal = Journal(self._journal.path, self._files)
        with store_errors(self.directory):
            journal.read()
        return journal

    def support(self, conversation: Iterable[Source] = ()) -> Support:
        """Collect what may support a new sentence: all memories, and what a
        conversation holds.
        """
        with store_errors(self.directory):
            known = {
                name: self._files.read(self.directory / name).data
                for name in self._names()
            }
        contents = {name: data for name, data in known.items() if data}
        stamps = stamps_of(self.history())
        return Support(
            [
                *memory_sources(contents, stamps),
                *log_sources(self.directory, stamps, self.withheld()),
                *conversation,
            ]
        )

    def why(self, file: str | Path) -> list[LineOrigin]:
        """Say of each sentence of a memory where it came from."""
        name = memory_file(self.directory, file)
        with store_errors(self.directory):
            data = self._there(name)
        return explain(name, data, self.history())

    def confirm(self, file: str | Path, **by: Unpack[By]) -> Written:
        """Record that the person confirms the text of a memory whose origin is
        unknown.

        Text that is added by hand later is unknown again. ``undo`` takes the
        confirmation back, except for a daily log.
        """
        with self._guard(by):
            name = memory_file(self.directory, file)
            found = self._files.read(self.directory / name)
            data = self._there(name)
            known = stamps_of(self._journal.entries).get(name, {})
            stamp = Stamp(Origin.PERSON, by.get("turn", "")).as_json()
            confirmed = {
                piece.key: stamp
                for piece in pieces(name, data)
                if piece.key not in known
                or known[piece.key].stamp.origin is Origin.UNKNOWN
            }
            path = self.directory / name
            if not confirmed:
                return Written(path, "")
            if is_below_logs(name):
                # a version in the history would outlive a line that is erased
                noted = self._log_entry(by, origins={name: confirmed})
                self._journal.append(asdict(noted))
                self._journal.read()
                return Written(path, noted.id)
            sha = content_hash(data)
            entry = Entry(
                self._wal.next_id(),
                self._clock.now().isoformat(),
                by.get("who", self._writer),
                CONFIRM,
                (Change(name, sha, sha, found.mtime, found.mtime),),
                session=by.get("session", ""),
                turn=by.get("turn", ""),
                origins={name: confirmed},
            )
            kept = self._wal.commit(entry, [data])
            return Written(path, entry.id, kept=tuple(kept))

    def withheld(self) -> dict[str, frozenset[str]]:
        """Give, by session, the messages that forgotten memories came from."""
        return withheld_messages(self.history())

    def content(self, sha: str) -> bytes:
        """Give a content that the history names by its hash."""
        with store_errors(self.directory):
            return self._wal.image(sha)

    @property
    def set_aside(self) -> tuple[str, ...]:
        """The hashes of earlier versions that the journal does not explain.

        There are none unless the journal was lost, cut or replaced by an older
        copy; they are kept until it is back.
        """
        with store_errors(self.directory):
            return tuple(self._wal.unexplained())

    def forget_for_good(
        self,
        file: str | Path,
        *,
        confirmed: bool,
        places: Callable[[], Sequence[Path]] = tuple,
        **by: Unpack[By],
    ) -> Written:
        """Remove a memory and erase every content that only its history holds,
        its pointers too.

        Its name, its title and the reasons of its changes are erased from the
        journal as well, and so are the sentences held back for the person that
        were meant for it or contain its words. Other memories keep what they
        say; ``remains`` in the result names every file in which words of the
        memory are left: memories and their earlier versions, and what is in
        ``places``, such as the folder of the transcripts. It is called once
        all is erased, so it may tidy up there first. There is no undo, so nothing happens unless a
        person has ``confirmed`` it.
        """
        if not confirmed:
            raise StoreError(
                "nobody confirmed to erase it for good",
                where=file,
                do="Ask first",
            )
        with self._guard(by):
            name = memory_file(self.directory, file)
            self._require_known(name)
            waiting = self.held()
            never_written = [
                (one.content or one.text).encode()
                for one in waiting
                if one.file == name
            ]
            words = self._wal.traces(name, never_written)
            held = [one for one in waiting if is_about(one, name, words)]
            withheld = self._withheld(name, by)
            written = self._change(
                "forget",
                {name: None},
                by,
                forgets=name,
                words=words,
                withheld=withheld,
                release=held,
            )
        return replace(written, remains=tuple(self._remains(words, places())))

    def erase_log_line(
        self,
        file: str | Path,
        line: int,
        *,
        confirmed: bool,
        places: Callable[[], Sequence[Path]] = tuple,
        **by: Unpack[By],
    ) -> Written:
        """Erase one line of a daily log, with its stamps in the journal; the
        first line is 1.

        The other lines stay as they are, and so does the time of the log.
        Nothing is learned again from the messages that the line came from.
        Everything else is as in ``forget_for_good``.
        """
        if not confirmed:
            raise StoreError(
                "nobody confirmed to erase it for good",
                where=file,
                do="Ask first",
            )
        with self._guard(by):
            name = memory_file(self.directory, file)
            path = self.directory / name
            found = self._files.read(path)
            gone, rest = self._split_log(name, line)
            words = Traces.of(name, [gone])
            keys = {piece.key for piece in new_pieces(name, gone, rest)}
            held = [one for one in self.held() if is_about(one, "", words)]
            entry = self._log_entry(
                by,
                reason="a line was erased for good",
                withheld=self._messages_of(name, keys),
            )
            # the stamps, which say what to withhold, go after that is noted;
            # a crash before the log is replaced leaves the line to be seen
            self._journal.append(asdict(entry))
            self._journal.read()
            records = [
                without_stamps(record, name, keys)
                for record in self._journal.records()
            ]
            self._journal.rewrite(records)
            self._replace_log(path, rest, found)
            self._save_held((), by, held)
        remains = tuple(self._remains(words, places()))
        return Written(path, entry.id, held=tuple(held), remains=remains)

    def messages_behind(
        self, file: str, **by: Unpack[By]
    ) -> dict[str, list[str]]:
        """Give, by session, the messages that something to be erased came
        from: a memory, a daily log, or a line of one (``logs/….md:12``).

        Raises StoreError where there is nothing of that name to erase.
        """
        file, line = split_place(file)
        with self._guard(by):
            name = memory_file(self.directory, file)
            if not line:
                self._require_known(name)
                return self._withheld(name, by)
            gone, rest = self._split_log(name, line)
            keys = {piece.key for piece in new_pieces(name, gone, rest)}
            return self._messages_of(name, keys)

    def _require_known(self, name: str) -> None:
        """Raise StoreError if there is no such memory, no history of one, and
        no sentence that was held back for it.
        """
        if not any(one.file == name for one in self.held()) and not any(
            entry.change_of(name) for entry in self._journal.entries
        ):
            self._there(name)

    def _split_log(self, name: str, line: int) -> tuple[bytes, bytes]:
        """Give a line of a daily log, and all the others."""
        lines = list(BytesIO(self._there(name)))
        if not is_below_logs(name) or not 1 <= line <= len(lines):
            raise StoreError(
                f"there is no line {line}",
                where=name,
                do=f"Name a line of a daily log, up to {len(lines)}",
            )
        gone = lines.pop(line - 1)
        return gone, b"".join(lines)

    def _messages_of(
        self, name: str, keys: Collection[str]
    ) -> dict[str, list[str]]:
        """Give, by session, the messages that some sentences of a log came
        from.
        """
        found: dict[str, list[str]] = {}
        for entry in self._journal.entries:
            stamped = entry.origins.get(name, {})
            if (
                entry.session
                and entry.turn
                and not set(keys).isdisjoint(stamped)
            ):
                found.setdefault(entry.session, []).append(entry.turn)
        return found

    def _replace_log(self, path: Path, data: bytes, found: Found) -> None:
        temporary = path.with_name(TEMPORARY.format("log"))
        try:
            self._files.write(temporary, data, found.mode)
            self._files.set_mtime(temporary, found.mtime)
            self._files.sync(temporary)
            self._files.replace(temporary, path)
            self._files.sync_directory(path.parent)
        except BaseException:
            with suppress(OSError):
                self._files.remove(temporary)
            raise

    def _guard(self, by: By) -> AbstractContextManager[None]:
        return self._wal.guard(by.get("who") or self._writer)

    def _put(
        self,
        name: str,
        data: bytes,
        by: By,
        release: Collection[HeldSentence] = (),
    ) -> Written:
        _refuse_logs([name])
        memory = parse_memory(data, path=Path(name))
        if not memory.is_tombstone:
            data, out = self._without_doubtful(name, data, by)
            data, findings = self._keep_lost(name, data, by)
            data = self._with_new_time(name, data)
            written = self._change(
                "write", {name: data}, by, hold=out, release=release
            )
            if out:
                findings += [_held_finding(out)]
            self.notes += [one.message for one in findings]
            return replace(written, findings=(*written.findings, *findings))
        self._there(name)
        heir = memory.superseded_by
        if heir and (heir == name or heir not in self._names()):
            what = f"superseded_by names {heir}, which is no other memory"
            do = (
                "Name the file that says it now, or give a reason as 'dropped'"
            )
            raise MemoryRefusedError(what, rule="tombstone", where=name, do=do)
        _refuse_secrets(name, data.decode("utf-8", "replace"), "the tombstone")
        if heir:
            reason = memory.dropped or f"superseded by {heir}"
            return self._change("remove", {name: None}, by, reason=reason)
        withheld = self._withheld(name, by)
        return self._change(
            "remove",
            {name: None},
            by,
            reason=memory.dropped,
            withheld=withheld,
        )

    def _with_new_time(self, name: str, data: bytes) -> bytes:
        """Bring the time in a header up to date, where the file has one."""
        memory = parse_memory(data, path=Path(name))
        old = self._files.read(self.directory / name).data
        if not memory.modified or old is None or data == old:
            return data
        with suppress(MemoryFormatError):
            if parse_memory(old).modified == memory.modified:
                now = self._clock.now().isoformat(timespec="milliseconds")
                modified = now.replace("+00:00", "Z")
                return format_memory(
                    replace(memory, modified=modified)
                ).encode()
        return data

    def _without_doubtful(
        self, name: str, data: bytes, by: By
    ) -> tuple[bytes, list[HeldSentence]]:
        """Leave out what a model writes although nobody said it; raises
        MemoryRefusedError where nothing else is left.

        With the main agent the person is there and reads what it writes, so
        only what claims more authority than its source is left out.
        """
        witness, who = by.get("witness"), by.get("who", self._writer)
        if not isinstance(witness, Support) or not self.holds_back:
            return data, []
        old = self._files.read(self.directory / name).data
        doubtful: list[tuple[Piece, Judgement]] = []
        for piece in new_pieces(name, data, old):
            judged = witness.judge(piece, [name])
            # in a conversation without strangers, it is the model's wording
            strange = (
                judged.held_back and judged.stamp.origin < Origin.ASSISTANT
            )
            if judged.verdict is Verdict.RISE or (
                strange and who != MAIN_AGENT
            ):
                doubtful.append((piece, judged))
        if not doubtful:
            return data, []
        rest = without_sentences(
            name, old, data, [piece for piece, _ in doubtful]
        )
        something_left = rest is not None and rest != old
        refusal = self._refusal(name, data)
        if refusal and not (something_left and refusal.rule == GROUNDING):
            # what is refused is not kept for the person either
            raise refusal
        if rest is not None and something_left and self._refusal(name, rest):
            if refusal:
                raise refusal
            rest = None
        whole = "" if rest is not None else data.decode("utf-8", "replace")
        out = [
            held_sentence(name, piece, judged, content=whole)
            for piece, judged in doubtful
        ]
        if rest is None or rest == old:
            if name != INDEX:
                self._save_held(out, by)
                self.notes.append(_held_finding(out).message)
            raise MemoryRefusedError(
                _held_finding(out).message,
                rule="held",
                where=name,
                do="Write only what the person said, or say who says it",
            )
        return rest, out

    def _refusal(self, name: str, data: bytes) -> MemoryRefusedError | None:
        """Give what the checks raise for a memory, None where it is fit."""
        try:
            self._judge({name: data})
            self._refuse_in_files({name: data}, self._live([name]))
        except MemoryRefusedError as error:
            return error
        return None

    def held(self) -> list[HeldSentence]:
        """List the sentences that wait for a person."""
        with store_errors(self.directory):
            data = self._files.read(self._wal.held).data
        return parse_held(data, self._wal.held)

    def _next_held(
        self,
        new: Iterable[HeldSentence],
        gone: Collection[HeldSentence],
        by: By,
    ) -> tuple[bytes | None, tuple[HeldSentence, ...]]:
        """Give the next list of what waits for a person, None if it stays as
        it is, and what is added to it.

        A sentence that waits already is not added again.
        """
        known = self.held()
        there = {(one.file, one.text) for one in known}
        fresh = tuple(
            replace(
                one,
                who=by.get("who", self._writer),
                session=by.get("session", ""),
                at=self._clock.now().isoformat(),
            )
            for one in new
            if (one.file, one.text) not in there
        )
        held = [one for one in known if one not in gone] + [*fresh]
        return (None if held == known else encode_held(held)), fresh

    def _save_held(
        self,
        new: Iterable[HeldSentence],
        by: By,
        gone: Collection[HeldSentence] = (),
    ) -> tuple[HeldSentence, ...]:
        """Change the list of what waits for a person, where no file changes."""
        held, fresh = self._next_held(new, gone, by)
        if held is not None:
            self._wal.save_held(held)
        return fresh

    def accept_held(self, one: HeldSentence, **by: Unpack[By]) -> Written:
        """Write a sentence that was held back; it keeps its origin."""
        by["witness"] = AcceptedWitness(Stamp.from_json(one.stamp))
        with self._guard(by):
            name = memory_file(self.directory, one.file)
            old = self._files.read(self.directory / name).data
            memory = as_memory(name, old or b"")
            if one.content and old is None:
                data = one.content.encode()
            elif memory is None:
                title = Path(name).stem.replace("-", " ").capitalize()
                about = shorten(one.text, 150)
                body = f"{one.text}\n"
                fresh = Memory(title, about, MemoryType.project, body)
                data = format_memory(fresh).encode()
            else:
                body = f"{memory.body.rstrip()}\n\n{one.text}\n"
                data = format_memory(replace(memory, body=body)).encode()
            return self._put(name, data, by, release=[one])

    def drop_held(self, gone: Collection[HeldSentence]) -> None:
        """Forget sentences that were held back."""
        with self._guard({}):
            self._save_held((), {}, gone)

    def _keep_lost(
        self, name: str, data: bytes, by: By
    ) -> tuple[bytes, list[Finding]]:
        """Keep what a model's rewrite of a memory would lose without the
        person having said so.
        """
        witness = by.get("witness")
        old = self._files.read(self.directory / name).data
        if not isinstance(witness, Support) or not old:
            return data, []
        others = [
            known.text
            for other, known in self._memories().items()
            if other != name
        ]
        kept = keep_lost(name, old, data, others, witness)
        findings = []
        if kept.lost:
            said = " ".join(kept.lost)
            findings.append(
                Finding(
                    "kept",
                    "flag",
                    f"{name} also said “{shorten(said, 300)}”. The person has"
                    " not taken that back, so it was added below the new text",
                )
            )
        if kept.replaced:
            said = " ".join(kept.replaced)
            findings.append(
                Finding(
                    "replaced",
                    "flag",
                    f"{name} no longer says “{shorten(said, 300)}”, because"
                    " of what the person said now",
                )
            )
        return kept.data, findings

    def _withheld(self, name: str, by: By) -> dict[str, list[str]]:
        return messages_to_withhold(
            self._journal.entries,
            name,
            session=by.get("session", ""),
            turn=by.get("turn", ""),
            sources=by.get("sources", ()),
        )

    def _change(
        self,
        what: str,
        wanted: Contents,
        by: By,
        *,
        times: Mapping[str, int] = {},
        exact_indexes: Collection[str] = (),
        words: Traces | None = None,
        tidy: Collection[str] = (),
        hold: Iterable[HeldSentence] = (),
        release: Collection[HeldSentence] = (),
        **more: Any,
    ) -> Written:
        if what != "forget":
            _refuse_logs(wanted)
        # a change of an index alone wants no file
        live = self._live(wanted or tidy)
        new = {
            name: data
            for name, data in wanted.items()
            if data != live[name].data
        }
        findings: list[Finding] = []
        if what != "undo":
            findings = self._judge(new)
            self._refuse_in_files(new, live)
        else:
            # a secret was in the team's file once, and does not go back there
            shared = {
                name: data
                for name, data in new.items()
                if index_of(name) != INDEX
            }
            self._refuse_in_files(shared, live)
        tidied = None
        adds = what in ("write", "replace")
        for index in sorted(set(live).intersection(INDEXES)):
            if index in exact_indexes:
                continue
            found_index = self._index(
                index,
                wanted,
                live,
                tidy=index in tidy or (adds and self.tidies_index),
                make_room=adds,
            )
            new[index] = found_index.data
            findings += found_index.findings if what != "undo" else ()
            if index == INDEX:
                tidied = found_index.tidied
            if what == "edit" and by.get("who", self._writer) != "user":
                self._refuse_over_cap(index, new[index], live[index].data)
        now = self._clock.now()
        stamp = to_nanoseconds(now)
        changes, contents = [], list[bytes | None]()
        for name, data in new.items():
            found = live[name]
            if data != found.data:
                hashes = content_hash(found.data), content_hash(data)
                changes.append(
                    Change(name, *hashes, found.mtime, times.get(name, stamp))
                )
                contents += [found.data, data]
                if name not in INDEXES and self._journal.last(name) not in (
                    hashes[0],
                    ERASED,
                    None,
                ):
                    message = (
                        f"{name} had been edited by hand; that version is in"
                        " the history"
                    )
                    findings.append(Finding("edited", "flag", message))
        path = self.directory / next(iter(wanted), INDEX)
        if words:
            more |= self._erasure(
                more["forgets"], tuple(changes), contents, words
            )
        elif not changes and what != "undo":
            fresh = self._save_held(hold, by, release)
            return Written(
                path, "", tuple(findings), tidied=tidied, held=fresh
            )
        more |= {"who": self._writer} | {
            key: value
            for key, value in by.items()
            if value and key != "witness"
        }
        if what != "undo":
            old = {name: found.data for name, found in live.items()}
            more["origins"] = self._origins(new, old, by)
        number = self._wal.next_id()
        entry = Entry(
            number, now.isoformat(), what=what, changes=tuple(changes), **more
        )
        held, fresh = self._next_held(hold, release, by)
        kept = self._wal.commit(
            entry, [data for data in contents if data is not None], held
        )
        return Written(
            path,
            entry.id,
            tuple(findings),
            tuple(kept),
            tidied=tidied,
            held=(*fresh, *release),
        )

    def _origins(
        self, new: Contents, old: Contents, by: By
    ) -> dict[str, dict[str, dict[str, Any]]]:
        """Stamp the new sentences with their origin.

        A writer that brings no witness is the person, or has only the memory
        itself as a source.
        """
        witness = by.get("witness")
        if witness is None and by.get("who", self._writer) == "user":
            witness = PersonWitness()
        if witness is None:
            known = {
                name: data
                for name, data in old.items()
                if data is not None and name not in INDEXES
            }
            stamps = stamps_of(self._journal.entries)
            witness = Support([*memory_sources(known, stamps)])
        return stamp_new(new, old, witness)

    def _judge(self, new: Contents) -> list[Finding]:
        texts = {
            name: data
            for name, data in new.items()
            if data is not None and name not in INDEXES
        }
        written = {
            name: parse_memory(data, path=Path(name))
            for name, data in texts.items()
        }
        if not written:
            return []
        others = self._cache.others_than(
            written, without=new, known=self._memories()
        )
        findings: list[Finding] = []
        for name, memory in written.items():
            existing = others(memory)
            findings += self._checks(
                memory, existing=existing, now=self._clock.now()
            )
            if refused := [
                one for one in findings if one.severity == "refuse"
            ]:
                what = "; ".join(one.message for one in refused)
                do = "; ".join(one.suggestion for one in refused)
                raise MemoryRefusedError(
                    what, rule=refused[0].rule, where=name, do=do
                )
        return findings

    def _live(self, names: Iterable[str]) -> dict[str, Found]:
        """Read files, the indexes that have their pointers, and the private
        index in any case.
        """
        indexes = [INDEX, *map(index_of, names)]
        return {
            name: self._files.read(self.directory / name)
            for name in dict.fromkeys([*names, *indexes])
        }

    def _index(
        self,
        index: str,
        wanted: Contents,
        live: Mapping[str, Found],
        *,
        tidy: bool = False,
        make_room: bool = False,
    ) -> _NewIndex:
        """Give the content of one index that goes with the wanted files.

        With ``tidy`` it is put in order as well. To ``make_room`` means to do
        that only if a new pointer brings it over a cap.
        """
        findings = []
        folder = index.removesuffix(INDEX)
        below = {
            name.removeprefix(folder): data
            for name, data in wanted.items()
            if name.startswith(folder) and name not in INDEXES
        }
        text = _text(live[index].data)
        if tidy:
            lines = readable_lines(live[index].data or b"")
            text = merged_index(text if lines is None else lines)
        if index in wanted:
            gone = {file for file, data in below.items() if data is None}
            there = {
                name.removeprefix(folder)
                for name in self._names()
                if name.startswith(folder)
            }
            there = there.union(below) - gone
            text, said = settle_edit(text, _text(wanted[index]), there)
            findings = [
                Finding("index", "flag", f"{folder}{file}: {what}")
                for file, what in said
            ]
        pointed = {pointer.file for pointer in parse_pointers(text)}
        own = {
            file for file in below if index_of(folder + file) == index
        } | pointed.intersection(below)
        without_new = text
        for file, data in below.items():
            if data is None:
                text = remove_pointer(text, file)
                without_new = remove_pointer(without_new, file)
            elif file in own:
                pointer = _pointer(file, data)
                was = _pointer(file, live[folder + file].data)
                text = set_pointer(text, pointer, was=was)
                if file in pointed:
                    without_new = set_pointer(without_new, pointer, was=was)
        longer = make_room and not pointed.issuperset(own)
        tidied = None
        if tidy or (longer and index_for_prompt(text, self.settings).fired):
            # new pointers are added there, so that they come first
            tidied = self._tidied(index, without_new, below)
            text = tidied.text
            missing = [one for one in tidied.added if one not in below]
            tidied = replace(tidied, added=tuple(missing))
            if tidied.not_in_index:
                count = len(tidied.not_in_index)
                findings.append(
                    Finding("index", "flag", not_in_index_notice(count))
                )
        nothing = not text and live[index].data is None
        content = None if nothing else text.encode("utf-8", "surrogateescape")
        return _NewIndex(content, findings, tidied)

    def _tidied(self, index: str, text: str, below: Contents) -> Tidied:
        """Put a text of an index in order for the memories as they will be, of
        which those just written are the newest.

        ``below`` has what is written and removed, by the path from the index's
        folder on.
        """
        folder = index.removesuffix(INDEX)
        there = current_pointers(self.directory, self.settings, index)
        written = {
            file: _pointer(file, data)
            for file, data in below.items()
            if data is not None and index_of(folder + file) == index
        }
        pointers = {
            file: pointer
            for file, pointer in {**written, **there, **written}.items()
            if file not in below or file in written
            # what a hand wrote into a header is in no prompt yet
            if not find_secrets(f"{pointer.title}: {pointer.hook}")
        }

        def exists(file: str) -> bool:
            if file in below:
                return below[file] is not None
            try:
                os.lstat(self.directory / folder / file)
            except (FileNotFoundError, NotADirectoryError):
                return False
            except (OSError, ValueError):
                return True
            return True

        return tidy_index(
            text,
            pointers,
            exists=exists,
            earlier=self._earlier_pointers(folder),
            settings=self.settings,
        )

    def _earlier_pointers(
        self, folder: str
    ) -> Callable[[str], Collection[Pointer]]:
        """Give what makes the pointers that a memory had with its earlier
        headers; its path goes on from the folder.
        """
        versions: dict[str, set[str]] = {}
        for entry in self._journal.entries:
            for name, sha in entry.hashes():
                versions.setdefault(name, set()).add(sha)

        def pointers(file: str) -> list[Pointer]:
            found = []
            hashes = versions.get(folder + file, set())
            for sha in sorted(hashes - {"", ERASED}):
                with suppress(StoreError):
                    found.append(_pointer(file, self._wal.image(sha)))
            return found

        return pointers

    def _refuse_in_files(
        self, new: Contents, live: Mapping[str, Found]
    ) -> None:
        """Refuse secrets in what no check has seen, and an index that is too
        large.
        """
        for name, data in new.items():
            if data is None:
                continue
            if name not in INDEXES:
                if live[name].data is None:
                    spoken = name.removesuffix(".md").replace("-", " ")
                    _refuse_secrets("a file name", spoken, "it")
                _refuse_secrets(
                    name, data.decode("utf-8", "replace"), "the file"
                )
                # escapes and line ends may hide one
                with suppress(MemoryFormatError):
                    header = parse_memory(data).extra
                    _refuse_secrets(
                        name, "\n\n".join(_values(header)), "the header"
                    )
                continue
            old = live[name].data or b""
            for part, known in _new_parts(_text(data), _text(old)):
                if len(find_secrets(part)) > len(find_secrets(known)):
                    _refuse_secrets(name, part, "what is new in it")
            if len(data) > MAX_BYTES and len(old) < len(data):
                what = (
                    f"{len(data):,} bytes are too large: an index may have"
                    f" {MAX_BYTES:,}"
                )
                do = (
                    "Keep one short line for each memory; the details belong"
                    " in its file"
                )
                raise MemoryRefusedError(
                    what, rule="index-size", where=name, do=do
                )

    def _refuse_over_cap(
        self, index: str, new: bytes | None, old: bytes | None
    ) -> None:
        """Refuse a model's edit of the index that leaves it over a cap and
        does not bring it nearer to that cap.
        """
        caps = memlab_caps(self.settings)
        now, was = caps.excess(_text(new)), caps.excess(_text(old))
        if not any(
            after and after >= before
            for after, before in zip(now, was, strict=True)
        ):
            return
        lines, size = caps.sizes(_text(new))
        what = (
            f"the index would have {lines:,} lines and {size:,} bytes, and the"
            f" limits are {caps}"
        )
        do = (
            "Keep one short line for each memory. Merge memories that belong"
            " together, or drop one that is over; its line goes with it."
            " Leave the other lines as they are"
        )
        raise MemoryRefusedError(what, rule="index-cap", where=index, do=do)

    def _erasure(
        self,
        file: str,
        changes: tuple[Change, ...],
        contents: list[bytes | None],
        words: Traces,
    ) -> dict[str, object]:
        """Say what to erase for a forgotten file: contents that nothing else
        needs then.

        Each content of the index that points to the file gets a replacement
        that does not.
        """
        named = {
            pair for entry in self._journal.entries for pair in entry.hashes()
        }
        swaps = {}
        for index, sha in sorted(named):
            folder = index.removesuffix(INDEX)
            if index not in INDEXES or not file.startswith(folder):
                continue
            pointed = file.removeprefix(folder)
            # what is missing or erased points to nothing
            with suppress(StoreError):
                data = self._wal.image(sha)
                clean = remove_pointer(_text(data), pointed).encode(
                    "utf-8", "surrogateescape"
                )
                if clean != data:
                    contents.append(clean)
                    swaps[sha] = content_hash(clean)
        needed = {swaps.get(sha, sha) for name, sha in named if name != file}
        needed |= {one.after for one in changes}
        erases = {sha for _, sha in named} | {one.before for one in changes}
        for sha in self._wal.unexplained():
            with suppress(StoreError):
                if words.are_in_image(self._wal.image(sha)):
                    erases.add(sha)
        return {
            "swaps": swaps,
            "erases": tuple(sorted(erases - needed - {"", ERASED})),
        }

    def _remains(self, words: Traces, places: Sequence[Path]) -> Iterator[str]:
        """Name the files, the earlier versions and the other places that
        contain the words.
        """
        with store_errors(self.directory):
            self._journal.read()
            for name in self._files.walk(self.directory, hidden=True):
                if self.directory / name == self._journal.path:
                    continue  # it has no words but the names of other files
                if not is_image(name) and (
                    found := self._found_in(name, words)
                ):
                    yield found
            entries = self._journal.entries
            files = {one.file for entry in entries for one in entry.changes}
            for file in sorted(files):
                if words.are_in(file):
                    yield f"the name of {file}, in the history"
            versions: dict[str, dict[str, str]] = {}
            for entry in entries:
                for file, sha in sorted(entry.hashes()):
                    versions.setdefault(sha, {}).setdefault(file, entry.id)
            for sha in self._wal.images():
                with suppress(StoreError):
                    if words.are_in(
                        self._wal.image(sha).decode("utf-8", "replace")
                    ):
                        for file, change in versions.get(sha, {}).items():
                            yield f"an earlier version of {file} (in {change})"
        yield from words.find(places, self.directory)

    def _found_in(self, name: str, words: Traces) -> str:
        with (
            # what cannot be read now is no reason to fail: all is erased
            suppress(OSError),
            self._files.open(self.directory / name, os.O_RDONLY) as file,
            open(file, "rb", closefd=False) as source,
        ):
            return words.in_file(source, name)
        return ""

    def _plan_file(
        self,
        plan: _Undo,
        entry: Entry,
        one: Change,
        later: Sequence[Entry],
        force: bool,
    ) -> None:
        """Decide what an undo does with a memory: bring it back, leave it
        alone, or refuse.
        """
        live = content_hash(self._files.read(self.directory / one.file).data)
        if ERASED in (one.before, one.after):
            if len(entry.changes) <= 2:
                what = (
                    f"{entry.id} changed a memory that was forgotten for good"
                    " since then"
                )
                raise StoreError(
                    what, where=self._journal.path, do="Choose another change"
                )
        elif live == one.after or force:
            plan.wanted[one.file] = self._before(one)
            plan.exact.add(one.file)
            if live not in (one.after, one.before):
                plan.replaced.append(one.file)
        elif one.file not in entry.kept and live != one.before:
            if since := [
                newer.id for newer in later if newer.change_of(one.file)
            ]:
                what = f"{one.file} was changed again by {since[-1]}"
                raise StoreError(
                    what, where=entry.id, do="Undo that change first"
                )
            plan.left.append(one.file)

    def _plan_index(
        self, plan: _Undo, entry: Entry, index: Change, force: bool
    ) -> None:
        """Decide what an undo does with an index, in which lines written by
        others stay.
        """
        name = index.file
        memories = [
            one.file for one in entry.changes if one.file not in INDEXES
        ]
        alone = not memories
        live = self._files.read(self.directory / name).data
        untouched = content_hash(live) == index.after
        if untouched and plan.wanted.keys() >= set(memories):
            plan.wanted[name] = self._before(index)
            plan.exact.add(name)
        elif alone and force:
            plan.wanted[name] = self._before(index) or b""
            plan.replaced.append(name)
        elif not plan.left:
            with nullcontext() if alone else suppress(StoreError):
                plan.wanted[name], whole = self._index_without(index, live)
                if alone and not whole:
                    plan.left.append(name)
        # else each file that is written gets its pointer right, and those left
        # alone keep theirs

    def _before(self, change: Change) -> bytes | None:
        return self._wal.image(change.before) if change.before else None

    def _is_now(self, name: str, data: bytes | None) -> bool:
        return self._files.read(self.directory / name).data == data

    def _index_without(
        self, change: Change, live: bytes | None
    ) -> tuple[bytes | None, bool]:
        """Give the index as it is, without one change; also say whether all of
        that is gone.
        """
        if len(live or b"") > MAX_BYTES:
            return live, False
        before = self._before(change)
        after = self._wal.image(change.after) if change.after else None
        text, whole = take_back_lines(_text(live), _text(after), _text(before))
        nothing = not text and before is None
        return (
            None if nothing else text.encode("utf-8", "surrogateescape")
        ), whole

    def _there(self, name: str) -> bytes:
        data = self._files.read(path := self.directory / name).data
        if data is None and is_below_logs(name):
            raise StoreError(
                "no such daily log",
                where=path,
                do=f"Look for its day in {self.directory / LOGS}",
            )
        if data is None:
            raise StoreError(
                "no such memory",
                where=path,
                do="Look for its name in the index",
            )
        return data

    def _names(self) -> list[str]:
        return [
            name
            for name in self._files.walk(self.directory)
            if name.endswith(".md")
            and not is_below_logs(name)
            and (name[-4:-3] not in ("y", "Y") or not _is_index(name))
        ]

    def _memories(self) -> dict[str, Memory]:
        with self._files.held():
            return self._cache.update(self._names())


def _values(value: object, key: str = "") -> Iterator[str]:
    """Give each text in the keys of a header, with its key, as YAML reads it."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _values(part, str(name))
    elif isinstance(value, list):
        for part in value:
            yield from _values(part, key)
    else:
        yield f"{key}: {value}"


def _new_parts(text: str, old: str) -> Iterator[tuple[str, str]]:
    """Give each part of a text that has new lines, with the lines around it,
    and its known lines.

    The lines around it count because a secret may have been there in part:
    what it is called on one line, and now its value on the next.
    """
    lines, known = text.splitlines(), set(old.splitlines())
    near: set[int] = set()
    for number, line in enumerate(lines):
        if line not in known:
            near.update(range(max(number - AROUND, 0), number + AROUND + 1))
    part: list[str] = []
    for number, line in enumerate(lines):
        if number in near:
            part.append(line)
        if part and (number not in near or number + 1 == len(lines)):
            yield (
                "\n".join(part),
                "\n".join(line for line in part if line in known),
            )
            part = []


def _is_index(name: str) -> bool:
    end = name[-len(INDEX) :]
    return end.casefold() == INDEX.casefold() and name[: -len(INDEX)][-1:] in (
        "",
        "/",
    )


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")


def _is_regular(path: Path) -> bool:
    return stat.S_ISREG(os.lstat(path).st_mode)


def not_in_index_notice(count: int) -> str:
    """Say how many memories the index has no room for."""
    memories = "1 memory is" if count == 1 else f"{count:,} memories are"
    return (
        f"{memories} not in the index, because it is full. The files are"
        " still there, and recall searches them."
    )


def _replaced(file: str) -> Finding:
    return Finding(
        "replaced",
        "flag",
        f"{file}: newer text was replaced; it is in the history",
    )


def _refuse_logs(names: Iterable[str]) -> None:
    for name in names:
        if is_below_logs(name):
            raise MemoryRefusedError(
                "this is a daily log, which only grows by new lines while"
                " daily-log mode is on",
                rule="append-only",
                where=name,
                do="Leave it as it is; a person can erase it for good",
            )


def _refuse_secrets(name: str, text: str, place: str) -> None:
    if secrets := find_secrets(text):
        line = secrets[0].line_in(text)
        where = f"line {line} of {place}" if "\n" in text.strip() else place
        what = f"{where} looks like it contains a {secrets[0].kind}"
        do = "Write where it is kept"
        raise MemoryRefusedError(what, rule="secret", where=name, do=do)


def _pointer(name: str, data: bytes | None) -> Pointer:
    with suppress(MemoryFormatError):
        memory = parse_memory(data or b"", path=Path(name))
        return pointer_to(name, memory.name, memory.description)
    return pointer_to(name, "", "")


_SHARED = (
    " If it was ever committed, the team's repository and every clone of it"
    " still contain it, because memlab changes nothing there."
)
_COUNTED_HELD = (
    "{} sentence that was held back for you went with it.",
    "{} sentences that were held back for you went with it.",
)
NAMED = 20
FORCE = "--force"


def forget(store: MemoryStore, file: str, *, session: str = "") -> str:
    """Drop a memory so that it can be brought back; raises as the store does."""
    done = store.remove(
        file,
        reason="the person asked to forget it",
        who="user",
        session=session,
    )
    return (
        f"Forgot {store.prefix}{file}. To bring it back: /undo"
        f" {store.prefix}{done.change}"
    )


def erase(
    store: MemoryStore,
    file: str,
    *,
    session: str = "",
    places: Callable[[], Sequence[Path]] = tuple,
    show: Callable[[Path], str] = str,
) -> str:
    """Erase a memory and its history, or a daily log, or one line of a log
    (``logs/….md:12``), which a person must have confirmed; raises as the
    store.

    The message names every file, earlier version and transcript, the latter
    from ``places``, in which words of the memory remain. Nothing is erased
    there.
    """
    name, line = split_place(file)
    if line:
        done = store.erase_log_line(
            name,
            line,
            confirmed=True,
            places=places,
            who="user",
            session=session,
        )
        erased = f"Erased line {line} of {store.prefix}{name}."
    else:
        done = store.forget_for_good(
            file, confirmed=True, places=places, who="user", session=session
        )
        erased = (
            f"Erased {store.prefix}{file}, its name and every copy in the"
            " history."
        )
    if index_of(name) != INDEX:
        erased += _SHARED
    if done.held:
        erased += (
            f" {_COUNTED_HELD[len(done.held) > 1].format(len(done.held))}"
        )
    if not done.remains:
        return (
            f"{erased} No other memory and no transcript contains its words."
        )
    named = [
        show(Path(one)) if Path(one).is_absolute() else one
        for one in done.remains[:NAMED]
    ]
    more = len(done.remains) - len(named)
    also = f"; and in {more} more" if more else ""
    where = "; ".join(named) + also
    said = (
        f"{erased} Some of its words remain in: {where}. Edit or delete them"
        " there."
    )
    history = f"/{STORE_FOLDER}/images/"
    if any(history in Path(one).as_posix() for one in done.remains):
        said += (
            f" What is in {STORE_FOLDER}/images/ is the history of a memory:"
            " erase it with /forget --for-good FILE in its project."
        )
    return said


def undo(
    store: MemoryStore,
    change: str = "",
    *,
    force: bool = False,
    session: str = "",
) -> str:
    """Take back the newest change that stands, or a certain one; raises as the
    store does.

    What was edited by hand since stays, and the message says how to replace
    it.
    """
    done = store.undo(change, force=force, who="user", session=session)
    if not done.change and not done.kept:
        return "There is nothing to undo: everything is as it was before."
    sentences = []
    if done.change:
        undone = next(
            entry for entry in store.history() if entry.id == done.undoes
        )
        changed = [
            one.file for one in undone.changes if one.file not in done.kept
        ]
        memories = [file for file in changed if file not in INDEXES]
        files = ", ".join(
            f"{store.prefix}{file}" for file in memories or changed or [INDEX]
        )
        sentences.append(
            f"Took back {store.prefix}{undone.id} ({undone.what} by {undone.who}): {files}"
        )
    if done.kept:
        were = "was" if len(done.kept) == 1 else "were"
        kept = ", ".join(f"{store.prefix}{file}" for file in done.kept)
        change = f"{store.prefix}{done.undoes}"
        sentences.append(
            f"{kept} {were} edited by hand after"
            f" {change}, so that text was left alone. To replace it"
            f" anyway: /undo {change} {FORCE}"
        )
    if any(one.rule == "replaced" for one in done.findings):
        sentences.append(
            "The newer text was replaced. To bring it back: /undo"
            f" {store.prefix}{done.change}"
        )
    return ". ".join(sentences)


def _held_finding(out: Sequence[HeldSentence]) -> Finding:
    said = " ".join(f"“{shorten(one.text, 200)}”" for one in out)
    were = "was" if len(out) == 1 else "were"
    return Finding(
        "held",
        "flag",
        f"{said} {were} not written but kept for the person to decide on,"
        f" with /review: {out[0].why}",
    )


def why(store: MemoryStore, file: str) -> str:
    """Say of each sentence of a memory where it came from; raises as the store
    does.
    """
    lines = store.why(file)
    text = "\n".join(visible(str(line)) for line in lines)
    if any(line.stamp.origin is Origin.UNKNOWN for line in lines):
        text += (
            "\nIf what is unknown is yours, confirm it once: /memory confirm"
            f" {store.prefix}{file}, or `python3 -m memlab why"
            f" {store.prefix}{file} --confirm`"
        )
    return text


def confirm(store: MemoryStore, file: str, *, session: str = "") -> str:
    """Record that the person confirms a memory, and say so; raises as the
    store does.
    """
    done = store.confirm(file, who="user", session=session)
    if not done.change:
        return (
            f"{store.prefix}{file} has no text of unknown origin. Nothing was"
            " changed."
        )
    said = (
        f"Confirmed {store.prefix}{file}: what was of unknown origin counts as"
        " your own words now."
    )
    if is_below_logs(file):
        return said
    return f"{said} To take that back: /undo {store.prefix}{done.change}"


def set_aside_notice(
    store: MemoryStore, *, show: Callable[[Path], str] = str
) -> str:
    """Say that the journal does not explain all images, and what to do; ""
    where it does.
    """
    count = len(store.set_aside)
    if not count:
        return ""
    versions = (
        f"{count} stored version{'s' if count > 1 else ''} of your memory"
        " files"
    )
    home = show(store.directory / STORE_FOLDER)
    return (
        f"The history does not mention {versions}: the journal was probably"
        " lost, cut short or replaced by an older copy. Nothing was deleted:"
        f" they are kept in {home}/set-aside. If you put journal.jsonl back"
        f" into {home} from a backup, the changes can be undone again. If you"
        " have none, keep the files you need and delete that folder."
    )

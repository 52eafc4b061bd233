"""The first stage of recall: from any number of memories to the few hundred
that the side-query is shown.

A scan shows the newest ``scan_max_files`` memories and hides all others. With
the first stage, a full-text index over the names, descriptions and file names
of all memories proposes the candidates instead. The index is a cache: it can
be lost at any time and is built again from the files. It only proposes file
names. What a model is shown of a candidate is read from its file, as in every
scan, so an index that is out of date, or that somebody has changed, can leave
a memory out but cannot change what a memory says.

All files are compared with the index, by their status, when a session begins.
After that, memlab's own changes are taken from the journal, whichever process
made them, and of the candidates of a query those whose status has changed are
indexed again. What somebody writes by hand is found from the next session on.
"""

from __future__ import annotations

import os
from collections.abc import (
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memlab.clock import from_nanoseconds
from memlab.errors import MemlabError, MemoryFormatError, StoreError
from memlab.memdir import scan
from memlab.memdir.folder import Folder
from memlab.memdir.journal import Journal
from memlab.memdir.scan import (
    MemoryFiles,
    MemoryHeader,
    Scan,
    nothing_hidden,
)
from memlab.recall.keyword import Corpus, searched_text
from memlab.settings import Settings
from memlab.text import terms_of

if TYPE_CHECKING:
    from memlab.recall.sqlite_stage import SqliteIndex

T = TypeVar("T")

# Files that are read and written to the index at a time, so that a process
# that is killed while it builds the index has not worked for nothing.
BATCH = 1_000
# How many memories the terms of one search may be in, all together. FTS5 takes
# about a microsecond for each of them.
MOST_SEARCHED = 4_000
# nanoseconds: the index stores integers of 64 bits
LATEST = 2**63 - 1


class FileStamp(NamedTuple):
    """What tells one version of a file from another without opening it."""

    mtime_ns: int
    size: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileStamp:
        """Take what a file's status says.

        A file system may contain times that the index cannot store; they
        become the latest or the earliest one that it can.
        """
        mtime_ns = max(-LATEST, min(status.st_mtime_ns, LATEST))
        return cls(mtime_ns, status.st_size)


class IndexedMemory(NamedTuple):
    """A memory as the index has it.

    ``terms`` are those of ``searched_text``, in order and with repetitions,
    as ``terms_of`` gives them. The index stores them as they are: it neither
    stems nor drops stop words.
    """

    file: str
    stamp: FileStamp
    terms: Sequence[str]


class Proposal(NamedTuple):
    """A file that the index proposes, with the stamp it had when it was
    indexed.
    """

    file: str
    stamp: FileStamp


class IndexUnavailableError(MemlabError):
    """The index cannot be used now; recall goes on without it."""


class IndexLostError(MemlabError):
    """The index could not be read; it is empty now, and has to be built
    again.
    """


def rare_terms(containing: Mapping[str, int], most: int) -> list[str]:
    """Return the rarest of these terms, as many as are in at most ``most``
    memories together, but at least one; terms of no memory are left out.

    The time of a search grows with that number, so this limits it.
    """
    rarest_first = sorted(
        (count, term) for term, count in containing.items() if count
    )
    kept: list[str] = []
    total = 0
    for count, term in rarest_first:
        total += count
        if kept and total > most:
            break
        kept.append(term)
    return kept


@dataclass(frozen=True)
class Proposed:
    """The candidates of one query, newest first as in a scan, and what keyword
    ranking has to know of all memories to rank them.
    """

    scan: Scan
    corpus: Corpus
    by: str

    @property
    def summary(self) -> str:
        """Say who proposed how many of how many."""
        return (
            f"{self.by} proposed {len(self.scan)} of"
            f" {self.corpus.memories:,} memories"
        )


class FirstStage:
    """The first stage of one memory directory.

    It raises nothing: where the index cannot be used, ``propose`` gives None,
    and ``notice`` gets one sentence for the person.
    """

    def __init__(
        self,
        directory: Path,
        index: SqliteIndex,
        settings: Settings,
        notice: Callable[[str], object] = lambda text: None,
    ) -> None:
        self._directory = directory
        self._index = index
        self._settings = settings
        self._notice = notice
        self._journal = Journal(Folder(directory))
        self._checked = False

    def check(self) -> None:
        """Compare all files with the index, and bring it up to date."""
        with suppress(_NoIndexError):
            self._with_index(self._check)

    def follow(self) -> None:
        """Take over what memlab has changed since the last time."""
        with suppress(_NoIndexError):
            self._with_index(self._follow)

    def propose(
        self, query: str, hides: Callable[[str], str] = nothing_hidden
    ) -> Proposed | None:
        """Give the candidates of a query: the memories that share a term with
        it, best first, up to ``first_stage_candidates``, and the newest ones
        where that leaves room.

        None if there are no more memories than a scan lists anyway, or if
        there is no index. ``hides`` is as in a scan.
        """
        try:
            return self._with_index(lambda: self._propose(query, hides))
        except _NoIndexError:
            return None

    def erase(self, files: Collection[str]) -> str:
        """Remove files so that the index keeps no bytes of them; returns what
        to do by hand if that cannot be done now, else "".
        """
        try:
            self._follow()
            self._index.erase(files)
        except (IndexLostError, FileNotFoundError):
            self._checked = False
        except IndexUnavailableError as error:
            return (
                f"{error}. Delete that index; it is built again from the"
                " memories."
            )
        return ""

    def _with_index(self, work: Callable[[], T]) -> T:
        """Do something with the index; build it again first if it is lost."""
        if not self._directory.is_dir():
            raise _NoIndexError
        try:
            try:
                return work()
            except IndexLostError as error:
                self._notice(f"{error}, so it was built again.")
                self._check()
                return work()
        except FileNotFoundError as error:  # the directory is gone by now
            raise _NoIndexError from error
        except (IndexUnavailableError, IndexLostError) as error:
            most = self._settings.scan_max_files
            self._notice(
                f"Recall sees only the newest {most} memories. {error}"
            )
            raise _NoIndexError from error

    def _check(self) -> None:
        _, position = self._changed_since("")
        known = self._index.stamps()
        found = {
            name: FileStamp.of(status)
            for name, status in MemoryFiles(self._directory).status.items()
            if _has_plain_name(name)
        }
        changed = sorted(
            name for name, stamp in found.items() if known.get(name) != stamp
        )
        gone = known.keys() - found.keys()
        self._update(changed, gone, position)
        self._checked = True

    def _follow(self) -> None:
        position = self._index.position()
        files, now = self._changed_since(position)
        if files is None or not self._checked:
            self._check()
        elif now != position or files:
            names = sorted(filter(_has_plain_name, files))
            self._update(names, (), now)

    def _changed_since(self, position: str) -> tuple[set[str] | None, str]:
        """Give the files that the journal says were changed since a position,
        and the position to ask from the next time.

        The files are None if that cannot be said: there is no position, or
        this is another journal. A change that is under way is given again.
        """
        with suppress(StoreError, OSError):
            self._journal.read()
        entries, waits = self._journal.entries, self._journal.unfinished
        ids = ["", *(one.id for one in entries)]
        under_way = [n for n, name in enumerate(ids) if name in waits]
        settled = under_way[0] - 1 if under_way else len(entries)
        now = f"{settled} {ids[settled]}"
        start, _, last = position.partition(" ")
        if not start.isdigit() or ids[int(start) :][:1] != [last]:
            return None, now
        since = entries[int(start) :]
        return {one.file for entry in since for one in entry.changes}, now

    def _update(
        self, files: Sequence[str], gone: Collection[str], position: str
    ) -> None:
        """Index files again, and forget those that are gone."""
        lost = set(gone)
        folder = Folder(self._directory)
        with folder.held():
            rest = iter(files)
            while batch := list(islice(rest, BATCH)):
                put = []
                for file in batch:
                    try:
                        put.append(self._read(folder, file).indexed)
                    except OSError:
                        lost.add(file)
                self._index.change(_Unchanged(self._directory, put))
        self._index.change(remove=lost, position=position)

    def _read(self, folder: Folder, file: str) -> _File:
        """Read the header of a file, with the status it has at that moment."""
        opened = folder.open(file)
        try:
            status = os.fstat(opened)
            start = os.read(opened, self._settings.scan_header_bytes)
        finally:
            os.close(opened)
        stamp = FileStamp.of(status)
        try:
            values = scan.read_header(start, self._settings)
        except MemoryFormatError as error:
            return _File(file, stamp, problem=error.what)
        mtime = from_nanoseconds(status.st_mtime_ns)
        path = self._directory.joinpath(file)
        return _File(file, stamp, MemoryHeader(path, file, mtime, *values))

    def _propose(
        self, query: str, hides: Callable[[str], str]
    ) -> Proposed | None:
        self._follow()
        terms = sorted({*terms_of(query)})
        corpus = self._index.corpus(terms)
        if corpus.memories <= self._settings.scan_max_files:
            return None

        found = _Candidates(self._settings.first_stage_candidates)
        folder = Folder(self._directory)
        with folder.held():
            for proposal in self._proposals(terms, found):
                file = proposal.file
                if not _has_plain_name(file):
                    found.gone.append(file)
                    continue
                why = hides(file)
                if why:
                    found.hidden.append((file, why))
                    continue
                try:
                    read = self._read(folder, file)
                except FileNotFoundError:
                    found.gone.append(file)
                    continue
                except OSError as error:
                    found.skipped.append((file, error.strerror or str(error)))
                    continue
                if read.stamp != proposal.stamp:
                    found.changed.append(read.indexed)
                if read.header is None:
                    found.skipped.append((file, read.problem))
                else:
                    found.headers.append(read.header)
        if found.changed or found.gone:
            with suppress(IndexUnavailableError):
                changed = _Unchanged(self._directory, found.changed)
                self._index.change(changed, found.gone)
        return Proposed(found.as_scan(corpus), corpus, self._index.name)

    def _proposals(
        self, terms: Sequence[str], found: _Candidates
    ) -> Iterator[Proposal]:
        """Give what the index proposes, each file once, until enough
        candidates are found.

        A candidate may turn out to be hidden or gone, so the index is asked
        for more as long as it has more.
        """
        given: set[str] = set()

        def search(limit: int) -> list[Proposal]:
            return self._index.search(terms, limit)

        for ask in (search, self._index.newest):
            limit = found.most
            more = bool(terms) or ask != search
            while more and not found.enough:
                proposals = ask(limit)
                for proposal in proposals:
                    if proposal.file not in given and not found.enough:
                        given.add(proposal.file)
                        yield proposal
                more = len(proposals) == limit
                limit *= 4


@dataclass(frozen=True)
class _Unchanged:
    """The memories whose files are still what they were when they were read;
    what has changed or gone since is left out.
    """

    directory: Path
    memories: Sequence[IndexedMemory]

    def __iter__(self) -> Iterator[IndexedMemory]:
        for memory in self.memories:
            try:
                status = os.lstat(self.directory / memory.file)
            except OSError:
                continue
            if FileStamp.of(status) == memory.stamp:
                yield memory


def _has_plain_name(file: str) -> bool:
    """Say whether a file is a memory, and has a name that the index can keep:
    one that is no UTF-8 is never proposed.
    """
    try:
        file.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in file and scan.is_memory_file(file)


class _NoIndexError(Exception):
    """There is no index that could be used, and the person knows it."""


@dataclass(frozen=True)
class _File:
    """A file as it was read; ``problem`` says why it has no header."""

    file: str
    stamp: FileStamp
    header: MemoryHeader | None = None
    problem: str = ""

    @property
    def indexed(self) -> IndexedMemory:
        """Give what the index keeps of it; what has no header has no terms."""
        terms = terms_of(searched_text(self.header)) if self.header else []
        return IndexedMemory(self.file, self.stamp, terms)


class _Candidates:
    """What becomes of the proposals of one query."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.headers: list[MemoryHeader] = []
        self.skipped: list[tuple[str, str]] = []
        self.hidden: list[tuple[str, str]] = []
        self.gone: list[str] = []
        self.changed: list[IndexedMemory] = []

    @property
    def enough(self) -> bool:
        """Say whether there are as many candidates as there may be."""
        return len(self.headers) >= self.most

    def as_scan(self, corpus: Corpus) -> Scan:
        """Give the candidates as a scan does, newest first."""
        headers = sorted(
            self.headers,
            key=lambda each: (-each.mtime.timestamp(), each.filename),
        )
        seen = len(headers) + len(self.skipped)
        seen += len(self.hidden) + len(self.gone)
        return Scan(
            headers=tuple(headers),
            skipped=tuple(self.skipped),
            beyond=max(0, corpus.memories - seen),
            hidden=tuple(sorted(self.hidden)),
        )

"""The first stage of recall: from any number of memories to the few hundred
that the side-query is shown.

A scan shows the newest ``scan_max_files`` memories and hides all others. With
the first stage, a full-text index (SQLite's FTS5) over the names, descriptions
and file names of all memories proposes the candidates instead. The index is a
cache beside the journal, ``.memlab/first-stage.sqlite``: it can be lost at any
time and is built again from the files. It only proposes file names. What a
model is shown of a candidate is read from its file, so an index that is out of
date can leave a memory out but cannot change what a memory says.

All files are compared with the index, by their status, when a session begins,
and before a search where the journal has changed since: then memlab has
changed a memory, whichever process did it. What somebody writes by hand is
found from then on, too, at the latest in the next session.

Several processes use the file at once: each waits a moment for a writer. It is
opened for every operation, so that no process goes on with one that another
has deleted. A change is made as a whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memlab.clock import from_nanoseconds
from memlab.errors import MemlabError, MemoryFormatError
from memlab.memdir import scan
from memlab.memdir.folder import PRIVATE_DIRECTORY, PRIVATE_FILE, Folder
from memlab.memdir.journal import JOURNAL
from memlab.memdir.places import STORE_FOLDER
from memlab.memdir.scan import (
    MemoryFiles,
    MemoryHeader,
    Scan,
    nothing_hidden,
)
from memlab.recall.keyword import Corpus, newest_first, searched_text
from memlab.settings import Settings
from memlab.text import terms_of

if TYPE_CHECKING:
    import sqlite3

T = TypeVar("T")
Stamp = tuple[float, int]
"""Mtime in seconds, and size: they tell one version of a file from another."""

FILE = "first-stage.sqlite"
# Files that are read and written to the index at a time: other processes wait
# meanwhile, and a process that is killed has not worked for nothing.
BATCH = 500
# How many memories the terms of one search may be in, all together. FTS5 takes
# about a microsecond for each of them.
MOST_SEARCHED = 4_000
VERSION = 3  # the tables of another version are made again
_MAKE = f"""
BEGIN IMMEDIATE;
DROP TABLE IF EXISTS frequency;
DROP TABLE IF EXISTS words;
DROP TABLE IF EXISTS memory;
DROP TABLE IF EXISTS state;
CREATE TABLE state (mtime REAL, size);
INSERT INTO state VALUES (NULL, NULL);
CREATE TABLE memory
    (id INTEGER PRIMARY KEY, file TEXT UNIQUE, mtime REAL, size, length);
CREATE INDEX by_time ON memory (mtime DESC, file);
CREATE INDEX by_length ON memory (length);
CREATE VIRTUAL TABLE words USING fts5 (terms, tokenize = 'ascii');
CREATE VIRTUAL TABLE frequency USING fts5vocab (words, 'row');
CREATE TRIGGER removed AFTER DELETE ON memory
    BEGIN DELETE FROM words WHERE rowid = old.id; END;
PRAGMA user_version = {VERSION};
COMMIT;
"""
_SEARCH = """
SELECT file FROM words JOIN memory ON id = words.rowid
    WHERE words MATCH ? ORDER BY bm25(words), mtime DESC, file
"""
_NEWEST = "SELECT file FROM memory ORDER BY mtime DESC, file"
_STAMPS = "SELECT file, mtime, size FROM memory"
_COUNT = "SELECT count(*), coalesce(sum(length), 0) FROM memory"
_REMOVE = "DELETE FROM memory WHERE file = ?"
# SQLite overwrites what it removes with zeros. FTS5 only marks a term as
# removed, and drops it when it merges the parts of its index.
_DROP_REMOVED_TERMS = "INSERT INTO words (words) VALUES ('optimize')"


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


class Proposed(NamedTuple):
    """The candidates of one query, newest first as in a scan, and what keyword
    ranking has to know of all memories to rank them.
    """

    scan: Scan
    corpus: Corpus

    @property
    def summary(self) -> str:
        """Say how many of how many were proposed."""
        count, memories = len(self.scan), self.corpus.memories
        return f"SQLite proposed {count} of {memories:,} memories"


class IndexUnavailableError(MemlabError):
    """The index cannot be used now; recall goes on without it."""


def open_first_stage(
    directory: Path, settings: Settings, notice: Callable[[str], object]
) -> FirstStage | None:
    """Give the first stage of a memory directory, None where the setting
    ``first_stage`` is off.
    """
    if settings.first_stage == "off":
        return None
    return FirstStage(directory, settings, notice)


class FirstStage:
    """The first stage of one memory directory.

    It raises nothing: where the index cannot be used, ``propose`` gives None,
    and ``notice`` gets one sentence for the person. ``wait`` is how many
    seconds to wait for other processes.
    """

    def __init__(
        self,
        directory: Path,
        settings: Settings,
        notice: Callable[[str], object] = lambda text: None,
        *,
        wait: float = 2.0,
    ) -> None:
        self.path = directory / STORE_FOLDER / FILE
        self._folder = Folder(directory)
        self._settings = settings
        self._notice = notice
        self._wait = wait
        self._checked = False

    def check(self) -> None:
        """Compare all files with the index, and bring it up to date."""
        self._try(self._check)

    def propose(
        self, query: str, hides: Callable[[str], str] = nothing_hidden
    ) -> Proposed | None:
        """Give the candidates of a query: the memories that share a term with
        it, best first, up to ``first_stage_candidates``, and the newest ones
        where that leaves room.

        None if there are no more memories than a scan lists anyway, or if
        there is no index. ``hides`` is as in a scan.
        """
        return self._try(lambda index: self._propose(index, query, hides))

    def erase(self, files: Collection[str]) -> str:
        """Remove files so that the index keeps no bytes of them, nor of what
        was removed or replaced before; returns what to do by hand if that
        cannot be done now, else "".
        """
        if not self.path.exists():
            return ""

        def remove(index: sqlite3.Connection) -> None:
            with index:
                index.execute("BEGIN IMMEDIATE")
                index.executemany(_REMOVE, [(file,) for file in files])
                index.execute(_DROP_REMOVED_TERMS)

        try:
            self._use(remove)
        except IndexUnavailableError as error:
            return (
                f"{error}. Delete that index; it is built again from the"
                " memories."
            )
        return ""

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        """Open the index; raises OSError, or what SQLite raises."""
        import sqlite3

        self.path.parent.mkdir(mode=PRIVATE_DIRECTORY, exist_ok=True)
        if self.path.is_symlink():
            self.path.unlink()
        if not self.path.exists():
            self.path.touch(PRIVATE_FILE)
        connection = sqlite3.connect(
            self.path, timeout=self._wait, isolation_level=None
        )
        with closing(connection) as index:
            index.execute("PRAGMA secure_delete = ON")
            version = index.execute("PRAGMA user_version").fetchone()
            if version != (VERSION,):
                index.executescript(_MAKE)
            yield index

    def _try(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do something with the index, if there are memories and it can be
        used.
        """
        if not self._folder.path.is_dir():
            return None
        try:
            return self._use(work)
        except IndexUnavailableError as error:
            most = self._settings.scan_max_files
            self._notice(
                f"Recall sees only the newest {most} memories. {error}"
            )
            return None

    def _use(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do something with the index, and once more, with a new one, if it
        was damaged. Raises IndexUnavailableError.
        """
        try:
            import sqlite3
        except ImportError as error:
            raise self._unavailable(error) from error
        try:
            try:
                with self.open() as index:
                    return work(index)
            except sqlite3.DatabaseError as error:
                # for SQLite, a missing table is an error like many others
                is_lost = "no such table" in str(error)
                if isinstance(error, sqlite3.OperationalError) and not is_lost:
                    raise
            self._delete()
            with self.open() as index:
                return work(index)
        except (OSError, sqlite3.Error) as error:
            raise self._unavailable(error) from error

    def _delete(self) -> None:
        for ending in ("", "-journal"):
            self.path.with_name(FILE + ending).unlink(missing_ok=True)
        self._checked = False
        self._notice(
            f"{self.path}: the search index of recall could not be read, so it"
            " was built again."
        )

    def _unavailable(self, error: Exception) -> IndexUnavailableError:
        why = getattr(error, "strerror", "") or str(error)
        do = "Make sure that the folder is writable, or set first_stage to off"
        if "locked" in why:
            do = "Another program uses it; nothing to do if that ends soon"
        what = f"the search index of recall cannot be used: {why}"
        return IndexUnavailableError(what, where=self.path, do=do)

    def _check(self, index: sqlite3.Connection) -> None:
        journal = self._journal()
        if index.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise index.DatabaseError("its inner structure is damaged")
        known = {
            file: (mtime, size) for file, mtime, size in index.execute(_STAMPS)
        }
        files = MemoryFiles(self._folder.path).status
        found = {
            file: _stamp(status)
            for file, status in files.items()
            if file.isprintable()  # SQLite takes only UTF-8
        }
        names = sorted(known.keys() | found.keys())
        changed = [one for one in names if known.get(one) != found.get(one)]
        self._update(index, changed)
        index.execute("UPDATE state SET mtime = ?, size = ?", journal)
        self._checked = True

    def _follow(self, index: sqlite3.Connection) -> None:
        checked = index.execute("SELECT mtime, size FROM state").fetchone()
        if not self._checked or checked != self._journal():
            self._check(index)

    def _journal(self) -> Stamp:
        with suppress(FileNotFoundError):
            return _stamp(os.stat(self._folder.path / JOURNAL))
        return 0.0, 0

    def _update(self, index: sqlite3.Connection, files: Sequence[str]) -> None:
        """Index files as they are now, and forget those that are gone.

        They are read while other writers are kept out, so nothing comes back
        that another process has just erased.
        """
        for start in range(0, len(files), BATCH):
            with index:
                index.execute("BEGIN IMMEDIATE")
                gone = 0
                for file in files[start : start + BATCH]:
                    removed = index.execute(_REMOVE, (file,)).rowcount
                    try:
                        _add(index, file, *self._read(file))
                    except OSError:
                        gone += removed
                if gone:
                    index.execute(_DROP_REMOVED_TERMS)

    def _read(self, file: str) -> tuple[Stamp, MemoryHeader | str]:
        """Read the header of a file, or why it has none, with the stamp that
        the file has at that moment.
        """
        opened = self._folder.open(file)
        try:
            status = os.fstat(opened)
            start = os.read(opened, self._settings.scan_header_bytes)
        finally:
            os.close(opened)
        try:
            values = scan.read_header(start, self._settings)
        except MemoryFormatError as error:
            return _stamp(status), error.what
        mtime = from_nanoseconds(status.st_mtime_ns)
        path = self._folder.path / file
        return _stamp(status), MemoryHeader(path, file, mtime, *values)

    def _propose(
        self,
        index: sqlite3.Connection,
        query: str,
        hides: Callable[[str], str],
    ) -> Proposed | None:
        self._follow(index)
        containing = count_containing(index, sorted({*terms_of(query)}))
        memories, terms = index.execute(_COUNT).fetchone()
        corpus = Corpus(memories, terms, containing)
        if memories <= self._settings.scan_max_files:
            return None

        headers: list[MemoryHeader] = []
        skipped, hidden = [], []
        seen: set[str] = set()
        proposals = chain(
            best_first(index, containing), index.execute(_NEWEST)
        )
        for (file,) in proposals:
            if file in seen:
                continue
            seen.add(file)
            why = hides(file)
            if why:
                hidden.append((file, why))
                continue
            try:
                _, header = self._read(file)
            except FileNotFoundError:
                continue
            except OSError as error:
                header = error.strerror or str(error)
            if isinstance(header, str):
                skipped.append((file, header))
            else:
                headers.append(header)
            if len(headers) == self._settings.first_stage_candidates:
                break
        beyond = max(0, memories - len(seen))
        found = tuple(newest_first(headers)), tuple(skipped), beyond
        return Proposed(Scan(*found, tuple(sorted(hidden))), corpus)


def count_containing(
    index: sqlite3.Connection, terms: Sequence[str]
) -> dict[str, int]:
    """Count the memories that contain each of the terms."""
    counted = "SELECT coalesce(sum(doc), 0) FROM frequency WHERE term = ?"
    return {
        term: index.execute(counted, (_token(term),)).fetchone()[0]
        for term in terms
    }


def best_first(
    index: sqlite3.Connection, containing: Mapping[str, int]
) -> Iterator[tuple[str]]:
    """Give the files that contain one of the rarer terms, best first (BM25);
    equal scores by time, newest first, and then by name.
    """
    kept = rare_terms(dict(containing), MOST_SEARCHED)
    if kept:
        wanted = " OR ".join(f'"{_token(term)}"' for term in kept)
        yield from index.execute(_SEARCH, (wanted,))


def _token(term: str) -> str:
    """Write a term so that FTS5 takes it as one word, in every script."""
    return term if term.isascii() else f"x{term.encode().hex()}"


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_mtime, status.st_size


def _add(
    index: sqlite3.Connection,
    file: str,
    stamp: Stamp,
    header: MemoryHeader | str,
) -> None:
    """Add a file; without a header it has no terms."""
    terms = [] if isinstance(header, str) else terms_of(searched_text(header))
    number = index.execute(
        "INSERT INTO memory (file, mtime, size, length) VALUES (?, ?, ?, ?)",
        (file, *stamp, len(terms)),
    ).lastrowid
    index.execute(
        "INSERT INTO words (rowid, terms) VALUES (?, ?)",
        (number, " ".join(map(_token, terms))),
    )

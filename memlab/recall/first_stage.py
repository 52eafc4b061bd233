"""The first stage of recall: from any number of memories to the few hundred
that the side-query is shown.

A scan shows the newest ``scan_max_files`` memories and hides all others. With
the first stage, a full-text index (SQLite's FTS5) over the names, descriptions
and file names of all memories proposes the candidates instead. The index is a
cache beside the journal, ``.memlab/first-stage.sqlite``: it can be lost at any
time and is built again from the files. It only proposes file names. What a
model is shown of a candidate is read from its file, so an index that is out of
date can leave a memory out but cannot change what a memory says.

All files are compared with the index, by their status, when a session begins.
After that, memlab's own changes are taken from the journal, whichever process
made them, and of the candidates of a query those whose status has changed are
indexed again. What somebody writes by hand is found from the next session on.

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
from memlab.errors import MemlabError, MemoryFormatError, StoreError
from memlab.memdir import scan
from memlab.memdir.folder import PRIVATE_DIRECTORY, PRIVATE_FILE, Folder
from memlab.memdir.journal import Journal
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
VERSION = 2  # the tables of another version are made again
_MAKE = f"""
BEGIN IMMEDIATE;
DROP TABLE IF EXISTS frequency;
DROP TABLE IF EXISTS words;
DROP TABLE IF EXISTS memory;
DROP TABLE IF EXISTS state;
CREATE TABLE state (position TEXT);
INSERT INTO state VALUES (NULL);
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
SELECT file, mtime, size FROM words JOIN memory ON id = words.rowid
    WHERE words MATCH ? ORDER BY bm25(words), mtime DESC, file
"""
_NEWEST = "SELECT file, mtime, size FROM memory ORDER BY mtime DESC, file"
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


class IndexLostError(MemlabError):
    """The index could not be read, and was deleted."""


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
        self._journal = Journal(self._folder)
        self._settings = settings
        self._notice = notice
        self._wait = wait
        self._checked = False

    def check(self) -> None:
        """Compare all files with the index, and bring it up to date."""
        self._with_index(self._check)

    def follow(self) -> None:
        """Take over what memlab has changed since the last time."""
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
        return self._with_index(
            lambda index: self._propose(index, query, hides)
        )

    def erase(self, files: Collection[str]) -> str:
        """Remove files so that the index keeps no bytes of them, nor of what
        was removed or replaced before; returns what to do by hand if that
        cannot be done now, else "".
        """
        if not self.path.exists():
            return ""
        try:
            with self.open() as index, index:
                index.execute("BEGIN IMMEDIATE")
                index.executemany(_REMOVE, [(file,) for file in files])
                index.execute(_DROP_REMOVED_TERMS)
        except IndexLostError:
            pass  # it is deleted, with all that it contained
        except IndexUnavailableError as error:
            return (
                f"{error}. Delete that index; it is built again from the"
                " memories."
            )
        return ""

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        """Open the index; raises IndexUnavailableError if it cannot be used
        now, and IndexLostError if it was damaged.
        """
        try:
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
        except (ImportError, OSError) as error:
            raise self._unavailable(error) from error
        except sqlite3.OperationalError as error:
            # for SQLite, a missing table is an error like many others
            if "no such table" in str(error):
                raise self._lost() from error
            raise self._unavailable(error) from error
        except sqlite3.DatabaseError as error:
            raise self._lost() from error

    def _lost(self) -> MemlabError:
        """Delete the damaged file, and give what has to be raised."""
        try:
            for ending in ("", "-journal"):
                self.path.with_name(FILE + ending).unlink(missing_ok=True)
        except OSError as error:
            return self._unavailable(error)
        what = "the search index of recall could not be read"
        return IndexLostError(what, where=self.path)

    def _unavailable(self, error: Exception) -> MemlabError:
        why = getattr(error, "strerror", "") or str(error)
        do = "Make sure that the folder is writable, or set first_stage to off"
        if "locked" in why:
            do = "Another program uses it; nothing to do if that ends soon"
        what = f"the search index of recall cannot be used: {why}"
        return IndexUnavailableError(what, where=self.path, do=do)

    def _with_index(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do something with the index, and once more if it was lost; it is
        built again then.
        """
        if not self._folder.path.is_dir():
            return None
        for _ in range(2):
            try:
                with self.open() as index:
                    return work(index)
            except IndexLostError as error:
                self._checked = False
                self._notice(f"{error}, so it was built again.")
            except IndexUnavailableError as error:
                most = self._settings.scan_max_files
                self._notice(
                    f"Recall sees only the newest {most} memories. {error}"
                )
                return None
        return None

    def _check(self, index: sqlite3.Connection) -> None:
        _, position = self._changed_since(None)
        if index.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise self._lost()
        known = {file: tuple(stamp) for file, *stamp in index.execute(_NEWEST)}
        files = MemoryFiles(self._folder.path).status
        found = {
            file: _stamp(status)
            for file, status in files.items()
            if file.isprintable()  # SQLite takes only UTF-8
        }
        names = sorted(known.keys() | found.keys())
        changed = [one for one in names if known.get(one) != found.get(one)]
        self._update(index, changed, position)
        self._checked = True

    def _follow(self, index: sqlite3.Connection) -> None:
        (last,) = index.execute("SELECT position FROM state").fetchone()
        files, position = self._changed_since(last)
        if files is None or not self._checked:
            self._check(index)
        elif files or position != last:
            self._update(index, sorted(files), position)

    def _changed_since(self, last: str | None) -> tuple[set[str] | None, str]:
        """Give the memories that were changed after the journal's entry
        ``last``, and the entry to ask from the next time: the one before the
        first that is still under way.

        The memories are None if the journal has no such entry.
        """
        with suppress(StoreError, OSError):
            self._journal.read()
        entries, waits = self._journal.entries, self._journal.unfinished
        ids = ["", *(one.id for one in entries)]
        settled = min([ids.index(one) for one in waits], default=len(ids)) - 1
        if last not in ids:
            return None, ids[settled]
        since = entries[ids.index(last) :]
        files = {one.file for entry in since for one in entry.changes}
        return set(filter(scan.is_memory_file, files)), ids[settled]

    def _update(
        self,
        index: sqlite3.Connection,
        files: Sequence[str],
        position: str | None = None,
    ) -> None:
        """Index files as they are now, and forget those that are gone.

        They are read while other writers are kept out, so nothing comes back
        that another process has just erased.
        """
        for start in range(0, len(files), BATCH):
            with index:
                index.execute("BEGIN IMMEDIATE")
                gone = False
                for file in files[start : start + BATCH]:
                    was_there = index.execute(_REMOVE, (file,)).rowcount
                    try:
                        _add(index, file, *self._read(file))
                    except OSError:
                        gone = gone or bool(was_there)
                if gone:
                    index.execute(_DROP_REMOVED_TERMS)
        if position is not None:
            index.execute("UPDATE state SET position = ?", (position,))

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
        skipped, hidden, changed = [], [], []
        seen: set[str] = set()
        proposals = chain(
            best_first(index, containing), index.execute(_NEWEST)
        )
        for file, *stamp in proposals:
            if file in seen:
                continue
            seen.add(file)
            why = hides(file)
            if why:
                hidden.append((file, why))
                continue
            try:
                now, header = self._read(file)
            except FileNotFoundError:
                changed.append(file)
                continue
            except OSError as error:
                skipped.append((file, error.strerror or str(error)))
                continue
            if now != tuple(stamp):
                changed.append(file)
            if isinstance(header, str):
                skipped.append((file, header))
            else:
                headers.append(header)
            if len(headers) == self._settings.first_stage_candidates:
                break
        del proposals  # an unfinished search would keep writers out
        if changed:
            with suppress(IndexUnavailableError), self.open() as again:
                self._update(again, changed)
        beyond = max(0, memories - len(seen))
        found = tuple(newest_first(headers)), tuple(skipped), beyond
        return Proposed(Scan(*found, tuple(sorted(hidden))), corpus)


def count_containing(
    index: sqlite3.Connection, terms: Sequence[str]
) -> dict[str, int]:
    """Count the memories that contain each of the terms."""
    counts = {}
    for term in terms:
        row = index.execute(
            "SELECT doc FROM frequency WHERE term = ?", (_token(term),)
        ).fetchone()
        counts[term] = row[0] if row else 0
    return counts


def best_first(
    index: sqlite3.Connection, containing: Mapping[str, int]
) -> Iterator[tuple[str, float, int]]:
    """Give the files that contain one of the rarer terms, and their stamps,
    best first (BM25); equal scores by time, newest first, and then by name.
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

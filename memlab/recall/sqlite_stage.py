"""The first stage's index in SQLite: one file beside the journal, with the
full-text search (FTS5) that comes with Python.

The file is a cache. SQLite's rollback journal keeps it whole when a process is
killed. A file that a disk or a person has damaged is deleted and built again;
that is noticed when a session begins, if not before. Several processes use it
at once: each waits a moment for a writer. Every operation opens the file and
closes it, so that no process goes on with one that another has deleted.

Each method raises IndexUnavailableError if the index cannot be used now, and
IndexLostError if what it contained is lost. A change is made as a whole or not
at all, also if the process is killed.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from memlab.memdir.folder import PRIVATE_DIRECTORY
from memlab.memdir.places import STORE_FOLDER
from memlab.recall import first_stage
from memlab.recall.first_stage import (
    MOST_SEARCHED,
    FileStamp,
    IndexedMemory,
    IndexLostError,
    IndexUnavailableError,
    Proposal,
)
from memlab.recall.keyword import Corpus

try:
    import sqlite3
except ImportError:  # a Python can be built without it
    sqlite3 = None  # type: ignore[assignment]

FILE = "first-stage.sqlite"
PRIVATE_FILE = 0o600
# what the file contains; a file of another version is built again
VERSION = 1
BUSY_SECONDS = 2.0

_SCHEMA = """
CREATE TABLE memory (
    id INTEGER PRIMARY KEY,
    file TEXT NOT NULL UNIQUE,
    mtime_ns INTEGER NOT NULL,
    size INTEGER NOT NULL,
    length INTEGER NOT NULL
);
CREATE INDEX memory_by_time ON memory (mtime_ns DESC, file);
CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    position TEXT NOT NULL,
    memories INTEGER NOT NULL,
    terms INTEGER NOT NULL
);
INSERT INTO state VALUES (1, '', 0, 0);
CREATE VIRTUAL TABLE words USING fts5 (terms, tokenize = 'ascii');
CREATE VIRTUAL TABLE frequency USING fts5vocab (words, 'row');
"""


class SqliteIndex:
    """The index of a memory directory in ``.memlab/first-stage.sqlite``."""

    name = "SQLite"

    def __init__(self, directory: Path, *, wait: float = BUSY_SECONDS) -> None:
        self.path = directory / STORE_FOLDER / FILE
        self._wait = wait

    def stamps(self) -> dict[str, FileStamp]:
        """Give every indexed file with its stamp; raises IndexLostError if
        anything in the file is damaged.

        It is asked for when a session begins, so the file is examined here.
        """
        with self._open() as database:
            (answer,) = _row(database, "PRAGMA quick_check(1)")
            if answer != "ok":
                raise sqlite3.DatabaseError(answer)
            database.execute(
                "INSERT INTO words (words) VALUES ('integrity-check')"
            )
            rows = database.execute("SELECT file, mtime_ns, size FROM memory")
            return {
                file: FileStamp(mtime_ns, size)
                for file, mtime_ns, size in rows
            }

    def change(
        self,
        put: Iterable[IndexedMemory] = (),
        remove: Collection[str] = (),
        position: str | None = None,
    ) -> None:
        """Add or replace memories, and remove files that may be unknown.

        ``put`` looks at the files once more while it is gone through, so that
        nothing comes back which another process has just erased. All other
        writers are kept out meanwhile. ``position`` is given back by
        ``position``; None leaves it as it is.

        What a file is removed for may be that somebody has erased it, so its
        terms go in the same transaction: a process that is killed afterwards
        leaves none behind.
        """
        with self._open() as database, _transaction(database):
            removed = [_remove(database, file) for file in remove]
            if any(removed):
                _drop_removed_terms(database)
            for memory in put:
                _remove(database, memory.file)
                _add(database, memory)
            if position is not None:
                database.execute("UPDATE state SET position = ?", (position,))

    def position(self) -> str:
        """Give the position of the last change that had one, "" for a new
        index. It says up to where the memory directory's journal has been
        followed.
        """
        with self._open() as database:
            (position,) = _row(database, "SELECT position FROM state")
            return str(position)

    def search(self, terms: Sequence[str], limit: int) -> list[Proposal]:
        """Give the files that contain one of the rarer terms, best first
        (BM25); equal scores by time, newest first, and then by file name.
        """
        with self._open() as database:
            containing = _frequencies(database, terms)
            kept = first_stage.rare_terms(containing, MOST_SEARCHED)
            kept = [term for term in kept if term in containing]
            if not kept:
                return []
            wanted = " OR ".join(f'"{_token(term)}"' for term in kept)
            found = database.execute(
                "SELECT rowid, bm25(words) FROM words WHERE words MATCH ?",
                (wanted,),
            ).fetchall()
            return _best(database, dict(found), limit) if found else []

    def newest(self, limit: int) -> list[Proposal]:
        """Give the newest files, equal times by file name."""
        with self._open() as database:
            rows = database.execute(
                "SELECT file, mtime_ns, size FROM memory"
                " ORDER BY mtime_ns DESC, file LIMIT ?",
                (limit,),
            )
            return [_proposal(*row) for row in rows]

    def corpus(self, terms: Sequence[str]) -> Corpus:
        """Give the figures that BM25 needs for these terms."""
        with self._open() as database:
            memories, length = _row(
                database, "SELECT memories, terms FROM state"
            )
            return Corpus(memories, length, _frequencies(database, terms))

    def erase(self, files: Collection[str]) -> None:
        """Remove these files, and all that is left of what was removed or
        replaced before.
        """
        with self._open() as database, _transaction(database):
            for file in files:
                _remove(database, file)
            _drop_removed_terms(database)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        if sqlite3 is None:
            raise IndexUnavailableError(
                "This Python was built without SQLite",
                do="Use another Python, or set first_stage to off",
            )
        try:
            self.path.parent.mkdir(mode=PRIVATE_DIRECTORY, exist_ok=True)
            if self.path.is_symlink():
                raise sqlite3.DatabaseError("a link is in its place")
            with closing(self._connect()) as database:
                yield database
        except OSError as error:
            raise self._unavailable(error.strerror or str(error)) from error
        except sqlite3.DatabaseError as error:
            if _is_unusable(error):
                raise self._unavailable(str(error)) from error
            raise self._delete_damaged() from error

    def _connect(self) -> sqlite3.Connection:
        # SQLite itself would let everybody read a file that it makes. One
        # that exists is not opened: to close it would end SQLite's locks.
        with suppress(FileExistsError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            os.close(os.open(self.path, flags, PRIVATE_FILE))
        database = sqlite3.connect(
            self.path, timeout=self._wait, isolation_level=None
        )
        try:
            database.execute("PRAGMA secure_delete = ON")
            (version,) = _row(database, "PRAGMA user_version")
            if version != VERSION:
                self._make(database)
        except BaseException:
            database.close()
            raise
        return database

    def _make(self, database: sqlite3.Connection) -> None:
        """Make the tables, unless another process has just done so."""
        with _transaction(database):
            (version,) = _row(database, "PRAGMA user_version")
            if version == VERSION:
                return
            if version:
                raise sqlite3.DatabaseError(f"version {version}")
            for statement in _SCHEMA.split(";"):
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {VERSION}")

    def _delete_damaged(self) -> IndexLostError | IndexUnavailableError:
        """Delete the damaged file, and give what has to be raised."""
        try:
            for ending in ("", "-journal"):
                file = self.path.with_name(FILE + ending)
                file.unlink(missing_ok=True)
        except OSError as error:
            return self._unavailable(error.strerror or str(error))
        return IndexLostError(
            "the search index of recall could not be read", where=self.path
        )

    def _unavailable(self, why: str) -> IndexUnavailableError:
        if "fts5" in why:
            return IndexUnavailableError(
                "This Python's SQLite has no full-text search (FTS5)",
                do="Use another Python, or set first_stage to off",
            )
        do = "See that the folder can be written to, or set first_stage to off"
        if "locked" in why:
            do = "Another program uses it; nothing to do if that ends soon"
        return IndexUnavailableError(
            f"the search index of recall cannot be used: {why}",
            where=self.path,
            do=do,
        )


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Make all changes or none, and keep other writers out meanwhile."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def _is_unusable(error: sqlite3.DatabaseError) -> bool:
    """Say whether the file may be sound although it cannot be used now."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    unusable = {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_NOMEM,
    }
    return code in unusable or "no such module" in str(error)


def _remove(database: sqlite3.Connection, file: str) -> bool:
    """Remove a file, and say whether it was there."""
    row = database.execute(
        "SELECT id, length FROM memory WHERE file = ?", (file,)
    ).fetchone()
    if row is None:
        return False
    number, length = row
    database.execute("DELETE FROM words WHERE rowid = ?", (number,))
    database.execute("DELETE FROM memory WHERE id = ?", (number,))
    _count(database, -1, -length)
    return True


def _drop_removed_terms(database: sqlite3.Connection) -> None:
    """See to it that the file has no bytes of what was removed or replaced.

    SQLite overwrites what it removes with zeros. FTS5 only marks a term as
    removed, and drops it when it merges the parts of its index.
    """
    database.execute("INSERT INTO words (words) VALUES ('optimize')")


def _add(database: sqlite3.Connection, memory: IndexedMemory) -> None:
    length = len(memory.terms)
    number = database.execute(
        "INSERT INTO memory (file, mtime_ns, size, length)"
        " VALUES (?, ?, ?, ?)",
        (memory.file, *memory.stamp, length),
    ).lastrowid
    database.execute(
        "INSERT INTO words (rowid, terms) VALUES (?, ?)",
        (number, " ".join(map(_token, memory.terms))),
    )
    _count(database, 1, length)


def _count(database: sqlite3.Connection, memories: int, terms: int) -> None:
    database.execute(
        "UPDATE state SET memories = memories + ?, terms = terms + ?",
        (memories, terms),
    )


def _token(term: str) -> str:
    """Write a term so that FTS5 takes it as one word, in every script."""
    return term if term.isascii() else f"x{term.encode().hex()}"


def _frequencies(
    database: sqlite3.Connection, terms: Sequence[str]
) -> Mapping[str, int]:
    """Count the memories that contain each of the terms."""
    found = {}
    for term in terms:
        row = database.execute(
            "SELECT doc FROM frequency WHERE term = ?", (_token(term),)
        ).fetchone()
        found[term] = row[0] if row else 0
    return found


def _best(
    database: sqlite3.Connection, scores: Mapping[int, float], limit: int
) -> list[Proposal]:
    """Look up the best of what was found; equal scores are ordered by time
    and name, so that an index that was built again gives the same.
    """
    best = heapq.nsmallest(limit, scores.values())
    numbers = [number for number in scores if scores[number] <= best[-1]]
    rows = database.execute(
        "SELECT id, file, mtime_ns, size FROM memory"
        f" WHERE id IN ({','.join(map(str, numbers))})"
    ).fetchall()
    if len(rows) != len(numbers):
        raise sqlite3.DatabaseError("a memory is missing")
    rows.sort(key=lambda row: (scores[row[0]], -row[2], row[1]))
    return [_proposal(*row[1:]) for row in rows[:limit]]


def _row(
    database: sqlite3.Connection, statement: str, *values: Any
) -> tuple[Any, ...]:
    """Give the one row that a sound file has."""
    row: tuple[Any, ...] | None = database.execute(
        statement, values
    ).fetchone()
    if row is None:
        raise sqlite3.DatabaseError("a row is missing")
    return row


def _proposal(file: str, mtime_ns: int, size: int) -> Proposal:
    return Proposal(file, FileStamp(mtime_ns, size))

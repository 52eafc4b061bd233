"""The index of the first stage in SQLite: one file beside the journal, with a
full-text table (FTS5).

Several processes use the file at once: each waits a moment for a writer. It is
opened for every operation, so that no process goes on with one that another
has deleted. A change is made as a whole or not at all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from memlab.memdir.folder import PRIVATE_DIRECTORY, PRIVATE_FILE
from memlab.memdir.places import STORE_FOLDER
from memlab.recall.first_stage import IndexUnavailableError, Stamp
from memlab.recall.keyword import Corpus

FILE = "first-stage-2.sqlite"
TABLES = Path(__file__).with_suffix(".sql")
_ROWS = "SELECT file, mtime, size FROM memory"
_SEARCH = f"{_ROWS} JOIN words ON words.rowid = id WHERE words MATCH ?"
_COUNT = "SELECT coalesce(sum(doc), 0) FROM frequency WHERE term = ?"
_ADD = "INSERT INTO memory (file, mtime, size) VALUES (?, ?, ?)"
_ADD_TERMS = "INSERT INTO words (rowid, terms) VALUES (?, ?)"
# FTS5 only marks a term as removed, and drops it when it merges its parts.
_DROP_REMOVED_TERMS = "INSERT INTO words (words) VALUES ('optimize')"


@contextmanager
def open_index(directory: Path, wait: float = 2.0) -> Iterator[SqliteIndex]:
    """Open the index of a memory directory, or a new one; ``wait`` is how many
    seconds to wait for other processes. A damaged one is deleted.
    """
    path = directory / STORE_FOLDER / FILE
    try:
        path.parent.mkdir(mode=PRIVATE_DIRECTORY, exist_ok=True)
        if path.is_symlink():
            path.unlink()
        path.touch(PRIVATE_FILE)
        connection = sqlite3.connect(path, timeout=wait, isolation_level=None)
        with closing(connection):
            connection.executescript(TABLES.read_text("utf-8"))
            yield SqliteIndex(connection)
    except (OSError, sqlite3.Error) as error:
        what = f"the search index of recall cannot be used: {error}"
        do = "If another program is using it, you needn't do anything"
        if isinstance(error, sqlite3.Error) and "locked" not in str(error):
            delete_index(directory)
            do = "It was deleted, and will be built again"
        raise IndexUnavailableError(what, where=path, do=do) from error


def delete_index(directory: Path) -> None:
    """Delete the index, which is built again from the memories."""
    folder = directory / STORE_FOLDER
    try:
        for path in folder.glob("first-stage*"):  # with SQLite's journal
            path.unlink(missing_ok=True)
    except OSError as error:
        what = f"the search index of recall cannot be deleted: {error}"
        do = "Delete what is called first-stage there"
        raise IndexUnavailableError(what, where=folder, do=do) from error


class SqliteIndex:
    """An open index."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def newest(self) -> Iterator[tuple[str, Stamp]]:
        """List all files, the newest first."""
        return self._rows(f"{_ROWS} ORDER BY mtime DESC, file")

    def count(self, terms: Iterable[str]) -> Corpus:
        """Count all memories, and those that contain each of the terms."""
        execute = self._connection.execute
        (memories,) = execute("SELECT count(*) FROM memory").fetchone()
        containing = {}
        for term in terms:
            (containing[term],) = execute(_COUNT, (term,)).fetchone()
        return Corpus(memories, containing)

    def search(self, terms: Iterable[str]) -> Iterator[tuple[str, Stamp]]:
        """List the files that contain one of the terms, best first (BM25)."""
        wanted = " OR ".join(f'"{term}"' for term in terms) or '""'
        order = "ORDER BY bm25(words), mtime DESC, file"
        return self._rows(f"{_SEARCH} {order}", wanted)

    def update(
        self, changed: Iterable[tuple[str, Stamp | None, list[str]]]
    ) -> None:
        """Index files again, or forget them."""
        execute = self._connection.execute
        with self._connection:
            execute("BEGIN IMMEDIATE")
            forgotten = False
            for file, stamp, terms in changed:
                execute("DELETE FROM memory WHERE file = ?", (file,))
                if stamp is None:
                    forgotten = True
                    continue
                number = execute(_ADD, (file, *stamp)).lastrowid
                execute(_ADD_TERMS, (number, " ".join(terms)))
            if forgotten:
                execute(_DROP_REMOVED_TERMS)

    def _rows(self, query: str, *given: str) -> Iterator[tuple[str, Stamp]]:
        for file, mtime, size in self._connection.execute(query, given):
            yield file, (mtime, size)

"""The first stage's index on a PostgreSQL server, for several machines that
share one memory directory.

Each project has a role on the server, and every row belongs to the role that
wrote it. The server's row-level security compares the two, so no query of
ours, and no mistake in one, can read or change the rows of another project.
A role that row-level security does not bind (the administrator's) is refused.

Rows also name the directory that they describe, by a hash of its path. So two
directories of one project do not mix, and machines share rows if they see the
directory at the same path.

Row-level security has a price: the server may use an index for a condition
only if the condition cannot leak a row that the policy hides, and full-text
search makes no such promise. The server therefore goes through all rows of the
project, and only of that project, for every search.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from memlab.recall.first_stage import (
    FileStamp,
    IndexedMemory,
    IndexUnavailableError,
    Proposal,
)
from memlab.recall.keyword import K1, B, Corpus
from memlab.recall.postgres_client import (
    connect,
    load_psycopg,
    shown_server,
    unavailable,
)

if TYPE_CHECKING:
    from psycopg import Connection

T = TypeVar("T")
BATCH = 1_000  # memories that are sent in one statement
LONGEST_TERM = 2_000  # bytes; PostgreSQL takes 2,046
STATEMENT_MILLISECONDS = 2_000
# After an attempt that took this long, the server is left alone for a while.
SLOW_SECONDS = 1.0
PAUSE_SECONDS = 60.0

_BEGIN = """
    SELECT set_config('statement_timeout', %(milliseconds)s, false),
           set_config('search_path', '', false),
           row_security_active('memlab.memory')
           AND row_security_active('memlab.directory')
"""
_PLACE = """
    INSERT INTO memlab.directory AS known (place, position)
    VALUES (%(place)s, coalesce(%(position)s, ''))
    ON CONFLICT (project, place) DO UPDATE
    SET position = coalesce(%(position)s, known.position)
"""
_PUT = """
    INSERT INTO memlab.memory (place, file, mtime_ns, size, length, terms)
    SELECT %(place)s, file, mtime_ns, size, length, terms::tsvector
    FROM unnest(
        %(files)s::bytea[], %(times)s::bigint[], %(sizes)s::bigint[],
        %(lengths)s::integer[], %(terms)s::text[]
    ) AS given (file, mtime_ns, size, length, terms)
    ON CONFLICT (project, place, file) DO UPDATE
    SET mtime_ns = excluded.mtime_ns, size = excluded.size,
        length = excluded.length, terms = excluded.terms
"""
_REMOVE = """
    DELETE FROM memlab.memory
    WHERE place = %(place)s AND file = ANY(%(files)s::bytea[])
"""
# BM25 as in ``keyword``. A memory without any of the terms counts for the
# number of memories and their mean length only, so the weights can be worked
# out from the memories that match. The order of the sum is that of
# ``KeywordIndex``, so that equal scores are equal to the last bit.
_SEARCH = """
    WITH corpus AS (
        SELECT count(*)::float AS memories,
               sum(length)::float / nullif(count(*), 0) AS mean
        FROM memlab.memory WHERE place = %(place)s
    ), matching AS MATERIALIZED (
        SELECT file, mtime_ns, size, length, terms
        FROM memlab.memory
        WHERE place = %(place)s AND terms @@ %(any)s::tsquery
    ), hit AS MATERIALIZED (
        SELECT file, mtime_ns, size, length, lexeme,
               cardinality(positions)::float AS times
        FROM matching, unnest(terms)
        WHERE lexeme = ANY(%(terms)s::text[])
    ), weight AS (
        SELECT lexeme,
               ln(1 + (memories - times + %(half)s) / (times + %(half)s))
                   AS weight
        FROM (
            SELECT lexeme, count(*)::float AS times FROM hit GROUP BY lexeme
        ) AS counted, corpus
    )
    SELECT file, mtime_ns, size
    FROM hit JOIN weight USING (lexeme), corpus
    GROUP BY file, mtime_ns, size
    ORDER BY sum(
        weight * (
            times * (%(k1)s + 1)
            / (times + %(k1)s * (1 - %(b)s + %(b)s * length / mean))
        ) ORDER BY lexeme COLLATE "C"
    ) DESC, mtime_ns DESC, file
    LIMIT %(limit)s
"""
_NEWEST = """
    SELECT file, mtime_ns, size FROM memlab.memory WHERE place = %(place)s
    ORDER BY mtime_ns DESC, file LIMIT %(limit)s
"""
_CONTAINING = """
    SELECT lexeme, count(*)
    FROM memlab.memory, unnest(terms)
    WHERE place = %(place)s AND terms @@ %(any)s::tsquery
      AND lexeme = ANY(%(terms)s::text[])
    GROUP BY lexeme
"""


class PostgresIndex:
    """The rows of one memory directory on a server; see ``CandidateIndex``.

    ``server`` is a connection string of libpq, for the project's role. Nothing
    is connected before it is needed. A connection that the server has closed,
    because it was restarted for example, is opened once more.
    """

    name = "PostgreSQL"
    remedy = (
        "Ask the server's administrator to run: python3 -m memlab postgres"
        " vacuum."
    )

    def __init__(
        self,
        server: str,
        directory: Path,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server = server
        self._place = place_of(directory)
        self._now = now
        self._connection: Connection[Any] | None = None
        self._paused_until = float("-inf")
        self._paused_because = ""

    def stamps(self) -> dict[str, FileStamp]:
        """Give every indexed file with its stamp."""
        rows = self._rows(
            "SELECT file, mtime_ns, size FROM memlab.memory"
            " WHERE place = %(place)s"
        )
        return {each.file: each.stamp for each in _proposals(rows)}

    def change(
        self,
        put: Iterable[IndexedMemory] = (),
        remove: Collection[str] = (),
        position: str | None = None,
    ) -> None:
        """Add, replace and remove in one transaction.

        Writers of one directory wait for each other at its row.
        """
        files = [os.fsencode(file) for file in remove]

        def work(connection: Connection[Any]) -> None:
            place = {"place": self._place}
            with connection.transaction():
                connection.execute(_PLACE, place | {"position": position})
                if files:
                    connection.execute(_REMOVE, place | {"files": files})
                for batch in _batches(put):
                    connection.execute(_PUT, place | _columns(batch))

        self._do(work)

    def position(self) -> str:
        """Give the position that the last change with one has left."""
        rows = self._rows(
            "SELECT position FROM memlab.directory WHERE place = %(place)s"
        )
        return str(rows[0][0]) if rows else ""

    def search(self, terms: Sequence[str], limit: int) -> list[Proposal]:
        """Give the files that contain one of the terms, best first.

        No term is left out: the rows are looked at one by one anyway.
        """
        asked = _searchable(terms)
        if not asked:
            return []
        rows = self._rows(
            _SEARCH,
            terms=asked,
            any=_any_of(asked),
            limit=limit,
            k1=K1,
            b=B,
            half=0.5,
        )
        return _proposals(rows)

    def newest(self, limit: int) -> list[Proposal]:
        """Give the newest files, equal times by file name."""
        return _proposals(self._rows(_NEWEST, limit=limit))

    def corpus(self, terms: Sequence[str]) -> Corpus:
        """Give the figures that BM25 needs for these terms."""
        [(memories, length)] = self._rows(
            "SELECT count(*), coalesce(sum(length), 0) FROM memlab.memory"
            " WHERE place = %(place)s"
        )
        containing = dict.fromkeys(terms, 0)
        asked = _searchable(terms)
        if asked:
            found = self._rows(_CONTAINING, terms=asked, any=_any_of(asked))
            containing |= dict(found)
        return Corpus(memories, length, containing)

    def erase(self, files: Collection[str]) -> None:
        """Delete the rows, and then raise IndexUnavailableError with what is
        left to do.

        The server keeps the bytes of deleted rows until it rewrites the
        table, which only its administrator can ask for.
        """
        self.change(remove=files)
        raise IndexUnavailableError(
            "the rows are deleted, but the server's files keep the words until"
            " the table is written again; its write-ahead log and backups keep"
            " them for longer",
            where=shown_server(self._server),
        )

    def close(self) -> None:
        """Close the connection; the next call opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.close()

    def _rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        values["place"] = self._place
        return self._do(
            lambda connection: connection.execute(query, values).fetchall()
        )

    def _do(self, work: Callable[[Connection[Any]], T]) -> T:
        """Do some work, and once more if the connection turns out to be
        closed; raises IndexUnavailableError.

        All work here can be repeated: it leaves the same rows.
        """
        psycopg = load_psycopg()
        for is_last in (False, True):
            connection = self._connected()
            try:
                return work(connection)
            except psycopg.Error as error:
                if connection.closed and not is_last:
                    self.close()
                    continue
                raise unavailable(error, self._server) from None
        raise AssertionError("the second attempt returns or raises")

    def _connected(self) -> Connection[Any]:
        if self._connection is not None and not self._connection.closed:
            return self._connection
        if self._now() < self._paused_until:
            raise IndexUnavailableError(
                self._paused_because, where=shown_server(self._server)
            )
        begun = self._now()
        try:
            connection = connect(self._server)
        except IndexUnavailableError as error:
            if self._now() - begun >= SLOW_SECONDS:
                self._paused_until = self._now() + PAUSE_SECONDS
                self._paused_because = error.what
            raise
        try:
            self._begin(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _begin(self, connection: Connection[Any]) -> None:
        """Set the limits, and refuse a role that would see other projects."""
        psycopg = load_psycopg()
        milliseconds = {"milliseconds": str(STATEMENT_MILLISECONDS)}
        try:
            row = connection.execute(_BEGIN, milliseconds).fetchone()
        except psycopg.Error as error:
            raise unavailable(error, self._server) from None
        if row is None or not row[2]:
            raise IndexUnavailableError(
                "this role sees the rows of all projects",
                where=shown_server(self._server),
                do="Use the connection string of the project's own role"
                " (python3 -m memlab postgres add NAME)",
            )


def place_of(directory: Path) -> UUID:
    """Name a directory on the server, without giving away its path."""
    real = os.fsencode(os.path.realpath(directory))
    return UUID(bytes=hashlib.sha256(real).digest()[:16])


def _columns(batch: Sequence[IndexedMemory]) -> dict[str, list[Any]]:
    return {
        "files": [os.fsencode(each.file) for each in batch],
        "times": [each.stamp.mtime_ns for each in batch],
        "sizes": [each.stamp.size for each in batch],
        "lengths": [len(each.terms) for each in batch],
        "terms": [_text_vector(each.terms) for each in batch],
    }


def _batches(
    memories: Iterable[IndexedMemory],
) -> Iterator[list[IndexedMemory]]:
    """Split into statements; of two memories of one file the later counts."""
    left = iter({each.file: each for each in memories}.values())
    while batch := list(islice(left, BATCH)):
        yield batch


def _text_vector(terms: Sequence[str]) -> str:
    """Write terms as PostgreSQL writes a tsvector: ``'tab':1,4 'quot':2``.

    The positions are there to count repetitions.
    """
    places: dict[str, list[str]] = defaultdict(list)
    for number, term in enumerate(terms, start=1):
        places[term].append(str(number))
    return " ".join(
        f"{_quoted(term)}:{','.join(places[term])}"
        for term in _searchable(places)
    )


def _searchable(terms: Iterable[str]) -> list[str]:
    """Give each term once; those that PostgreSQL would refuse are left out."""
    return [
        term
        for term in dict.fromkeys(terms)
        if term and len(term.encode("utf-8", "replace")) <= LONGEST_TERM
    ]


def _any_of(terms: Iterable[str]) -> str:
    return " | ".join(map(_quoted, terms))


def _quoted(term: str) -> str:
    escaped = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def _proposals(rows: Iterable[Sequence[Any]]) -> list[Proposal]:
    return [
        Proposal(os.fsdecode(bytes(file)), FileStamp(mtime_ns, size))
        for file, mtime_ns, size in rows
    ]

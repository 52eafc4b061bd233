"""The index of the first stage in PostgreSQL, for a memory directory that
several machines write to: one table for all projects on the server.

``postgres.sql`` makes the table. The environment variable ``MEMLAB_POSTGRES``
says where the server is, and with which role and password: the server shows
each role its own rows only. It needs psycopg, which comes with memlab's extra
``postgres``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memlab.recall.first_stage import IndexUnavailableError, Stamp
from memlab.recall.keyword import Corpus
from memlab.text import fold_space

URL = "MEMLAB_POSTGRES"
WAIT = "-c lock_timeout=2s"
_ROWS = (
    "SELECT file, mtime, size FROM memlab.memory WHERE project = %(project)s"
)
_SEARCH = """
SELECT file, mtime, size
FROM (
    SELECT file, mtime, size, count(*) OVER (PARTITION BY term) AS memories
    FROM memlab.memory JOIN unnest(%(terms)s::text[]) AS term
        ON words @@ term::tsquery
    WHERE project = %(project)s AND words @@ %(any)s::tsquery
) AS found
GROUP BY file, mtime, size
ORDER BY sum(1.0 / memories) DESC, mtime DESC, file
"""
_MEMORIES = "SELECT count(*) FROM memlab.memory WHERE project = %(project)s"
_COUNT = """
SELECT term, count(*)
FROM memlab.memory JOIN unnest(%(terms)s::text[]) AS term
    ON words @@ term::tsquery
WHERE project = %(project)s AND words @@ %(any)s::tsquery
GROUP BY term
"""
_LOCK = "SELECT pg_advisory_xact_lock(hashtext(%(project)s))"
_REMOVE = """
DELETE FROM memlab.memory
WHERE project = %(project)s AND file = ANY(%(files)s)
"""
_ADD = """
INSERT INTO memlab.memory (project, file, mtime, size, words)
VALUES (%s, %s, %s, %s, array_to_tsvector(%s))
"""


@contextmanager
def open_index(directory: Path) -> Iterator[PostgresIndex]:
    """Connect to the index of a memory directory; its changes are made when it
    is closed.
    """
    url = os.environ.get(URL, "")
    if not url:
        what = f"the environment variable {URL} is not set"
        raise _unavailable(what, "postgresql://ROLE:PASSWORD@SERVER/DATABASE")
    try:
        import psycopg
    except ImportError as error:
        what = "PostgreSQL needs the package psycopg"
        raise _unavailable(what, "pip install 'psycopg[binary]'") from error
    try:
        with psycopg.connect(url, connect_timeout=5, options=WAIT) as server:
            sees = "SELECT NOT row_security_active('memlab.memory')"
            if server.execute(sees).fetchone() == (True,):
                what = "this role would see the memories of all roles"
                raise _unavailable(what, "Use one that postgres.sql describes")
            yield PostgresIndex(server, str(directory))
    except psycopg.Error as error:
        what = fold_space(str(error)).replace(url, URL)
        raise _unavailable(what, "postgres.sql says what it needs") from error


def _unavailable(what: str, do: str) -> IndexUnavailableError:
    return IndexUnavailableError(
        f"the search index of recall cannot be used: {what}", do=do
    )


class PostgresIndex:
    """The rows of one memory directory."""

    def __init__(self, server: Any, project: str) -> None:
        self._server = server
        self._project = project

    def newest(self) -> Iterator[tuple[str, Stamp]]:
        """List all files, the newest first."""
        return self._rows(f"{_ROWS} ORDER BY mtime DESC, file")

    def count(self, terms: Iterable[str]) -> Corpus:
        """Count all memories, and those that contain each of the terms."""
        given = self._given(terms)
        (memories,) = self._server.execute(_MEMORIES, given).fetchone()
        found = dict(self._server.execute(_COUNT, given).fetchall())
        return Corpus(
            memories, {term.strip("'"): found[term] for term in found}
        )

    def search(self, terms: Iterable[str]) -> Iterator[tuple[str, Stamp]]:
        """List the files that contain one of the terms, those with rare terms
        first.
        """
        return self._rows(_SEARCH, terms)

    def update(
        self, changed: Iterable[tuple[str, Stamp | None, list[str]]]
    ) -> None:
        """Index files again, or forget them."""
        self._server.execute(_LOCK, self._given())
        rows = list(changed)
        files = [file for file, _, _ in rows]
        self._server.execute(_REMOVE, self._given() | {"files": files})
        with self._server.cursor() as cursor:
            cursor.executemany(
                _ADD,
                [
                    (self._project, file, *stamp, terms)
                    for file, stamp, terms in rows
                    if stamp is not None
                ],
            )

    def _given(self, terms: Iterable[str] = ()) -> dict[str, Any]:
        quoted = [f"'{term}'" for term in terms]
        return {
            "project": self._project,
            "terms": quoted,
            "any": " | ".join(quoted),
        }

    def _rows(
        self, query: str, terms: Iterable[str] = ()
    ) -> Iterator[tuple[str, Stamp]]:
        """Read rows from the server as they are needed."""
        with self._server.cursor("rows") as cursor:
            cursor.execute(query, self._given(terms))
            for file, mtime, size in cursor:
                yield file, (mtime, size)

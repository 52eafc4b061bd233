"""The first stage of recall: from any number of memories to the few hundred
that the side-query is shown.

A scan shows the newest ``scan_max_files`` memories and hides all others. With
the first stage, a full-text index over the names, descriptions and file names
of all memories proposes the candidates instead. The index is a cache: it can
be lost at any time and is built again from the files. It only proposes file
names. What a model is shown of a candidate is read from its file, so an index
that is out of date can leave a memory out but cannot change what one says.

All files are compared with the index when a session begins, and again before a
search if a file was added or removed, if memlab has changed a memory, or if
the last search has met a file that is not as it was. ``sqlite`` and
``postgres`` have an index each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Protocol

from memlab.clock import from_nanoseconds
from memlab.errors import MemlabError, MemoryFormatError
from memlab.memdir import scan
from memlab.memdir.folder import Folder
from memlab.memdir.journal import JOURNAL
from memlab.recall.keyword import Corpus, newest_first, searched_text
from memlab.settings import Settings
from memlab.text import terms_of

Stamp = tuple[float, int]
"""Mtime in seconds, and size: they tell one version of a file from another."""

# How many memories the terms of one search may be in, all together: a database
# has to rank each of them.
MOST_RANKED = 4_000


class IndexUnavailableError(MemlabError):
    """The index cannot be used now; recall goes on without it."""


class Index(Protocol):
    """An open index of one memory directory. Files come with the stamps that
    they had when they were indexed.
    """

    def newest(self) -> Iterator[tuple[str, Stamp]]:
        """List all files, the newest first."""

    def count(self, terms: Iterable[str]) -> Corpus:
        """Count all memories, and those that contain each of the terms."""

    def search(self, terms: Iterable[str]) -> Iterator[tuple[str, Stamp]]:
        """List the files that contain one of the terms, best first."""

    def update(
        self, changed: Iterable[tuple[str, Stamp | None, list[str]]]
    ) -> None:
        """Index files again, each with its stamp and its terms; forget those
        without a stamp.

        ``changed`` reads the files, and begins to do so when other writers are
        kept out: nothing comes back that one of them has just erased.
        """


class Proposed(NamedTuple):
    """The candidates of one query, newest first as in a scan, and what keyword
    ranking has to know of all memories to rank them.
    """

    scan: scan.Scan
    corpus: Corpus


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


def check_candidates(
    proposed: Iterable[tuple[str, Stamp]],
    stat: Callable[[str], Stamp | None],
    most: int,
) -> dict[str, list[str]]:
    """Return which of the proposed files to show, at most so many, and which
    of all that were looked at to index again and to forget.

    ``stat`` gives the stamp that a file has now, or None if it is gone.
    """
    show, index_again, forget = [], [], []
    for file, indexed in proposed:
        now = stat(file)
        if now is None:
            forget.append(file)
            continue
        show.append(file)
        if now != indexed:
            index_again.append(file)
        if len(show) == most:
            break
    return {"show": show, "index_again": index_again, "forget": forget}


class FirstStage:
    """The first stage of one memory directory.

    It raises nothing: where the index cannot be used, ``propose`` gives None,
    and ``notice`` gets one sentence for the person.
    """

    def __init__(
        self,
        directory: Path,
        settings: Settings,
        notice: Callable[[str], object],
        open_index: Callable[[], AbstractContextManager[Index]],
    ) -> None:
        self._folder = Folder(directory)
        self._settings = settings
        self._notice = notice
        self._open_index = open_index
        self._checked: list[Stamp | None] = []

    def check(self) -> None:
        """Compare all files with the index, and bring it up to date."""
        self._checked = []
        self.propose("")

    def propose(
        self, query: str, hides: Callable[[str], str] = scan.nothing_hidden
    ) -> Proposed | None:
        """Give the candidates of a query: the memories that share a term with
        it, best first, up to ``first_stage_candidates``, and the newest ones
        where that leaves room.

        None if there are no more memories than a scan lists anyway, or if
        there is no index. ``hides`` is as in a scan.
        """
        if not self._folder.path.is_dir():
            return None
        try:
            with self._open_index() as index:
                self._follow(index)
                return self._propose(index, query, hides)
        except IndexUnavailableError as error:
            most = self._settings.scan_max_files
            self._notice(
                f"Recall sees only the newest {most} memories. {error}."
            )
            self._checked = []
            return None

    def _follow(self, index: Index) -> None:
        """Compare all files with the index, unless nothing seems to have
        happened since the last time. An empty index may be a new one.
        """
        now = [self._stat("."), self._stat(JOURNAL)]
        if now == self._checked and index.count(()).memories:
            return
        known: dict[str, Stamp] = dict(index.newest())
        found = {
            file: (time / 1e9, size)
            for file, (time, size) in scan.MemoryFiles(
                self._folder.path
            ).seen.items()
            if file.isprintable()  # databases take only UTF-8
        }
        different = {file for file, _ in known.items() ^ found.items()}
        if different:
            index.update(
                (file, *self._read(file)) for file in sorted(different)
            )
        self._checked = now

    def _propose(
        self, index: Index, query: str, hides: Callable[[str], str]
    ) -> Proposed | None:
        corpus = index.count(sorted({*terms_of(query)}))
        if corpus.memories <= self._settings.scan_max_files:
            return None
        terms = rare_terms(corpus.containing, MOST_RANKED)
        hidden: dict[str, str] = {}

        def proposed() -> Iterator[tuple[str, Stamp]]:
            for file, stamp in chain(index.search(terms), index.newest()):
                if file not in hidden:
                    hidden[file] = hides(file)
                    if not hidden[file]:
                        yield file, stamp

        most = self._settings.first_stage_candidates
        candidates = check_candidates(proposed(), self._stat, most)
        if candidates["index_again"] or candidates["forget"]:
            self._checked = []
        headers, skipped = [], []
        for file in candidates["show"]:
            try:
                headers.append(self._header(file))
            except (MemoryFormatError, OSError) as error:
                skipped.append((file, str(error)))
        listed = scan.Scan(
            tuple(newest_first(headers)),
            tuple(skipped),
            max(0, corpus.memories - len(hidden)),
            tuple((file, why) for file, why in sorted(hidden.items()) if why),
        )
        return Proposed(listed, corpus)

    def _stat(self, file: str) -> Stamp | None:
        try:
            return _stamp(os.lstat(self._folder.path / file))
        except OSError:
            return None

    def _header(self, file: str) -> scan.MemoryHeader:
        """Read the header of a file; raises OSError or MemoryFormatError."""
        found = self._folder.read(file, self._settings.scan_header_bytes)
        if found.data is None:
            raise FileNotFoundError("it is gone")
        values = scan.read_header(found.data, self._settings)
        mtime = from_nanoseconds(found.mtime)
        path = self._folder.path / file
        return scan.MemoryHeader(path, file, mtime, *values)

    def _read(self, file: str) -> tuple[Stamp | None, list[str]]:
        """Read a file's stamp, and what is searched of it: nothing if it has
        no header.
        """
        stamp = self._stat(file)
        try:
            return stamp, terms_of(searched_text(self._header(file)))
        except MemoryFormatError:
            return stamp, []
        except OSError:
            return None, []


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_mtime_ns / 1e9, status.st_size


def open_first_stage(
    directory: Path, settings: Settings, notice: Callable[[str], object]
) -> FirstStage | None:
    """Give the first stage of a memory directory, None where the setting
    ``first_stage`` is off.
    """
    if settings.first_stage == "off":
        return None
    from memlab.recall import postgres, sqlite

    engine = {"sqlite": sqlite, "postgres": postgres}[settings.first_stage]
    open_index = partial(engine.open_index, directory)
    return FirstStage(directory, settings, notice, open_index)


def erase_from_index(
    directory: Path, settings: Settings, files: Collection[str]
) -> str:
    """Leave no byte of these memories in an index, be it in use or not;
    returns what to do by hand if that cannot be done now, else "".
    """
    from memlab.recall import postgres, sqlite

    try:
        sqlite.delete_index(directory)
        if settings.first_stage == "postgres":
            with postgres.open_index(directory) as index:
                index.update((file, None, []) for file in files)
    except IndexUnavailableError as error:
        return f"{error}."
    return ""

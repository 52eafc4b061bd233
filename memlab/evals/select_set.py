"""What the labelled set of recall is made of: directories, cases, better descriptions.

Left out: reading it from files (``labelled_select.py``) and the rules it keeps
(``select_rules.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from memlab.memdir.scan import MemoryHeader


@dataclass(frozen=True)
class LabelledDirectory:
    """A memory directory to choose from, and what only those who label know of it.

    ``headers`` are newest first, as a scan gives them. ``bodies``, ``documents`` (the tool whose
    use a file describes) and ``warns_about`` (the tool whose trap it describes) go by file name;
    no method of choosing may look at them.
    """

    name: str
    what: str
    person: str
    now: datetime
    headers: tuple[MemoryHeader, ...]
    bodies: Mapping[str, str]
    documents: Mapping[str, str]
    warns_about: Mapping[str, str]

    def header(self, filename: str) -> MemoryHeader | None:
        """Give the header of that file; None when the directory has no such file."""
        return next((header for header in self.headers if header.filename == filename), None)


@dataclass(frozen=True)
class SelectCase:
    """A query, the tools used just before it, and the files that should be chosen for it.

    ``tempting`` files are wrong and look right; ``language`` is set where the query is in another
    one than the memories.
    """

    id: str
    directory: str
    query: str
    recent_tools: tuple[str, ...]
    relevant: frozenset[str]
    tempting: frozenset[str]
    kind: str
    half: str
    language: str | None
    reason: str


@dataclass(frozen=True)
class SelectSet:
    """The whole set; ``better`` are the descriptions to try in place of vague ones, by file."""

    directories: Mapping[str, LabelledDirectory]
    cases: tuple[SelectCase, ...]
    better_directory: str
    better: Mapping[str, str]

    def half(self, half: str) -> tuple[SelectCase, ...]:
        """Give the cases of ``work`` or ``final``."""
        return tuple(case for case in self.cases if case.half == half)

    def better_headers(self) -> tuple[MemoryHeader, ...]:
        """Give the headers of ``better_directory`` with its vague descriptions replaced."""
        return tuple(
            replace(header, description=self.better.get(header.filename, header.description))
            for header in self.directories[self.better_directory].headers
        )

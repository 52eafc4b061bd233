"""The scan: thousands of memory files become one short list, and the list
becomes one manifest.

Every file is only looked at (stat), and only the newest ones are opened, for
their first lines: no choice needs a body. Links are never followed. Also here
is when a text or a name shows a conflict, since such a file is neither of two
memories, and no model gets to read it as one. Not known here: who asks, and
what a memory may say.
"""

from __future__ import annotations

import heapq
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from memlab.clock import from_nanoseconds
from memlab.errors import MemoryFormatError
from memlab.memdir import frontmatter
from memlab.memdir.folder import Folder, Found
from memlab.memdir.memory import MemoryType, is_stale
from memlab.memdir.places import INDEX, LOGS
from memlab.settings import Settings
from memlab.text import shorten, text_lines

Named = tuple[str, str]  # a file, and a reason
LARGEST = 20_000_000  # bytes of a file that are read at most
# what git writes around the two sides of a conflict, and what they came from
OURS = "<<<<<<< "
BASE = "||||||| "
THEIRS = "======="
END = ">>>>>>> "
HOW_TO_RESOLVE = (
    "Choose what to keep, remove the lines that git has added, and commit it"
)
# what programs that synchronise folders put into the name of one side; no name
# that memlab makes has a space or a dot in it
_SYNC_COPY = re.compile(
    r"\.sync-conflict-\d|[ (]conflict(?:ed)? copy\b|\(case conflict", re.I
)
SYNC_COPY = "a synchronising program's copy of a conflict: keep one of the two"
# All that could end a line or hide in one; the two joiners stay, scripts and
# emoji need them.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]+"
)
_DEFAULTS = Settings()


@dataclass(frozen=True)
class MemoryHeader:
    """What is known of a memory without its body.

    ``filename`` is its path below the directory. From the day in
    ``stale_after`` on, it is not recalled.
    """

    path: Path
    filename: str
    mtime: datetime
    name: str
    description: str
    type: MemoryType | None
    stale_after: str = ""

    def read(self) -> Found:
        """Read the file as it is now, without following a link below the
        directory; raises OSError.
        """
        directory = self.path.parents[self.filename.count("/")]
        return Folder(directory).read(self.filename, LARGEST)


@dataclass(frozen=True)
class Scan(Sequence[MemoryHeader]):
    """The headers, newest first, and what is not among them.

    ``skipped`` has name and reason of each of the newest files that could not
    be read, and of each folder; ``beyond`` counts the files older than the
    newest ``scan_max_files``. ``hidden`` has name and reason of each memory
    that could be read, and is not to be listed.
    """

    headers: tuple[MemoryHeader, ...]
    skipped: tuple[Named, ...]
    beyond: int
    hidden: tuple[Named, ...] = ()

    def __getitem__(self, index: Any) -> Any:
        return self.headers[index]

    def __len__(self) -> int:
        return len(self.headers)

    def without_stale(self, today: date) -> Scan:
        """Hide the memories whose ``stale_after`` has come."""
        stale = {
            header.filename: f"stale after {header.stale_after}"
            for header in self.headers
            if is_stale(header.stale_after, today)
        }
        kept = [one for one in self.headers if one.filename not in stale]
        hidden = (*self.hidden, *stale.items())
        return replace(self, headers=tuple(kept), hidden=hidden)


def nothing_hidden(file: str) -> str:
    """Say of every memory that it may be listed."""
    return ""


def scan_memory_files(
    directory: Path | str,
    settings: Settings | None = None,
    *,
    hides: Callable[[str], str] = nothing_hidden,
) -> Scan:
    """List the newest memories below a directory; a missing directory has
    none. Never raises.

    All ``.md`` files count, in sub-folders too, except ``MEMORY.md`` at any
    level, dot-files and ``logs/``. ``hides`` says why a memory is not to be
    listed, "" for one that is.
    """
    limit = settings or _DEFAULTS
    files = MemoryFiles(directory, limit)
    reasons = {name: hides(name) for name in files.seen}
    hidden = sorted((name, why) for name, why in reasons.items() if why)
    for name, _ in hidden:
        del files.seen[name]
    headers = []
    for name, head in newest_memories(files, limit.scan_max_files):
        start = head.encode(errors="surrogateescape")
        try:
            values = read_header(start, limit)
        except MemoryFormatError as error:
            files.skipped.append((name, error.what))
            continue
        mtime = from_nanoseconds(files.seen[name][0])
        path = files.folder.path / name
        headers.append(MemoryHeader(path, name, mtime, *values))
    beyond = max(0, len(files.seen) - limit.scan_max_files)
    return Scan(tuple(headers), tuple(files.skipped), beyond, tuple(hidden))


def find_memory_files(top: str) -> tuple[list[tuple[int, str]], list[Named]]:
    """List negative mtime and name of each memory file, and name and reason of
    what is closed.

    A mtime is in nanoseconds; sorting the first list puts the newest file
    first.
    """
    files = MemoryFiles(top)
    found = [(-time, name) for name, (time, _) in files.seen.items()]
    return found, files.skipped


def is_memory_file(path: str) -> bool:
    """Tell from its path below the directory whether a file is a memory.

    The index, hidden files, and what is in ``logs/`` or in a hidden folder are
    not memories.
    """
    parts = path.split("/")
    if any(part.startswith(".") for part in parts):
        return False
    if parts[0] == LOGS and len(parts) > 1:
        return False
    return path.endswith(".md") and parts[-1].casefold() != INDEX.casefold()


def may_contain_memories(name: str) -> bool:
    """Say whether memories are looked for in a folder: not in hidden ones, and
    in the logs.
    """
    return name != LOGS and "/." not in f"/{name}"


def newest_memories(files: MemoryFiles, limit: int) -> list[tuple[str, str]]:
    """Open the newest files, and leave out those that cannot be read; returns
    name and head of each, newest first. Equal times are ordered by name.
    """
    times = [(-files.mtime(name), name) for name in files.names()]
    found = []
    for _, name in heapq.nsmallest(limit, times):
        try:
            head = files.head(name)
        except (OSError, UnicodeDecodeError):
            continue
        found.append((name, head))
    return found


class MemoryFiles:
    """The memory files below a directory, each looked at once.

    ``seen`` has mtime (in nanoseconds) and size of each file, and ``skipped``
    name and reason of what cannot be read.
    """

    def __init__(
        self, directory: Path | str, limit: Settings = _DEFAULTS
    ) -> None:
        self.folder = Folder(directory)
        self.seen: dict[str, tuple[int, int]] = {}
        self.skipped: list[Named] = []
        self._most = limit.scan_header_bytes
        failed: list[tuple[str, OSError | ValueError]] = []
        for name, entry in self.folder.walk(failed, may_contain_memories):
            if not is_memory_file(name):
                continue
            try:
                if "onflict" in name and _SYNC_COPY.search(name):
                    self.skipped.append((name, SYNC_COPY))
                elif entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    self.seen[name] = status.st_mtime_ns, status.st_size
            except OSError as error:
                failed.append((name, error))
        for name, why in failed:
            if not isinstance(why, FileNotFoundError):
                self.skipped.append((name or ".", _reason(why)))
        self.skipped.sort()

    def names(self) -> list[str]:
        """List the files by their paths below the directory."""
        return list(self.seen)

    def mtime(self, name: str) -> float:
        """Return when a file was written, in seconds since 1970."""
        return self.seen[name][0] / 1e9

    def head(self, name: str) -> str:
        """Read the first bytes of a file; those that are not UTF-8 become
        surrogates.
        """
        try:
            file = self.folder.open(name)
            try:
                start = os.read(file, self._most)
            finally:
                os.close(file)
        except OSError as error:
            self.skipped.append((name, _reason(error)))
            raise
        return start.decode("utf-8", "surrogateescape")


def read_header(
    start: bytes, limit: Settings
) -> tuple[str, str, MemoryType | None, str]:
    """Read name, description, type and ``stale_after`` from the first bytes of
    a file, which is all that a scan sees of it.

    Raises MemoryFormatError, also when the header is longer than that, or if
    git has left a conflict there.
    """
    if OURS.encode() in start:
        refuse_conflict(start.decode("utf-8", "replace"))
    # half a line may end in half a character
    if len(start) == limit.scan_header_bytes:
        start = start[: start.rfind(b"\n") + 1]
    most = limit.scan_header_lines
    if start.count(b"\n") > most:
        start = b"\n".join(start.split(b"\n", most)[:most]) + b"\n"
    values = frontmatter.read_simple(start) or frontmatter.read(start).values
    text_of = frontmatter.text_of
    return (
        str(values.get("name") or ""),
        str(values.get("description") or ""),
        MemoryType.__members__.get(text_of(values, "type")),
        text_of(values, "stale_after"),
    )


def format_manifest(
    headers: Iterable[MemoryHeader], settings: Settings | None = None
) -> str:
    """Write one line per memory: type, file name, time in UTC, description.

    Whatever a description or a file name holds stays on its own line.
    """
    width = (settings or _DEFAULTS).manifest_description_characters
    lines = []
    for header in headers:
        name = one_line(header.filename)
        description = shorten(one_line(header.description), width)
        safe = replace(header, filename=name, description=description)
        lines.append(manifest_line(safe))
    return "\n".join(lines)


def manifest_line(header: MemoryHeader) -> str:
    """Write a memory as one line: type, file name, time, description."""
    kind = f"[{header.type}] " if header.type else ""
    name = " ".join(header.filename.splitlines())
    written = f"{header.mtime:%Y-%m-%dT%H:%M:%SZ}"
    description = " ".join(header.description.split())
    return f"- {kind}{name} ({written}): {description}"


def one_line(text: str) -> str:
    """Turn control characters, line ends of every kind and invisible
    characters into spaces.
    """
    return _HIDDEN.sub(" ", text).strip()


def has_conflict(text: str) -> bool:
    """Tell whether git has left a conflict in a text: its three markers, each
    at the start of a line, in their order, with any lines between them.

    A line of seven equals signs alone is none: in Markdown it underlines a
    heading.
    """
    expected = OURS
    for line in text_lines(text):
        if expected == OURS and line.startswith(OURS):
            expected = THEIRS
        elif expected == THEIRS and line.rstrip("\r\n") == THEIRS:
            expected = END
        elif expected == END and line.startswith(END):
            return True
    return False


def conflict_line(text: str) -> int:
    """Give the line on which a conflict begins, from 1; 0 without one."""
    if OURS not in text or not has_conflict(text):
        return 0
    before, _, _ = f"\n{text}".partition(f"\n{OURS}")
    return before.count("\n") + 1


def refuse_conflict(text: str) -> None:
    """Raise MemoryFormatError for a text with a conflict."""
    line = conflict_line(text)
    if line:
        raise MemoryFormatError(
            "it has a git conflict", line=line, do=HOW_TO_RESOLVE
        )


def _reason(error: OSError | ValueError) -> str:
    return str(getattr(error, "strerror", None) or error)

"""What is wrong with a memory directory, found by looking: nothing is written, no lock is taken.

It works on directories that other programs keep, Claude Code's among them. What memlab would refuse
to write is at least a warning here, what it would flag is a note. Left out: mending, and whatever
takes understanding, such as two memories that contradict each other.
"""

from __future__ import annotations

import errno
import os
import posixpath
import re
import stat
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from memlab.clock import SystemClock, from_nanoseconds
from memlab.errors import MemoryFormatError, StoreError
from memlab.memdir.dates import memory_age
from memlab.memdir.descriptors import MAX_FOLDERS, open_real
from memlab.memdir.files import MARKDOWN_BYTES, RealFiles
from memlab.memdir.findings import Diagnosis, Symptom, symptom
from memlab.memdir.index import INDEX, parse_pointers, truncate_index
from memlab.memdir.memory import Memory, MemoryType, parse_memory
from memlab.memdir.paths import LOGS, STORE_FOLDER
from memlab.memdir.policy import lint_dates, lint_memory, lint_secrets
from memlab.memdir.scan import find_memory_files, read_header
from memlab.memdir.similar import SimilarMemories
from memlab.memdir.wal import Commits
from memlab.settings import Settings

TEAM = "team/"  # its memories have an index of their own
NAMED = 10
_UNSAFE = re.compile(
    r'(?i)[<>:"|?*\\\x00-\x1f\x7f\ud800-\udfff]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)'
)
_LEFTOVER = re.compile(r"\.tmp(\.|$)|~$|\.sw[op]$")


class _Known(NamedTuple):
    """A memory that could be read, the lines above its body, and whether a scan can read it too."""

    name: str
    memory: Memory
    mtime: datetime
    above: int
    fits: bool


def diagnose(
    directory: Path | str,
    *,
    now: datetime | None = None,
    project_instructions: str = "",
    settings: Settings | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Diagnosis:
    """Examine a memory directory; raises StoreError for one that cannot be listed.

    ``project_instructions`` is the text of CLAUDE.md; ``progress`` is told the files done and all.
    """
    top, limit, moment = Path(directory), settings or Settings(), now or SystemClock().now()
    try:
        os.scandir(top).close()
    except OSError as error:
        do = "Name a directory that exists and that you may read"
        raise StoreError(f"cannot look: {error.strerror}", where=top, do=do) from error
    found, closed = find_memory_files(str(top))
    files = {name: from_nanoseconds(-negative_mtime) for negative_mtime, name in sorted(found)}
    symptoms = [symptom("unreadable", name, reason) for name, reason in closed]
    known = []
    for name, mtime in files.items():
        try:
            data = _read(top, name) or b""
            memory = parse_memory(data, path=Path(name))
            above = data.count(b"\n") - memory.body.count("\n")
            known.append(_Known(name, memory, mtime, above, _fits(data, limit)))
        except MemoryFormatError as error:
            symptoms.append(symptom("unparsable", name, error.what, error.line, mend=error.do))
        except OSError as error:
            symptoms.append(symptom("unreadable", name, str(error.strerror)))
    for below in ("", TEAM):
        own = [name for name in files if name.startswith(TEAM) == bool(below)]
        symptoms += _index(top, below, own, limit, moment)
    symptoms += [*_beyond(list(files), limit), *_tree(top), *_history(top), *_permissions(top)]
    for done, (one, older) in enumerate(_with_most_similar(known)):
        progress(done, len(known))
        symptoms += [*_whole(one, moment, limit), *_said(one, older, project_instructions, limit)]
    order = sorted(symptoms, key=lambda one: (one.file, one.line, one.rule, one.what))
    return Diagnosis(top, len(files), tuple(order))


def _whole(one: _Known, now: datetime, limit: Settings) -> Iterator[Symptom]:
    if not one.fits:
        most = f"{limit.scan_header_lines} lines or {limit.scan_header_bytes:,} bytes"
        yield symptom("header-size", one.name, f"its header is longer than {most}")
    if one.memory.is_tombstone:
        yield symptom("tombstone", one.name, "an empty memory that asks to be removed")
    days = memory_age(one.mtime, now)
    if one.memory.type is MemoryType.project and days > limit.old_project_days:
        yield symptom("old-project", one.name, f"last changed {days} days ago")


def _said(one: _Known, older: Sequence[Memory], known: str, limit: Settings) -> Iterator[Symptom]:
    """Judge a memory as if it were to be written from a message as old as its file."""
    for finding in lint_memory(
        one.memory, now=one.mtime, existing=older, project_instructions=known, settings=limit
    ):
        line, sure = finding.line and finding.line + one.above, finding.severity == "refuse"
        what, mend = finding.message, finding.suggestion
        yield symptom(finding.rule, one.name, what, line, mend=mend, sure=sure)


def _with_most_similar(known: Sequence[_Known]) -> Iterator[tuple[_Known, list[Memory]]]:
    """Go with each memory to those later in the list that are most similar to it.

    To a writer two texts of one name are versions of one memory. Here they are two, and the second
    is compared without its name.
    """
    similar, same_name = SimilarMemories(), SimilarMemories()
    names = Counter(one.memory.name for one in known)
    nameless = {}
    for place, one in enumerate(known):
        similar.add(place, one.memory)
        if names[one.memory.name] > 1:
            nameless[place] = replace(one.memory, name="")
            same_name.add(place, nameless[place], name=one.memory.name)
    for place, one in enumerate(known):
        later = {at: known[at].memory for at in similar.most_similar(one.memory, after=place)[-1:]}
        if place in nameless:
            twins = same_name.most_similar(one.memory, after=place, named=True)
            later |= {at: nameless[at] for at in twins[-1:]}
        yield one, [later[at] for at in sorted(later)]


def _index(
    top: Path, below: str, own: Sequence[str], limit: Settings, now: datetime
) -> Iterator[Symptom]:
    file, seen = below + INDEX, dict[str, int]()
    try:
        data = _read(top, file)
    except OSError as error:
        yield symptom("unreadable", file, str(error.strerror))
        return
    text = (data or b"").decode("utf-8-sig", "replace")
    for number, line in enumerate(text.split("\n"), 1):
        if (length := len(line.rstrip("\r"))) > limit.index_line_characters:
            what = f"{length:,} characters, and {limit.index_line_characters} are enough"
            yield symptom("index-line", file, what, number)
        for pointer in parse_pointers(line):
            target = posixpath.normpath(below + pointer.file)
            if first := seen.get(target):
                what = f"points to {target}, as line {first} does"
                yield symptom("double-pointer", file, what, number)
            elif "://" not in pointer.file and not _is_there(top, target):
                yield symptom("dangling-pointer", file, f"there is no {target}", number)
            seen.setdefault(target, number)
    as_memory = Memory(name="", description="", type=None, body=text)
    for finding in (*lint_dates(as_memory, now), *lint_secrets(as_memory)):
        sure = finding.severity == "refuse"
        instead = "Write the date"
        yield symptom(finding.rule, file, finding.message, finding.line, mend=instead, sure=sure)
    missing = [name for name in own if name not in seen]
    if data is None and missing:
        yield symptom("no-index", file, f"there is none, for {len(own):,} memories")
    else:
        yield from (symptom("missing-pointer", name, f"{file} has no line") for name in missing)
    if (shown := truncate_index(text, limit)).fired:
        yield symptom("index-cap", file, shown.warning.removeprefix("> Warning: "))


def _history(top: Path) -> Iterator[Symptom]:
    """Look at the journal and the images, as a store would, and settle nothing."""
    commits, journal = Commits(top, RealFiles(), wait=0), f"{STORE_FOLDER}/journal.jsonl"
    try:
        commits.journal.read()
        unexplained = commits.unexplained()
    except StoreError as error:
        yield symptom("journal", journal, error.what, mend=error.do)
        return
    except OSError as error:
        yield symptom("unreadable", journal, str(error.strerror))
        return
    if unexplained:
        count = f"{len(unexplained):,} stored version{'s' if len(unexplained) > 1 else ''}"
        yield symptom(
            "lost-history", journal, f"it does not mention {count} kept in {STORE_FOLDER}"
        )


def _permissions(top: Path) -> Iterator[Symptom]:
    """Say who else may open the directory; what is inside does not matter where nobody may."""
    if os.name == "nt":  # rights are not in the mode there
        return
    with suppress(OSError):
        real = Path(os.path.realpath(top))
        mode = stat.S_IMODE(os.stat(real).st_mode)
        above = [os.stat(folder).st_mode for folder in real.parents]
        for who, bits, passing in (("other users", 0o007, 0o001), ("your group", 0o070, 0o010)):
            if mode & bits and all(one & passing for one in above):
                what = f"{who} can open this directory: its mode is {mode:04o}"
                yield symptom("permissions", ".", what)
                return


def _beyond(names: Sequence[str], limit: Settings) -> Iterator[Symptom]:
    if left := names[limit.scan_max_files :]:
        named = ", ".join(left[:NAMED]) + ", …" * (len(left) > NAMED)
        what = f"{len(left):,} memories are older than the newest {limit.scan_max_files}: {named}"
        yield symptom("beyond-scan", ".", what)


def _tree(top: Path) -> Iterator[Symptom]:
    twins: defaultdict[str, list[str]] = defaultdict(list)
    for name, entry in sorted(_entries(top), key=lambda pair: pair[0]):
        if _LEFTOVER.search(entry.name):
            yield symptom("leftover", name, "a file in the making")
        if entry.name[0] == "." or not (entry.name.endswith(".md") or entry.is_dir()):
            continue
        if entry.is_symlink():
            yield symptom("symlink", name, "this is a link")
        if _UNSAFE.search(entry.name) or normalize("NFC", entry.name) != entry.name:
            yield symptom("unsafe-name", name, "not every system can have this name")
        twins[normalize("NFC", name).casefold()].append(name)
    for first, *others in twins.values():
        for name in others:
            yield symptom("twins", name, f"the same name as {first}, but for small and capital")


def _entries(top: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    folders = [""]
    while folders:
        below = folders.pop()
        with suppress(OSError), os.scandir(top / below) as entries:
            for entry in entries:
                name = below + entry.name
                yield name, entry
                if name == LOGS or entry.name[0] == "." or below.count("/") >= MAX_FOLDERS:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{name}/")


def _fits(data: bytes, limit: Settings) -> bool:
    with suppress(MemoryFormatError):
        return bool(read_header(data[: limit.scan_header_bytes], limit))
    return False


def _is_there(top: Path, name: str) -> bool:
    return not name.startswith(("/", "../")) and os.path.isfile(top / name)


def _read(top: Path, name: str) -> bytes | None:
    """Read a file, and leave even the time of its last reading as it was where that can be done.

    Raises an OSError for one that is not plain, is far too large, or leads out of the directory.
    """
    real = Path(os.path.realpath(top / name))
    if not real.is_relative_to(os.path.realpath(top)):
        raise OSError(errno.ELOOP, "it leads out of the directory")
    with suppress(FileNotFoundError), open(_quietly(real), "rb") as source:
        if os.fstat(source.fileno()).st_size > MARKDOWN_BYTES:
            raise OSError(errno.EFBIG, f"it is larger than {MARKDOWN_BYTES // 1_000_000} MB")
        return source.read()
    return None


def _quietly(real: Path) -> int:
    with suppress(PermissionError):
        return open_real(real, os.O_RDONLY | getattr(os, "O_NOATIME", 0))
    return open_real(real, os.O_RDONLY)

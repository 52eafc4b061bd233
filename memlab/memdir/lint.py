"""What is wrong with a memory directory, found by looking: nothing is written,
no lock is taken.

The table ``RULES`` at the end has one row per rule: its name, how bad it is,
why it matters, how to fix it, and the function that finds it. A rule that
writers obey as well is in ``rules``: what memlab would refuse to write is at
least a warning here, and what it would flag is a note. It works on directories
that other programs keep, Claude Code's among them. It fixes nothing, and it
cannot see what takes understanding, such as two memories that contradict each
other.
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
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

from memlab.bridge import MARKDOWN_BYTES, RealFiles, open_real
from memlab.clock import SystemClock, from_nanoseconds
from memlab.errors import MemoryFormatError, StoreError
from memlab.memdir import scan
from memlab.memdir.dates import memory_age
from memlab.memdir.folder import Folder
from memlab.memdir.index import (
    IndexCaps,
    claude_code_caps,
    cut_index,
    index_rows,
    limit_in_words,
    memlab_caps,
    named,
    not_in_index,
    parse_pointers,
    pointer_to,
)
from memlab.memdir.layouts import (
    Layout,
    find_astray,
    team_trouble,
    texts_beside,
)
from memlab.memdir.links import Link, LinkTargets
from memlab.memdir.memory import Memory, MemoryType, parse_memory
from memlab.memdir.names import is_device
from memlab.memdir.personal import personal_settings
from memlab.memdir.places import INDEX, INDEXES, STORE_FOLDER, TEAM, index_of
from memlab.memdir.rules import Finding, check, relative_dates
from memlab.memdir.scan import (
    HOW_TO_RESOLVE,
    conflict_line,
    find_memory_files,
    may_contain_memories,
)
from memlab.memdir.secrets import find_secrets
from memlab.memdir.similar import SimilarMemories
from memlab.memdir.wal import WriteAheadLog
from memlab.settings import Settings
from memlab.text import fold_space

SEVERITIES = ("error", "warning", "note")
NAMED = 10
SAME_TIME = timedelta(seconds=2)
UNKNOWN_DATE = (
    "Write the date. The files do not tell it: all have the same time, as in a"
    " copy"
)
_NOT_EVERYWHERE = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f\ud800-\udfff]|[. ]$')
_LEFTOVER = re.compile(r"\.tmp(\.|$)|~$|\.sw[op]$")


@dataclass(frozen=True)
class Diagnosis:
    """All findings in a directory with this number of memory files, or of
    sessions with notes, sorted by file.

    ``caps`` are the limits for the index, which are those of the client that
    keeps the directory. ``links`` are the links between the memories.
    """

    directory: Path
    memories: int
    findings: tuple[Finding, ...]
    caps: IndexCaps
    links: tuple[Link, ...] = ()
    layout: Layout = Layout.memory

    @property
    def counts(self) -> dict[str, int]:
        """How many findings there are of each severity."""
        found = Counter(finding.severity for finding in self.findings)
        return {severity: found[severity] for severity in SEVERITIES}

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing worse than a note."""
        return all(finding.severity == "note" for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """Give what ``--json`` prints."""
        return {
            "schema": 2,
            "directory": str(self.directory),
            "layout": str(self.layout),
            "memories": self.memories,
            "client": self.caps.client,
            "counts": self.counts,
            "findings": [asdict(finding) for finding in self.findings],
            "links": [asdict(link) for link in self.links],
        }


class Spot(NamedTuple):
    """Where a rule is broken and how; line 0 is the whole file.

    ``suggestion`` counts where the rule has no fix that always applies. A
    ``doubtful`` one is reported as a note. ``rule`` is another name for what
    was found, if there is one.
    """

    file: str
    message: str
    line: int = 0
    suggestion: str = ""
    doubtful: bool = False
    rule: str = ""


class Rule(NamedTuple):
    """A row of the table; without ``fix``, what was found says what to do."""

    name: str
    severity: str
    why: str
    fix: str
    find: Callable[[Examined], Iterator[Spot]]


def diagnose(
    directory: Path | str,
    *,
    now: datetime | None = None,
    project_instructions: str = "",
    project: Path | None = None,
    settings: Settings | None = None,
    moved: Sequence[Spot] = (),
    layout: Layout = Layout.memory,
    may_be_missing: bool = False,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Diagnosis:
    """Examine a memory directory, or one of another ``layout``; raises
    StoreError for one that cannot be listed.

    ``project_instructions`` is the text of CLAUDE.md, and ``project`` the
    folder whose files may say the same as a memory. ``moved`` has what is
    known of a project that was moved. A directory that ``may_be_missing``
    counts as empty. ``progress`` is called with the number of files examined
    so far and the number of all files.
    """
    top = Path(directory)
    try:
        if not may_be_missing or top.exists():
            os.scandir(top).close()
    except OSError as error:
        do = "Name a directory that exists and that you may read"
        raise StoreError(
            f"cannot look: {error.strerror}", where=top, do=do
        ) from error
    settings = settings or Settings()
    if layout is Layout.personal:
        settings = personal_settings(settings)
    examined = _examine(
        top,
        now or SystemClock().now(),
        project_instructions,
        project,
        settings,
        progress,
        layout,
    )
    examined.moved.extend(moved)
    findings = [
        Finding(
            rule=spot.rule or rule.name,
            severity="note" if spot.doubtful else rule.severity,
            message=spot.message,
            suggestion=rule.fix or spot.suggestion,
            line=spot.line,
            file=spot.file,
            why=rule.why,
        )
        for rule in RULES
        for spot in rule.find(examined)
    ]
    findings.sort(key=lambda one: (one.file, one.line, one.rule, one.message))
    is_notes = layout is Layout.notes
    return Diagnosis(
        top,
        len(examined.beside if is_notes else examined.files),
        tuple(findings),
        examined.caps,
        tuple(examined.links),
        layout,
    )


class _Read(NamedTuple):
    """A memory that could be read, the lines above its body, and whether a
    scan can read it too.
    """

    name: str
    memory: Memory
    mtime: datetime
    above: int
    fits: bool

    @property
    def changed_at(self) -> datetime:
        """When the memory was changed: a copy of a directory keeps the time in
        a header, but not that of a file.
        """
        return self.memory.modified_at or self.mtime


class _Entry(NamedTuple):
    """A file or folder by its path below the directory."""

    path: str
    is_link: bool
    is_folder: bool

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def counts(self) -> bool:
        """Whether it is a memory by its name, or a folder that may contain
        some.
        """
        return self.name[0] != "." and (
            self.name.endswith(".md") or self.is_folder
        )


@dataclass(frozen=True)
class _Index:
    """The index of the memories below one folder; ``text`` is None if there is
    none.
    """

    file: str
    text: str | None
    memories: Sequence[str]

    @cached_property
    def pointers(self) -> list[tuple[int, str, str]]:
        """The line, the file as it is written, and the path below the
        directory of each pointer.
        """
        folder = self.file.removesuffix(INDEX)
        return [
            (number, pointer.file, posixpath.normpath(folder + pointer.file))
            for number, line in self.lines
            for pointer in parse_pointers(line)
        ]

    @property
    def lines(self) -> list[tuple[int, str]]:
        """The lines that a model sees, each with its number in the file."""
        rows = enumerate(index_rows(self.text or ""), 1)
        return [(number, row.line) for number, row in rows if row.shown]

    @cached_property
    def first_line(self) -> dict[str, int]:
        """The first line that points to each path."""
        return {path: number for number, _, path in reversed(self.pointers)}

    @cached_property
    def missing(self) -> list[str]:
        """The memories without a pointer."""
        return [name for name in self.memories if name not in self.first_line]

    def has_no_room_for(
        self, memories: Sequence[_Read], settings: Settings, caps: IndexCaps
    ) -> list[str]:
        """List the memories without a pointer if the index is full, else
        none.
        """
        folder = self.file.removesuffix(INDEX)
        own = set(self.memories)
        pointers = {
            one.name: pointer_to(
                one.name.removeprefix(folder),
                one.memory.name,
                one.memory.description,
            )
            for one in memories
            if one.name in own and one.name not in self.first_line
        }
        return not_in_index(self.text or "", pointers, settings, caps)


@dataclass(frozen=True)
class Examined:
    """A memory directory, read once for all rules; ``beside`` has the texts
    that are no memories, such as logs.
    """

    top: Path
    now: datetime
    project_instructions: str
    project: Path | None
    settings: Settings
    progress: Callable[[int, int], None]
    layout: Layout = Layout.memory
    files: dict[str, datetime] = field(default_factory=dict)
    memories: list[_Read] = field(default_factory=list)
    indexes: list[_Index] = field(default_factory=list)
    entries: list[_Entry] = field(default_factory=list)
    unreadable: list[Spot] = field(default_factory=list)
    unparsable: list[Spot] = field(default_factory=list)
    conflicts: dict[str, int] = field(default_factory=dict)
    journal: list[Spot] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)
    moved: list[Spot] = field(default_factory=list)
    beside: dict[str, str] = field(default_factory=dict)

    @property
    def is_copy(self) -> bool:
        """Whether all files have the same time, as a clone's or a copy's have:
        then it does not say when they were written.
        """
        times = self.files.values()
        return len(times) > 1 and max(times) - min(times) <= SAME_TIME

    @cached_property
    def caps(self) -> IndexCaps:
        """The limits for an index, as the client that keeps the directory has
        them.

        Where memlab writes as well, its own limits hold: they are never wider.
        """
        own = (self.top / STORE_FOLDER).is_dir()
        foreign = ".claude" in Path(os.path.abspath(self.top)).parts or any(
            read.memory.is_from_claude_code for read in self.memories
        )
        make = claude_code_caps if foreign and not own else memlab_caps
        return make(self.settings)

    @cached_property
    def links(self) -> list[Link]:
        """The links of all memories, by file."""
        titles = {read.name: read.memory.name for read in self.memories}
        titles = dict.fromkeys(self.files, "") | titles
        targets = LinkTargets(titles.items())
        memories = sorted(self.memories, key=lambda read: read.name)
        return [
            link
            for read in memories
            for link in targets.links(read.name, read.memory)
        ]

    @cached_property
    def policy_spots(self) -> list[Spot]:
        """What ``rules`` finds, as if each memory were written from a message
        as old as its file.

        In an index, only dates are looked for.
        """
        spots: list[Spot] = []
        for done, (read, similar) in enumerate(
            _with_most_similar(self.memories)
        ):
            self.progress(done, len(self.memories))
            found = check(
                read.memory,
                read.changed_at,
                similar,
                project_instructions=self.project_instructions,
                settings=self.settings,
            )
            for finding in found:
                line = finding.line and finding.line + read.above
                suggestion = finding.suggestion
                if finding.rule == "relative-date" and self.is_copy:
                    suggestion = UNKNOWN_DATE
                spots.append(_spot(finding, read.name, line, suggestion))
        for index in self.indexes:
            as_memory = Memory(
                name="", description="", type=None, body=index.text or ""
            )
            for finding in relative_dates(as_memory, self.now):
                spots.append(
                    _spot(finding, index.file, finding.line, "Write the date")
                )
        return spots


def _spot(finding: Finding, file: str, line: int, suggestion: str) -> Spot:
    doubtful = finding.severity != "refuse"
    return Spot(
        file, finding.message, line, suggestion, doubtful, finding.rule
    )


def _examine(
    top: Path,
    now: datetime,
    project_instructions: str,
    project: Path | None,
    settings: Settings,
    progress: Callable[[int, int], None],
    layout: Layout,
) -> Examined:
    examined = Examined(
        top, now, project_instructions, project, settings, progress, layout
    )
    is_notes = layout is Layout.notes
    found, closed = ([], []) if is_notes else find_memory_files(str(top))
    examined.unreadable.extend(Spot(name, reason) for name, reason in closed)
    for negative_mtime, name in sorted(found):
        mtime = from_nanoseconds(-negative_mtime)
        examined.files[name] = mtime
        try:
            data = _read(top, name) or b""
            line = conflict_line(data.decode("utf-8", "replace"))
            if line:
                examined.conflicts[name] = line
            memory = parse_memory(data, path=Path(name))
            above = data.count(b"\n") - memory.body.count("\n")
            examined.memories.append(
                _Read(name, memory, mtime, above, _fits(data, settings))
            )
        except MemoryFormatError as error:
            # a conflict in a header is reported as what it is
            if name not in examined.conflicts:
                examined.unparsable.append(
                    Spot(name, error.what, error.line, error.do)
                )
        except OSError as error:
            examined.unreadable.append(Spot(name, str(error.strerror)))
    for file in () if is_notes else INDEXES:
        if (top / file).parent != top and not _is_real_folder(top / TEAM):
            continue
        own = [name for name in examined.files if index_of(name) == file]
        try:
            index = _read(top, file)
        except OSError as error:
            examined.unreadable.append(Spot(file, str(error.strerror)))
            continue
        text = (
            index.decode("utf-8-sig", "replace") if index is not None else None
        )
        line = conflict_line(text or "")
        if line:
            examined.conflicts[file] = line
        examined.indexes.append(_Index(file, text, own))
    for name in texts_beside(top, layout):
        try:
            data = _read(top, name) or b""
            examined.beside[name] = data.decode("utf-8-sig", "replace")
        except OSError as error:
            examined.unreadable.append(Spot(name, str(error.strerror)))
    examined.entries.extend(sorted(_entries(top)))
    _examine_history(examined)
    return examined


def _examine_history(examined: Examined) -> None:
    """Look at the journal and the images as a store would, and settle nothing."""
    log = WriteAheadLog(examined.top, RealFiles(), wait=0)
    journal = f"{STORE_FOLDER}/journal.jsonl"
    try:
        log.journal.read()
        examined.unexplained.extend(log.unexplained())
    except StoreError as error:
        examined.journal.append(Spot(journal, error.what, suggestion=error.do))
    except OSError as error:
        examined.unreadable.append(Spot(journal, str(error.strerror)))


def _entries(top: Path) -> Iterator[_Entry]:
    for path, entry in Folder(top).walk([], may_contain_memories):
        yield _Entry(path, entry.is_symlink(), entry.is_dir())


def _with_most_similar(
    known: Sequence[_Read],
) -> Iterator[tuple[_Read, list[Memory]]]:
    """Give each memory with those later in the list that are most similar to
    it.

    For a writer, two texts of one name are versions of one memory. Here they
    are two memories, and the second is compared without its name.
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
        later = {
            at: known[at].memory
            for at in similar.most_similar(one.memory, after=place)[-1:]
        }
        if place in nameless:
            twins = same_name.most_similar(one.memory, after=place, named=True)
            later |= {at: nameless[at] for at in twins[-1:]}
        yield one, [later[at] for at in sorted(later)]


def _fits(data: bytes, limit: Settings) -> bool:
    with suppress(MemoryFormatError):
        return bool(scan.read_header(data[: limit.scan_header_bytes], limit))
    return False


def _is_real_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_there(top: Path, name: str) -> bool:
    return not name.startswith(("/", "../")) and os.path.isfile(top / name)


def _read(top: Path, name: str) -> bytes | None:
    """Read a file, and leave even the time of its last reading as it was where
    that can be done.

    Raises an OSError for one that is not plain, is far too large, or leads out
    of the directory.
    """
    real = Path(os.path.realpath(top / name))
    if not real.is_relative_to(os.path.realpath(top)):
        raise OSError(errno.ELOOP, "it leads out of the directory")
    with suppress(FileNotFoundError), open(_quietly(real), "rb") as source:
        if os.fstat(source.fileno()).st_size > MARKDOWN_BYTES:
            raise OSError(
                errno.EFBIG,
                f"it is larger than {MARKDOWN_BYTES // 1_000_000} MB",
            )
        return source.read()
    return None


def _quietly(real: Path) -> int:
    with suppress(PermissionError):
        return open_real(real, os.O_RDONLY | getattr(os, "O_NOATIME", 0))
    return open_real(real, os.O_RDONLY)


def _unreadable(examined: Examined) -> Iterator[Spot]:
    yield from examined.unreadable


def _unparsable(examined: Examined) -> Iterator[Spot]:
    yield from examined.unparsable


def _conflicts(examined: Examined) -> Iterator[Spot]:
    for file, line in examined.conflicts.items():
        yield Spot(file, "git has left a conflict in it", line)


def _header_size(examined: Examined) -> Iterator[Spot]:
    limit = examined.settings
    most = (
        f"{limit.scan_header_lines} lines or {limit.scan_header_bytes:,} bytes"
    )
    for read in examined.memories:
        if not read.fits and read.name not in examined.conflicts:
            yield Spot(read.name, f"its header is longer than {most}")


def _tombstones(examined: Examined) -> Iterator[Spot]:
    for read in examined.memories:
        if read.memory.is_tombstone:
            yield Spot(read.name, "an empty memory that asks to be removed")


def _links_to_nothing(examined: Examined) -> Iterator[Spot]:
    memories = {read.name: read for read in examined.memories}
    for link in examined.links:
        if not link.target:
            read = memories[link.source]
            above, _, _ = read.memory.body.partition(f"[[{link.name}]]")
            line = read.above + above.count("\n") + 1
            yield Spot(
                link.source, f"[[{link.name}]] leads to no memory", line
            )


def _old_projects(examined: Examined) -> Iterator[Spot]:
    for read in examined.memories:
        days = memory_age(read.changed_at, examined.now)
        is_project = read.memory.type is MemoryType.project
        if not is_project or days is None:
            continue
        if days > examined.settings.old_project_days:
            yield Spot(read.name, f"last changed {days} days ago")


def _by_policy(name: str) -> Callable[[Examined], Iterator[Spot]]:
    def find(examined: Examined) -> Iterator[Spot]:
        return (spot for spot in examined.policy_spots if spot.rule == name)

    return find


def _scopes(examined: Examined) -> Iterator[Spot]:
    """Give what the policy finds; a personal directory has no team."""
    if examined.layout is Layout.memory:
        yield from _by_policy("scope")(examined)


def _duplicates(examined: Examined) -> Iterator[Spot]:
    """Give what the policy finds, and equal memories that are too short for
    it.
    """
    named = set[str]()
    for spot in _by_policy("duplicate")(examined):
        named.add(spot.file)
        yield spot
    first: dict[tuple[str, ...], str] = {}
    for read in examined.memories:
        memory = read.memory
        if memory.is_tombstone:
            continue
        parts = (memory.name, memory.description, memory.body)
        same = first.setdefault(tuple(map(fold_space, parts)), read.name)
        if same != read.name and same not in named:
            named.add(same)
            yield Spot(same, f"{read.name} says the same")


def _secrets(examined: Examined) -> Iterator[Spot]:
    """Give each secret once, with all the places where it is."""
    kinds: dict[str, str] = {}
    places: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    texts = [
        (read.name, read.memory.text, read.memory.body, read.above)
        for read in examined.memories
    ]
    texts += [
        (index.file, index.text or "", index.text or "", 0)
        for index in examined.indexes
    ]
    texts += [(file, text, text, 0) for file, text in examined.beside.items()]
    for file, text, body, above in texts:
        for secret in find_secrets(text):
            line = secret.line_in(text) + above
            place = (file, line if secret.offset < len(body) else 0)
            kinds.setdefault(secret.fingerprint, secret.kind)
            if place not in places[secret.fingerprint]:
                places[secret.fingerprint].append(place)
    for key, (first, *others) in places.items():
        message = f"this looks like a {kinds[key]}"
        if others:
            named = [
                f"line {line} of {file}" if line else f"the header of {file}"
                for file, line in others[:NAMED]
            ]
            more = ", …" if len(others) > NAMED else ""
            message += f"; it is also in {', '.join(named)}{more}"
        yield Spot(first[0], message, first[1])


def _never_stored(examined: Examined) -> Iterator[Spot]:
    """Give what the policy has more exact names for than the table: code, git
    history, ...
    """
    return (
        spot for spot in examined.policy_spots if spot.rule not in _BY_NAME
    )


def _no_index(examined: Examined) -> Iterator[Spot]:
    for index in examined.indexes:
        if index.text is None and index.missing:
            yield Spot(
                index.file,
                f"there is none, for {len(index.memories):,} memories",
            )


def _dangling_pointers(examined: Examined) -> Iterator[Spot]:
    for index in examined.indexes:
        for number, file, path in index.pointers:
            is_first = number == index.first_line[path]
            if (
                is_first
                and "://" not in file
                and not _is_there(examined.top, path)
            ):
                yield Spot(index.file, f"there is no {path}", number)


def _missing_pointers(examined: Examined) -> Iterator[Spot]:
    for index in examined.indexes:
        if index.text is not None and not index.has_no_room_for(
            examined.memories, examined.settings, examined.caps
        ):
            for name in index.missing:
                yield Spot(name, f"{index.file} has no line")


def _not_in_index(examined: Examined) -> Iterator[Spot]:
    for index in examined.indexes:
        if index.text is not None:
            full = index.has_no_room_for(
                examined.memories, examined.settings, examined.caps
            )
            for name in full:
                yield Spot(
                    name, f"{index.file} is full and has no line for it"
                )


def _double_pointers(examined: Examined) -> Iterator[Spot]:
    for index in examined.indexes:
        seen: dict[str, int] = {}
        for number, _, path in index.pointers:
            if path in seen:
                yield Spot(
                    index.file,
                    f"points to {path}, as line {seen[path]} does",
                    number,
                )
            seen.setdefault(path, number)


def _index_cap(examined: Examined) -> Iterator[Spot]:
    for index in examined.indexes:
        caps = examined.caps
        cut = cut_index(index.text or "", caps)
        if cut.fired:
            lines, size = caps.sizes(index.text or "")
            message = (
                f"{caps.client} cuts it at {limit_in_words(cut.fired, caps)}."
                f" It has {lines:,} lines and {size:,} {caps.unit}."
            )
            if cut.fallen:
                message += f" Not shown: {named(cut.fallen)}."
            yield Spot(index.file, message)


def _long_index_lines(examined: Examined) -> Iterator[Spot]:
    most = examined.settings.index_line_characters
    for index in examined.indexes:
        for number, line in index.lines:
            length = len(line.rstrip("\r\n"))
            if length > most:
                yield Spot(
                    index.file,
                    f"{length:,} characters, and {most} are enough",
                    number,
                )


def _beyond_scan(examined: Examined) -> Iterator[Spot]:
    most = examined.settings.scan_max_files
    left = list(examined.files)[most:]
    if left and examined.settings.first_stage == "off":
        named = ", ".join(left[:NAMED]) + (", …" if len(left) > NAMED else "")
        yield Spot(
            ".",
            f"{len(left):,} memories are older than the newest {most}:"
            f" {named}",
        )


def _unsafe_names(examined: Examined) -> Iterator[Spot]:
    for entry in examined.entries:
        name = entry.name
        differs = normalize("NFC", name) != name
        if entry.counts and (
            differs or is_device(name) or _NOT_EVERYWHERE.search(name)
        ):
            yield Spot(entry.path, "not every system can have this name")


def _twins(examined: Examined) -> Iterator[Spot]:
    twins: defaultdict[str, list[str]] = defaultdict(list)
    for entry in examined.entries:
        if entry.counts:
            twins[normalize("NFC", entry.path).casefold()].append(entry.path)
    for first, *others in twins.values():
        for path in others:
            yield Spot(
                path,
                f"the same name as {first}, except for small and capital"
                " letters",
            )


def _symlinks(examined: Examined) -> Iterator[Spot]:
    for entry in examined.entries:
        # what is wrong with the team's folder is said by its own rule
        if entry.counts and entry.is_link and entry.path != TEAM:
            yield Spot(entry.path, "this is a link")


def _leftovers(examined: Examined) -> Iterator[Spot]:
    for entry in examined.entries:
        if _LEFTOVER.search(entry.name):
            yield Spot(entry.path, "an unfinished file")


def _astray(examined: Examined) -> Iterator[Spot]:
    for one in find_astray(examined.top, examined.layout):
        yield Spot(one.path, one.message, suggestion=one.suggestion)


def _not_about_the_person(examined: Examined) -> Iterator[Spot]:
    if examined.layout is Layout.personal:
        for read in examined.memories:
            kind = read.memory.type
            if kind not in (None, MemoryType.user):
                yield Spot(read.name, f"its type is {kind}")


def _team_folder(examined: Examined) -> Iterator[Spot]:
    message, doubtful = team_trouble(examined.top)
    if message and examined.layout is Layout.memory:
        yield Spot(TEAM, message, doubtful=doubtful)


def _journal(examined: Examined) -> Iterator[Spot]:
    yield from examined.journal


def _lost_history(examined: Examined) -> Iterator[Spot]:
    count = len(examined.unexplained)
    if count:
        versions = f"{count:,} stored version{'s' if count > 1 else ''}"
        message = f"it does not mention {versions} kept in {STORE_FOLDER}"
        yield Spot(f"{STORE_FOLDER}/journal.jsonl", message)


def _moved(examined: Examined) -> Iterator[Spot]:
    yield from examined.moved


def _permissions(examined: Examined) -> Iterator[Spot]:
    """Say who else may open the directory; if nobody may, the modes of its
    files do not matter.
    """
    if os.name == "nt":  # rights are not in the mode there
        return
    with suppress(OSError):
        real = Path(os.path.realpath(examined.top))
        mode = stat.S_IMODE(os.stat(real).st_mode)
        above = [os.stat(folder).st_mode for folder in real.parents]
        for who, bits, passing in (
            ("other users", 0o007, 0o001),
            ("your group", 0o070, 0o010),
        ):
            if mode & bits and all(one & passing for one in above):
                yield Spot(
                    ".",
                    f"{who} can open this directory: its mode is {mode:04o}",
                )
                return


RULES = (
    Rule(
        "unreadable",
        "error",
        "What cannot be read is not remembered.",
        "Give yourself the right to read it, or remove it.",
        _unreadable,
    ),
    Rule(
        "unparsable",
        "error",
        "Every scan skips it, so no session sees it.",
        "",
        _unparsable,
    ),
    Rule(
        "conflict",
        "error",
        "It says two things at once, so no session is shown it.",
        f"{HOW_TO_RESOLVE}. An index is put in order by the next session.",
        _conflicts,
    ),
    Rule(
        "header-size",
        "warning",
        "The scan reads the beginning only, so no session sees it.",
        "Move what is long into the body.",
        _header_size,
    ),
    Rule(
        "type",
        "warning",
        "The type tells when a memory counts and how it is to be used.",
        "",
        _by_policy("type"),
    ),
    Rule(
        "fields",
        "warning",
        "Memories are chosen by name and description alone.",
        "",
        _by_policy("fields"),
    ),
    Rule(
        "scope",
        "warning",
        "Everyone who works on the project reads what is in the team's"
        " directory.",
        "",
        _scopes,
    ),
    Rule(
        "paragraphs",
        "warning",
        "Without the reason nobody can judge a case at the edge.",
        "Add a paragraph `**Why:**` and a paragraph `**How to apply:**`.",
        _by_policy("paragraphs"),
    ),
    Rule(
        "relative-date",
        "warning",
        "It was true on the day it was written, and it is read on other days.",
        "",
        _by_policy("relative-date"),
    ),
    Rule(
        "secret",
        "error",
        "It goes into every prompt that this memory goes into, and to every"
        " reader of the file.",
        "Write where it is kept instead, and change it, since it has been"
        " seen.",
        _secrets,
    ),
    Rule(
        "duplicate",
        "warning",
        "Both take a place, and one day only one of them is brought up to"
        " date.",
        "Merge the two into one file, and drop the other.",
        _duplicates,
    ),
    Rule(
        "instructions",
        "warning",
        "CLAUDE.md is in every request already, so this is paid for twice.",
        "Take it out, and keep only what is new.",
        _by_policy("instructions"),
    ),
    Rule(
        "never-stored",
        "warning",
        "It can be read live; a copy grows old and is still believed.",
        "Take it out, and keep what was surprising about it.",
        _never_stored,
    ),
    Rule(
        "tombstone",
        "warning",
        "It asks to be removed, and is offered as a memory all the same.",
        "Remove the file and its line in the index.",
        _tombstones,
    ),
    Rule(
        "old-project",
        "note",
        "What was going on then may be over, and is still believed.",
        "Ask whether it holds; if not, drop it, or keep what was learned as"
        " feedback.",
        _old_projects,
    ),
    Rule(
        "link",
        "note",
        "Nobody can follow it. It is no error: the memory may not be written"
        " yet.",
        "Correct the name, or leave it until the memory is written.",
        _links_to_nothing,
    ),
    Rule(
        "no-index",
        "warning",
        "A session begins with the index, and knows of nothing that is not"
        " in it.",
        "Build it from the files again, with `rebuild_index`.",
        _no_index,
    ),
    Rule(
        "dangling-pointer",
        "warning",
        "It costs tokens in every request and leads nowhere.",
        "Take the line out, or put the file back.",
        _dangling_pointers,
    ),
    Rule(
        "missing-pointer",
        "warning",
        "A session that looks only at the index never learns of it.",
        "Add a line for it at the top of the index.",
        _missing_pointers,
    ),
    Rule(
        "not-in-index",
        "note",
        "A session finds it only by recall, since its index does not name it.",
        "Merge what belongs together, or drop what is over.",
        _not_in_index,
    ),
    Rule(
        "double-pointer",
        "warning",
        "It is paid for twice, and one day the two hooks differ.",
        "Keep the better line.",
        _double_pointers,
    ),
    Rule(
        "index-cap",
        "warning",
        "What is cut off is in no prompt.",
        "Shorten hooks, merge what belongs together, drop what is over.",
        _index_cap,
    ),
    Rule(
        "index-line",
        "note",
        "All of the index is in every request, and a long line is content.",
        "Move the detail into the file and leave a hook of a few words.",
        _long_index_lines,
    ),
    Rule(
        "beyond-scan",
        "warning",
        "The scan lists the newest files only, so these are never recalled.",
        "Merge what belongs together, drop what is over.",
        _beyond_scan,
    ),
    Rule(
        "unsafe-name",
        "warning",
        "Some system cannot have a file of this name, or spells it otherwise.",
        "Rename it to small letters, digits and hyphens, in the index too.",
        _unsafe_names,
    ),
    Rule(
        "twins",
        "warning",
        "On macOS and Windows one of the two would overwrite the other.",
        "Rename one, in the index too.",
        _twins,
    ),
    Rule(
        "symlink",
        "warning",
        "Links are not followed, so no session sees what it leads to.",
        "Put the file itself here, or remove the link.",
        _symlinks,
    ),
    Rule(
        "leftover",
        "warning",
        "A write stopped half way, and what it was to say may be missing.",
        "Open the directory with memlab, which settles its own writes; look"
        " into any other, then remove it.",
        _leftovers,
    ),
    Rule(
        "stray",
        "warning",
        "Nothing reads it there, or it is read as something else.",
        "",
        _astray,
    ),
    Rule(
        "personal-type",
        "warning",
        "It is in the prompt of every project, and what was right in one may"
        " be wrong in the next.",
        "Move it to the project that it is about, with `/memory demote` in a"
        " chat there.",
        _not_about_the_person,
    ),
    Rule(
        "team-folder",
        "warning",
        "The team shares its memories through a git repository.",
        "Move what is there away, and clone the team's repository in its"
        " place: `git clone URL team`.",
        _team_folder,
    ),
    Rule(
        "journal",
        "warning",
        "Without its journal memlab does not write to this directory, and"
        " nothing can be undone.",
        "",
        _journal,
    ),
    Rule(
        "lost-history",
        "warning",
        "The journal was probably lost, cut short or replaced by an older"
        " copy, so these versions cannot be brought back with `undo`.",
        "Put `journal.jsonl` back into `.memlab` from a backup. If you have"
        " none, open the directory with memlab, keep what you need of"
        " `.memlab/set-aside`, and delete that folder.",
        _lost_history,
    ),
    Rule(
        "moved-project",
        "warning",
        "Memory belongs to a path, so a project that was renamed or moved"
        " begins without any.",
        "",
        _moved,
    ),
    Rule(
        "permissions",
        "note",
        "A memory says a lot about you and your project.",
        "Take the rights of others away: `chmod 700` on the directory. A"
        " team's directory may be shared on purpose.",
        _permissions,
    ),
)
_BY_NAME = {rule.name: rule for rule in RULES}

"""What is wrong with a memory directory, found by looking: nothing is written,
and no lock is taken.

A directory is read once, and each rule below goes over what was read. What a
writer must not write is judged by the same rules as at a write, as if each
memory were written now from a message as old as its file. Directories of other
clients are examined, too, by the caps of the client that keeps them. Not known
here: how to fix something by itself, and what takes understanding, such as two
memories that contradict each other.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import chain, groupby
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from memlab.clock import SystemClock, from_nanoseconds
from memlab.errors import MemoryFormatError, StoreError
from memlab.memdir import rules, scan
from memlab.memdir.dates import blank_code, memory_age
from memlab.memdir.folder import SWAPPED, Folder
from memlab.memdir.index import (
    Caps,
    Files,
    content_lines,
    cut,
    memlab_caps,
    named,
    pointer_to,
    rows,
    short_line,
)
from memlab.memdir.journal import JOURNAL, PREPARING, Journal
from memlab.memdir.links import Link, LinkTargets
from memlab.memdir.memory import Memory, MemoryType, is_stale, parse_memory
from memlab.memdir.places import (
    INDEX,
    INDEXES,
    STORE_FOLDER,
    LeftBehind,
    index_of,
)
from memlab.memdir.rules import FEW, LIKE, Finding, contents
from memlab.memdir.scan import conflict_line, one_line
from memlab.memdir.secrets import find_secrets
from memlab.settings import Settings
from memlab.text import fold_space, tilde

SEVERITIES = ("error", "warning", "note")
NAMED = 10
MAX_BYTES = 1024 * 1024  # of a file; larger ones are no memories
SAME_TIME = timedelta(seconds=2)
UNKNOWN_DATE = (
    "Write the date. The files do not tell it: all have the same time, as in a"
    " copy"
)
LOST = (
    "The journal was probably lost, cut short or replaced by an older copy."
    " Put `journal.jsonl` back into `.memlab` from a backup"
)
_LINK = re.compile(r"(?<!!)\[\[([^\s\[\]](?:[^\[\]\n]*[^\s\[\]])?)\]\]")
_SYNC_COPY = re.compile(r"\.sync-conflict-\d|[ (]conflict(?:ed)? copy\b", re.I)


class Spot(NamedTuple):
    """Where a rule is broken and how; line 0 is the whole file.

    ``suggestion`` counts where the rule has no fix that always applies, and so
    do ``rule`` and ``severity``, if they are given.
    """

    file: str
    message: str
    line: int = 0
    suggestion: str = ""
    rule: str = ""
    severity: str = ""


Find = Callable[["Examined"], Iterator[Spot]]


class Rule(NamedTuple):
    """What a rule is called, how bad it is, why it matters, how to fix it, and
    the function that finds it.
    """

    name: str
    severity: str
    why: str
    fix: str
    find: Find


RULES: list[Rule] = []


def rule(severity: str, fix: str = "") -> Callable[[Find], Find]:
    """Add a function to ``RULES``, under its own name; its docstring says why
    the rule matters. Without ``fix``, each spot says what to do.
    """

    def add(find: Find) -> Find:
        name = find.__name__.replace("_", "-")
        why = fold_space(find.__doc__ or "")
        RULES.append(Rule(name, severity, why, fix, find))
        return find

    return add


@dataclass(frozen=True)
class Diagnosis:
    """All findings in a directory with this number of memory files, by file.

    ``caps`` are those of the client that keeps the directory, and ``links``
    lead from one memory to another, or to "".
    """

    directory: Path
    memories: int
    findings: tuple[Finding, ...]
    caps: Caps
    links: tuple[Link, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many findings there are of each severity."""
        found = Counter(finding.severity for finding in self.findings)
        return {severity: found[severity] for severity in SEVERITIES}

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing worse than a note."""
        return all(finding.severity == "note" for finding in self.findings)


class _Read(NamedTuple):
    """A memory by its file, when it was changed, and its lines and bytes above
    the body.
    """

    file: str
    memory: Memory
    changed: datetime
    above: int
    header_bytes: int


class _Index(NamedTuple):
    """An index, "" if there is none, and the memories that it is about."""

    file: str
    text: str
    is_there: bool
    own: list[str]

    def pointers(self) -> Iterator[tuple[int, str]]:
        """Give the line of each pointer, and what it leads to from the memory
        directory on.
        """
        folder = self.file.removesuffix(INDEX)
        for number, row in enumerate(rows(self.text), 1):
            if row.pointer:
                yield number, folder + row.pointer.file

    def missing(self) -> list[str]:
        """List the memories without a pointer."""
        files = Files(self.own)
        pointed = {files.find(file) for _, file in self.pointers()}
        return [file for file in self.own if file not in pointed]


@dataclass(frozen=True)
class Examined:
    """A memory directory, read once for all rules.

    ``files`` has the time of each memory file, newest first; ``beside`` the
    texts that are no memories, such as logs and the notes of sessions.
    """

    top: Path
    now: datetime
    settings: Settings
    project_instructions: str
    project: Path | None
    left: LeftBehind | None
    files: dict[str, datetime] = field(default_factory=dict)
    links_on_disk: list[str] = field(default_factory=list)
    memories: list[_Read] = field(default_factory=list)
    indexes: list[_Index] = field(default_factory=list)
    beside: dict[str, str] = field(default_factory=dict)
    unreadable: list[Spot] = field(default_factory=list)
    unparsable: list[Spot] = field(default_factory=list)
    conflicts: dict[str, int] = field(default_factory=dict)
    without_header: list[str] = field(default_factory=list)

    @property
    def is_other_kind(self) -> bool:
        """Whether the files look like those of another product."""
        has_index = any(index.is_there for index in self.indexes)
        return not has_index and 2 * len(self.without_header) > len(self.files)

    @cached_property
    def caps(self) -> Caps:
        """The caps of the client that keeps the directory.

        Where memlab writes as well, its own hold: they are never wider.
        """
        own = memlab_caps(self.settings)
        is_foreign = ".claude" in Path(os.path.abspath(self.top)).parts or any(
            read.memory.is_from_claude_code for read in self.memories
        )
        if (self.top / STORE_FOLDER).is_dir() or not is_foreign:
            return own
        most = self.settings.index_max_utf16
        return Caps(own.lines, most, "UTF-16 characters", "Claude Code")

    @cached_property
    def links(self) -> list[Link]:
        """The links between memories, by file; one in code is none."""
        titles = dict.fromkeys(self.files, "")
        titles |= {read.file: read.memory.name for read in self.memories}
        targets = LinkTargets(titles.items())
        found = []
        for read in sorted(self.memories, key=lambda read: read.file):
            named = _LINK.findall(blank_code(read.memory.body))
            for name in dict.fromkeys(named):
                if targets.find(name) != read.file:
                    found.append(Link(read.file, name, targets.find(name)))
        return found


def diagnose(
    directory: Path | str,
    *,
    now: datetime | None = None,
    project_instructions: str = "",
    project: Path | None = None,
    settings: Settings | None = None,
    left: LeftBehind | None = None,
) -> Diagnosis:
    """Examine a memory directory; raises StoreError for one that cannot be
    listed.

    ``project_instructions`` is the text of CLAUDE.md, and ``project`` the
    folder whose files may say the same as a memory. ``left`` is memory under a
    former path of the project; the directory need not exist then.
    """
    top = Path(directory)
    try:
        if not left or top.exists():
            os.scandir(top).close()
    except OSError as error:
        do = "Name a directory that exists and that you may read"
        what = f"cannot look: {error.strerror}"
        raise StoreError(what, where=top, do=do) from error
    limit, time = settings or Settings(), now or SystemClock().now()
    seen = Examined(top, time, limit, project_instructions, project, left)
    _examine(seen)
    findings = []
    for one in RULES:
        if (one.find is other_kind) != seen.is_other_kind:
            continue  # the one finding is enough there
        for spot in one.find(seen):
            name = spot.rule or one.name
            severity = spot.severity or one.severity
            why, fix = _WRITTEN.get(name, (one.why, one.fix))
            do = fix or spot.suggestion
            where = spot.line, spot.file
            findings.append(
                Finding(name, severity, spot.message, do, *where, why)
            )
    findings.sort(key=lambda one: (one.file, one.line, one.rule, one.message))
    count, links = len(seen.files), tuple(seen.links)
    return Diagnosis(top, count, tuple(findings), seen.caps, links)


def _examine(seen: Examined) -> None:
    folder = Folder(seen.top)
    failed: list[tuple[str, OSError | ValueError]] = []
    times: list[tuple[int, str]] = []
    names = set[str]()

    def read(name: str) -> bytes | None:
        """Read a file; one that cannot be read is noted, and None."""
        try:
            data = folder.read(name, MAX_BYTES + 1).data or b""
            if len(data) > MAX_BYTES:
                raise OSError(
                    0, f"it is larger than {MAX_BYTES // 1_000_000} MB"
                )
        except OSError as error:
            is_swapped = error.errno in SWAPPED
            why = "it is not a plain file" if is_swapped else _reason(error)
            seen.unreadable.append(Spot(name, why))
            return None
        return data

    for name, entry in folder.walk(
        failed, lambda name: "/." not in f"/{name}"
    ):
        if "/." in f"/{name}":
            continue
        names.add(name)
        if entry.is_symlink() and (name.endswith(".md") or entry.is_dir()):
            seen.links_on_disk.append(name)
        if name.endswith(".md") and entry.is_file(follow_symlinks=False):
            mtime = entry.stat(follow_symlinks=False).st_mtime_ns
            times.append((-mtime, name))
    for name, error in failed:
        if not isinstance(error, FileNotFoundError):
            seen.unreadable.append(
                Spot(name.rstrip("/") or ".", _reason(error))
            )
    for mtime, name in sorted(times):
        if scan.is_memory_file(name):
            seen.files[name] = from_nanoseconds(-mtime)
            data = read(name)
            if data is not None:
                _examine_memory(seen, name, data)
        elif name not in INDEXES:
            text = (read(name) or b"").decode("utf-8-sig", "replace")
            seen.beside[name] = text
    for index in INDEXES:
        own = [name for name in seen.files if index_of(name) == index]
        data = read(index) if index in names else b""
        if data is not None:
            text = data.decode("utf-8-sig", "replace")
            seen.indexes.append(_Index(index, text, index in names, own))
            if conflict_line(text):
                seen.conflicts[index] = conflict_line(text)


def _examine_memory(seen: Examined, name: str, data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    if conflict_line(text):
        seen.conflicts[name] = conflict_line(text)
    if not text.lstrip("\ufeff").startswith("---"):
        seen.without_header.append(name)
    try:
        memory = parse_memory(data, path=Path(name))
    except MemoryFormatError as error:
        if name not in seen.conflicts:
            spot = Spot(name, error.what, error.line, error.do)
            seen.unparsable.append(spot)
        return
    above = data.count(b"\n") - memory.body.count("\n")
    size = len(data) - len(memory.body.encode("utf-8", "surrogateescape"))
    changed = memory.modified_at or seen.files[name]
    seen.memories.append(_Read(name, memory, changed, above, size))


def _reason(error: OSError | ValueError) -> str:
    return str(getattr(error, "strerror", None) or error)


# why the rules for writers matter, and how to fix what is there; without a fix,
# the finding says it
_WRITTEN = {
    "type": (
        "The type tells when a memory counts and how it is to be used.",
        "",
    ),
    "fields": ("Memories are chosen by name and description alone.", ""),
    "scope": (
        "Everyone who works on the project reads what is in the team's"
        " directory.",
        "",
    ),
    "paragraphs": (
        "Without the reason nobody can judge a case at the edge.",
        "Add a paragraph `**Why:**` and a paragraph `**How to apply:**`.",
    ),
    "relative-date": (
        "It was true on the day it was written, and it is read on other days.",
        "",
    ),
    "duplicate": (
        "Both take a place, and one day only one of them is brought up to"
        " date.",
        "Merge the two into one file, and drop the other.",
    ),
    "instructions": (
        "CLAUDE.md is in every request already, so this is paid for twice.",
        "Take it out, and keep only what is new.",
    ),
}


@rule("warning", "Name a directory of memories, or give each file a header.")
def other_kind(seen: Examined) -> Iterator[Spot]:
    """Nothing in it is read as a memory, and nothing else was examined."""
    count = f"{len(seen.without_header):,} of {len(seen.files):,}"
    what = "this is not this kind of memory: there is no MEMORY.md, and"
    yield Spot(".", f"{what} {count} files have no header")


@rule("error", "Give yourself the right to read it, or remove it.")
def unreadable(seen: Examined) -> Iterator[Spot]:
    """What cannot be read is not remembered."""
    yield from seen.unreadable


@rule("error")
def unparsable(seen: Examined) -> Iterator[Spot]:
    """Every scan skips it, so no session sees it."""
    yield from seen.unparsable


@rule("error")
def conflict(seen: Examined) -> Iterator[Spot]:
    """It says two things at once, so no session is shown it."""
    fix = (
        "Choose what to keep, remove the lines that git has added, and commit"
        " it. An index is put in order by the next session."
    )
    for file, line in seen.conflicts.items():
        yield Spot(file, "git has left a conflict in it", line, fix)
    for file in filter(_SYNC_COPY.search, seen.files):
        what = "a copy that a synchronising program made of a conflict"
        yield Spot(file, what, 0, "Keep one of the two, and remove the other.")


@rule("warning", "Move what is long into the body.")
def header_size(seen: Examined) -> Iterator[Spot]:
    """The scan reads the beginning only, so no session sees it."""
    limit = seen.settings
    most = (
        f"{limit.scan_header_lines} lines or {limit.scan_header_bytes:,} bytes"
    )
    for read in seen.memories:
        lines, size = read.above, read.header_bytes
        if lines > limit.scan_header_lines or size > limit.scan_header_bytes:
            yield Spot(read.file, f"its header is longer than {most}")


@rule("warning", "Take it out, and keep what was surprising about it.")
def never_stored(seen: Examined) -> Iterator[Spot]:
    """It can be read live; a copy grows old and is still believed."""
    times = list(seen.files.values())
    is_copy = len(times) > 1 and max(times) - min(times) <= SAME_TIME
    for read, others in _with_most_similar(seen.memories):
        found = rules.check(
            read.memory,
            read.changed,
            others,
            project_instructions=seen.project_instructions,
            settings=seen.settings,
        )
        for one in found:
            line = one.line and one.line + read.above
            is_date = one.rule == "relative-date"
            do = UNKNOWN_DATE if is_date and is_copy else one.suggestion
            if one.rule not in ("secret", "conflict"):
                yield _spot(one, read.file, line, do)
    for index in seen.indexes:
        text = Memory(name="", description="", type=None, body=index.text)
        for one in rules.relative_dates(text, seen.now):
            yield _spot(one, index.file, one.line, "Write the date")


def _spot(found: Finding, file: str, line: int, do: str) -> Spot:
    severity = "warning" if found.severity == "refuse" else "note"
    return Spot(file, found.message, line, do, found.rule, severity)


def _with_most_similar(
    known: Sequence[_Read],
) -> Iterator[tuple[_Read, list[Memory]]]:
    """Give each memory with the later one that is most similar to it.

    For a writer, two texts of one name are versions of one memory. Here they
    are two memories, and the second is compared without its name.
    """
    terms = [contents(read.memory) for read in known]
    holders = (
        defaultdict[str, list[int]](list),
        defaultdict[str, list[int]](list),
    )
    for place in reversed(range(len(known))):
        likest, most = -1, LIKE
        for part, words in enumerate(terms[place]):
            held = holders[part]
            shared = Counter(chain(*(held[word] for word in words)))
            for at, same in shared.items():
                if same < LIKE * FEW:  # most of them, and this is fast
                    continue
                least = min(len(words), len(terms[at][part]))
                share = same / max(least, FEW)
                if (share, at) > (most, likest):
                    likest, most = at, share
            for word in words if not known[place].memory.is_tombstone else ():
                held[word].append(place)
        memory, others = known[place].memory, list[Memory]()
        if likest >= 0:
            other = known[likest].memory
            is_twin = other.name == memory.name
            others = [replace(other, name="" if is_twin else other.name)]
        yield known[place], others


@rule(
    "error",
    "Write where it is kept instead, and change it, since it has been seen.",
)
def secret(seen: Examined) -> Iterator[Spot]:
    """It goes into every prompt that this memory goes into, and to every
    reader of the file.
    """
    texts = [
        (read.file, read.memory.text, read.above) for read in seen.memories
    ]
    texts += [(index.file, index.text, 0) for index in seen.indexes]
    texts += [(file, text, 0) for file, text in seen.beside.items()]
    bodies = {read.file: len(read.memory.body) for read in seen.memories}
    kinds: dict[str, str] = {}
    places: defaultdict[str, dict[tuple[str, int], str]] = defaultdict(dict)
    for file, text, above in texts:
        for found in find_secrets(text):
            line = found.line_in(text) + above
            if found.offset >= bodies.get(file, len(text)):
                line = 0
            place = (
                f"line {line} of {file}" if line else f"the header of {file}"
            )
            kinds.setdefault(found.fingerprint, found.kind)
            places[found.fingerprint].setdefault((file, line), place)
    for key, where in places.items():
        (file, line), *_ = where
        message = f"this looks like a {kinds[key]}"
        others = list(where.values())[1:]
        if others:
            more = ", …" if len(others) > NAMED else ""
            message += f"; it is also in {', '.join(others[:NAMED])}{more}"
        yield Spot(file, message, line)


@rule("warning", "Remove the file and its line in the index.")
def tombstone(seen: Examined) -> Iterator[Spot]:
    """It asks to be removed, and is offered as a memory all the same."""
    for read in seen.memories:
        if read.memory.is_tombstone:
            yield Spot(read.file, "an empty memory that asks to be removed")


@rule(
    "note",
    "Ask whether it holds; if not, drop it, or keep what was learned as"
    " feedback.",
)
def old_project(seen: Examined) -> Iterator[Spot]:
    """What was going on then may be over, and is still believed."""
    for read in seen.memories:
        days = memory_age(read.changed, seen.now) or 0
        is_project = read.memory.type is MemoryType.project
        if is_project and days > seen.settings.old_project_days:
            yield Spot(read.file, f"last changed {days} days ago")


@rule("note", "Bring it up to date, or remove it; a dream may propose that.")
def stale(seen: Examined) -> Iterator[Spot]:
    """It is not recalled any more."""
    for read in seen.memories:
        day = read.memory.stale_after
        if is_stale(day, seen.now.date()):
            yield Spot(read.file, f"it counts until {day}, as its header says")


@rule("note", "Correct the name, or leave it until the memory is written.")
def link(seen: Examined) -> Iterator[Spot]:
    """Nobody can follow it. It is no error: the memory may not be written yet."""
    memories = {read.file: read for read in seen.memories}
    for one in seen.links:
        if not one.target:
            read = memories[one.source]
            above, _, _ = read.memory.body.partition(f"[[{one.name}]]")
            line = read.above + above.count("\n") + 1
            yield Spot(one.source, f"[[{one.name}]] leads to no memory", line)


@rule("warning", "Build it from the files again, with `rebuild_index`.")
def no_index(seen: Examined) -> Iterator[Spot]:
    """A session begins with the index, and knows of nothing that is not in it."""
    for index in seen.indexes:
        if not index.is_there and index.own:
            count = f"{len(index.own):,}"
            yield Spot(index.file, f"there is none, for {count} memories")


@rule("warning", "Take the line out, or put the file back.")
def dangling_pointer(seen: Examined) -> Iterator[Spot]:
    """It costs tokens in every request and leads nowhere."""
    files = Files(seen.files)
    for index in seen.indexes:
        gone = {file: line for line, file in reversed([*index.pointers()])}
        for file, line in gone.items():
            if not files.find(file):
                yield Spot(index.file, f"there is no {file}", line)


@rule("warning", "Add a line for it at the top of the index.")
def missing_pointer(seen: Examined) -> Iterator[Spot]:
    """A session that looks only at the index never learns of it."""
    for index in seen.indexes:
        if index.is_there and not _is_full(seen, index):
            for file in index.missing():
                yield Spot(file, f"{index.file} has no line")


@rule("note", "Merge what belongs together, or drop what is over.")
def not_in_index(seen: Examined) -> Iterator[Spot]:
    """A session finds it only by recall, since its index does not name it."""
    for index in seen.indexes:
        if index.is_there and _is_full(seen, index):
            for file in index.missing():
                yield Spot(
                    file, f"{index.file} is full and has no line for it"
                )


def _is_full(seen: Examined, index: _Index) -> bool:
    """Tell whether a line for the newest memory without one has no room."""
    memories = {read.file: read.memory for read in seen.memories}
    for file in index.missing():
        if file in memories:
            one = memories[file]
            name = file.removeprefix(index.file.removesuffix(INDEX))
            pointer = pointer_to(name, one.name, one.description)
            line = short_line(pointer, seen.settings.index_line_characters)
            return bool(
                cut(f"{index.text.rstrip()}\n{line}\n", seen.caps).fired
            )
    return False


@rule("warning", "Keep the better line.")
def double_pointer(seen: Examined) -> Iterator[Spot]:
    """It is paid for twice, and one day the two hooks differ."""
    for index in seen.indexes:
        first: dict[str, int] = {}
        for line, file in index.pointers():
            if first.setdefault(file, line) != line:
                what = f"points to {file}, as line {first[file]} does"
                yield Spot(index.file, what, line)


@rule(
    "warning", "Shorten hooks, merge what belongs together, drop what is over."
)
def index_cap(seen: Examined) -> Iterator[Spot]:
    """What is cut off is in no prompt."""
    caps = seen.caps
    for index in seen.indexes:
        shown = cut(index.text, caps)
        if shown.fired:
            message = (
                f"{caps.client} cuts it at {caps.named(shown.fired)}. It has"
                f" {shown.lines:,} lines and {shown.size:,} {caps.unit}."
            )
            if shown.fallen:
                message += f" Not shown: {named(shown.fallen)}."
            yield Spot(index.file, message)


@rule("note", "Move the detail into the file and leave a hook of a few words.")
def index_line(seen: Examined) -> Iterator[Spot]:
    """All of the index is in every request, and a long line is content."""
    most = seen.settings.index_line_characters
    for index in seen.indexes:
        for number, row in enumerate(rows(index.text), 1):
            length = len(row.line.rstrip("\r\n"))
            if row.shown and length > most:
                what = f"{length:,} characters, and {most} are enough"
                yield Spot(index.file, what, number)


@rule("note", "Move it into a memory, and leave its line here.")
def index_content(seen: Examined) -> Iterator[Spot]:
    """All of the index is in every request, and only memories are recalled,
    merged and corrected.
    """
    for index in seen.indexes:
        lines = content_lines(index.text)
        if lines:
            what = "lines of text that are no pointers"
            if len(lines) == 1:
                what = "line of text that is no pointer"
            yield Spot(index.file, f"{len(lines):,} {what}", lines[0])


@rule("warning", "Merge what belongs together, drop what is over.")
def beyond_scan(seen: Examined) -> Iterator[Spot]:
    """The scan lists the newest files only, so these are never recalled."""
    most = seen.settings.scan_max_files
    left = list(seen.files)[most:]
    if left and seen.settings.first_stage == "off":
        files = ", ".join(left[:NAMED]) + (", …" if left[NAMED:] else "")
        what = f"{len(left):,} memories are older than the newest {most}"
        yield Spot(".", f"{what}: {files}")


@rule("warning", "Put the file itself here, or remove the link.")
def symlink(seen: Examined) -> Iterator[Spot]:
    """Links are not followed, so no session sees what it leads to."""
    for name in seen.links_on_disk:
        yield Spot(name, "this is a link")


@rule("warning")
def journal(seen: Examined) -> Iterator[Spot]:
    """Without its journal memlab does not write to this directory, and
    nothing can be undone.
    """
    folder = Folder(seen.top)
    try:
        is_interrupted = folder.read(PREPARING).data is not None
        count = len(Journal(folder).unexplained())
    except StoreError as error:
        yield Spot(JOURNAL, error.what, 0, error.do)
        return
    except OSError as error:
        yield Spot(
            JOURNAL, _reason(error), 0, "Give yourself the right to read it."
        )
        return
    if count and not is_interrupted:
        versions = f"{count:,} stored version{'s' if count > 1 else ''}"
        what = f"it does not mention {versions} kept in {STORE_FOLDER}"
        yield Spot(JOURNAL, what, 0, LOST, "lost-history")


@rule("warning")
def moved_project(seen: Examined) -> Iterator[Spot]:
    """Memory belongs to a path, so a project that was renamed or moved begins
    without any.
    """
    if seen.left:
        root, new = seen.left.root, str(seen.project or "NEW")
        message = f"the folder of its project, {root}, is gone"
        if seen.project:
            message = (
                f"memory of {root}, which is gone, is in {seen.left.folder}"
                f" (memories: {seen.left.memories:,})"
            )
        move = f"python3 -m memlab move {quote(str(root))} {quote(new)}"
        do = f"If this project was there before, type: {move}"
        yield Spot(".", message, 0, do)


def render(found: Diagnosis) -> str:
    """Write a diagnosis for people: how many findings there are, then the
    findings, the worst first, then why each rule matters.
    """
    memories = "memory" if found.memories == 1 else "memories"
    counts = [
        f"{count} {severity}{'' if count == 1 else 's'}"
        for severity, count in found.counts.items()
        if count
    ]
    totals = ", ".join(counts) or "nothing is wrong"
    where = one_line(tilde(found.directory.absolute(), Path.home()))
    lines = [f"{found.memories:,} {memories}: {totals} ({where})"]
    if found.caps.client != "memlab":
        caps = f"{found.caps.lines:,} lines and {found.caps.size:,} {found.caps.unit}"
        lines.append(
            f"Kept by {found.caps.client}, so its limits for the index apply: {caps}."
        )
    worst = sorted(
        found.findings, key=lambda one: SEVERITIES.index(one.severity)
    )
    for (_, file), group in groupby(
        worst, lambda one: (one.severity, one.file)
    ):
        lines += ["", one_line(file)]
        for one in group:
            place = f"line {one.line}" if one.line else ""
            message = f"{one.rule}: {one_line(one.message)}"
            lines.append(f"  {one.severity:7} {place:>9}  {message}")
            lines.append(f"{'':21}{one_line(one.suggestion)}")
    if worst:
        whys = dict.fromkeys((one.rule, one.why) for one in worst)
        lines += ["", "Why it matters"]
        lines += [f"  {name}: {why}" for name, why in whys]
    lines += ["", "Links"] if found.links else []
    for source, links in groupby(found.links, key=lambda one: one.source):
        targets = [
            one.target or f"[[{one.name}]] (no memory)" for one in links
        ]
        named = ", ".join(dict.fromkeys(targets))
        lines.append(f"  {one_line(source)} → {one_line(named)}")
    return "\n".join(lines)

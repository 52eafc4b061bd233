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

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memlab.clock import SystemClock, from_nanoseconds
from memlab.errors import MemoryFormatError, StoreError
from memlab.memdir import from_02, index, rules, scan
from memlab.memdir.dates import memory_age
from memlab.memdir.folder import Folder
from memlab.memdir.frontmatter import MAX_BYTES
from memlab.memdir.journal import JOURNAL, Journal
from memlab.memdir.memory import Memory, MemoryType, is_stale, parse_memory
from memlab.memdir.places import INDEX, INDEXES, STORE_FOLDER, index_of
from memlab.memdir.rules import Finding
from memlab.memdir.secrets import find_secrets
from memlab.settings import Settings
from memlab.text import fold_space, tilde, words

SEVERITIES = ("error", "warning", "note")


class Spot(NamedTuple):
    """Where a rule is broken and how; line 0 is the whole file.

    ``do`` counts where the rule has no fix that always applies. What the rules
    for writers find keeps its ``rule`` and ``severity``.
    """

    file: str
    message: str
    line: int = 0
    do: str = ""
    rule: str = ""
    severity: str = ""


Find = Callable[["Examined"], Iterator[Spot]]
RULES: list[tuple[Find, str, str]] = []


def rule(severity: str, fix: str = "") -> Callable[[Find], Find]:
    """Make a function a rule. Its name is the rule's, and its docstring says
    why the rule matters; without ``fix``, each spot says what to do.
    """

    def add(find: Find) -> Find:
        RULES.append((find, severity, fix))
        return find

    return add


@dataclass(frozen=True)
class Diagnosis:
    """All findings in a directory with this number of memory files, by file."""

    directory: Path
    memories: int
    findings: tuple[Finding, ...]

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing worse than a note."""
        return all(finding.severity == "note" for finding in self.findings)


@dataclass
class Examined:
    """A memory directory, read once for all rules.

    ``times`` has all memory files, newest first; ``texts`` has what could be
    read, logs and indexes included, ``memories`` what could be parsed, and
    ``unseen`` what no session sees.
    """

    folder: Folder
    now: datetime
    settings: Settings
    claude_md: str
    times: dict[str, datetime] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    indexes: dict[str, str] = field(default_factory=dict)
    memories: dict[str, Memory] = field(default_factory=dict)
    unseen: list[Spot] = field(default_factory=list)

    def lines_above(self, file: str) -> int:
        """Count the lines above the body of a memory."""
        return self.texts[file].count("\n") - self.memories[file].body.count(
            "\n"
        )

    @property
    def caps(self) -> index.Caps:
        """The caps of the client that keeps the directory; where memlab writes
        as well, its own hold.
        """
        own = index.memlab_caps(self.settings)
        theirs = any(one.is_from_claude_code for one in self.memories.values())
        if not theirs or (self.folder.path / STORE_FOLDER).is_dir():
            return own
        most = self.settings.index_max_utf16
        return index.Caps(own.lines, most, "UTF-16 characters", "Claude Code")


def diagnose(
    directory: Path | str,
    *,
    now: datetime | None = None,
    project_instructions: str = "",
    settings: Settings | None = None,
) -> Diagnosis:
    """Examine a memory directory; raises StoreError for one that is not there.

    ``project_instructions`` is the text of CLAUDE.md.
    """
    folder, time = Folder(directory), now or SystemClock().now()
    if not folder.path.is_dir():
        do = "Name a directory that exists and that you may read"
        raise StoreError("cannot look", where=folder.path, do=do)
    seen = Examined(folder, time, settings or Settings(), project_instructions)
    read_files(seen)
    findings = []
    for find, severity, fix in RULES:
        own = find.__name__.replace("_", "-")
        reason = fold_space(find.__doc__ or "")
        for file, what, line, do, name, bad in find(seen):
            one = name or own, bad or severity, what, fix or do, line, file
            findings.append(Finding(*one, WHY.get(name, reason)))
        if findings and find is other_kind:
            break  # the one finding is enough there
    findings.sort(key=lambda one: (one.file, one.line, one.rule, one.message))
    return Diagnosis(folder.path, len(seen.times), tuple(findings))


def read_files(seen: Examined) -> None:
    """Read all memories, then indexes and logs, and note what cannot be."""
    found, closed = scan.find_memory_files(str(seen.folder.path))
    seen.times = {
        name: from_nanoseconds(-mtime) for mtime, name in sorted(found)
    }
    do = "Put a plain file or folder here that you may read"
    seen.unseen = [Spot(name, why, 0, do) for name, why in closed]
    names = list(seen.times)
    for name, entry in seen.folder.walk([], is_visible):
        if is_visible(name) and entry.is_symlink():
            seen.unseen.append(Spot(name, "links are not followed", 0, do))
        elif is_visible(name) and name.endswith(".md"):
            names.append(name)
    for name in dict.fromkeys(names):
        try:
            data = seen.folder.read(name, MAX_BYTES + 1).data or b""
            if len(data) > MAX_BYTES:
                raise OSError(0, "it is larger than 1 MB")
            seen.texts[name] = text = data.decode("utf-8-sig", "replace")
            if name in seen.times and not scan.conflict_line(text):
                seen.memories[name] = parse_memory(data, path=Path(name))
        except MemoryFormatError as error:
            seen.unseen.append(Spot(name, error.what, error.line, error.do))
        except OSError as error:
            seen.unseen.append(Spot(name, str(error.strerror), 0, do))
    seen.indexes = {
        file: seen.texts[file] for file in INDEXES if file in seen.texts
    }


def is_visible(name: str) -> bool:
    """Tell whether neither a file nor a folder that it is in is hidden."""
    return "/." not in f"/{name}"


@rule("warning", "Name a directory of memories, or give each file a header.")
def other_kind(seen: Examined) -> Iterator[Spot]:
    """Nothing in it is read as a memory, and nothing else was examined."""
    heads = [seen.texts.get(file, "---")[:3] for file in seen.times]
    bare = len(heads) - heads.count("---")
    if 2 * bare > len(heads) and not seen.indexes:
        what = "this is not this kind of memory: there is no MEMORY.md, and"
        count = f"{bare:,} of {len(heads):,} files have no header"
        yield Spot(".", f"{what} {count}")


@rule("error")
def unseen(seen: Examined) -> Iterator[Spot]:
    """Every scan skips it, so no session sees it."""
    yield from seen.unseen


@rule("error")
def conflict(seen: Examined) -> Iterator[Spot]:
    """It says two things at once, so no session is shown it."""
    do = (
        f"{scan.HOW_TO_RESOLVE}. An index is put in order by the next session."
    )
    for file, text in seen.texts.items():
        line = scan.conflict_line(text)
        if line:
            yield Spot(file, "git has left a conflict in it", line, do)


@rule("warning", "Move what is long into the body.")
def header_size(seen: Examined) -> Iterator[Spot]:
    """A scan reads no more of a file, so no session sees it."""
    most = seen.settings.scan_header_lines
    for file in seen.memories:
        if seen.lines_above(file) > most:
            yield Spot(file, f"its header has more than {most} lines")


# why some rules for writers matter, where their findings do not say it
WHY = {
    "relative-date": "It was true on the day it was written, and it is read on other days.",
    "duplicate": "Both take a place, and one day only one of them is up to date.",
}


@rule("warning")
def never_stored(seen: Examined) -> Iterator[Spot]:
    """Nobody may write it like that today; what was written so misleads."""
    # two memories of one name are no versions of one, as a writer's are
    others = [
        replace(one, name=f"{one.name} ") for one in seen.memories.values()
    ][: seen.settings.scan_max_files]
    for number, (file, memory) in enumerate(seen.memories.items(), 1):
        for one in rules.check(
            memory,
            memory.modified_at or seen.times[file],
            others[number:],
            project_instructions=seen.claude_md,
        ):
            if one.rule != "secret":  # looked for in all files
                yield spot_of(one, file, seen.lines_above(file))
    for file, text in seen.indexes.items():
        for one in rules.relative_dates(Memory("", "", None, text), seen.now):
            yield spot_of(one, file)._replace(do="Write the date")


def spot_of(one: Finding, file: str, above: int = 0) -> Spot:
    """Say of a file what a rule says of its body, below so many lines."""
    severity = "warning" if one.severity == "refuse" else "note"
    line, do = one.line and one.line + above, one.suggestion
    return Spot(file, one.message, line, do, one.rule, severity)


@rule(
    "error", "Write where it is kept instead, and change it: it has been seen."
)
def secret(seen: Examined) -> Iterator[Spot]:
    """It goes into every prompt that this memory goes into, and to every
    reader of the file.
    """
    for file, text in seen.texts.items():
        for found in find_secrets(text):
            yield Spot(
                file, f"this looks like a {found.kind}", found.line_in(text)
            )


@rule("note", "If it is over, drop it, or keep what was learned as feedback.")
def old_project(seen: Examined) -> Iterator[Spot]:
    """What was going on then may be over, and is still believed."""
    for file, memory in seen.memories.items():
        days = (
            memory_age(memory.modified_at or seen.times[file], seen.now) or 0
        )
        is_project = memory.type is MemoryType.project
        if is_project and days > seen.settings.old_project_days:
            yield Spot(file, f"last changed {days} days ago")


@rule("note", "Bring it up to date, or remove it; a dream may propose that.")
def stale(seen: Examined) -> Iterator[Spot]:
    """It is not recalled any more."""
    for file, memory in seen.memories.items():
        day = memory.stale_after
        if is_stale(day, seen.now.date()):
            yield Spot(file, f"it counts until {day}, as its header says")


@rule("warning", "Take the line out, or put the file back.")
def dangling_pointer(seen: Examined) -> Iterator[Spot]:
    """It costs tokens in every request and leads nowhere."""
    files = index.Files(seen.times)
    for file, text in seen.indexes.items():
        for line, target in pointers(file, text):
            if not files.find(target):
                yield Spot(file, f"there is no {target}", line)


@rule("warning", "Add one at the top, or merge what belongs together first.")
def not_in_index(seen: Examined) -> Iterator[Spot]:
    """A session that looks only at the index never learns of it."""
    for file in INDEXES:
        own = [name for name in seen.times if index_of(name) == file]
        text, files = seen.texts.get(file, ""), index.Files(own)
        listed = {files.find(target) for _, target in pointers(file, text)}
        if own and file not in seen.texts:
            yield Spot(file, f"there is none, for {len(own):,} memories")
            continue
        longest = max(text.splitlines(), key=len, default="")
        is_full = index.cut(f"{text.rstrip()}\n{longest}\n", seen.caps).fired
        severity, room = ("note", " and no room") if is_full else ("", "")
        for name in own:
            if name not in listed:
                yield Spot(
                    name, f"{file} has no line{room}", severity=severity
                )


def pointers(file: str, text: str) -> Iterator[tuple[int, str]]:
    """Give the line of each pointer of an index, and where it leads from the
    memory directory on.
    """
    for number, row in enumerate(index.rows(text), 1):
        if row.pointer:
            yield number, file.removesuffix(INDEX) + row.pointer.file


@rule(
    "warning", "Shorten hooks, merge what belongs together, drop what is over."
)
def index_cap(seen: Examined) -> Iterator[Spot]:
    """What is cut off is in no prompt."""
    caps = seen.caps
    for file, text in seen.indexes.items():
        shown = index.cut(text, caps)
        if shown.fired:
            what = f"{caps.client} cuts it at {caps.named(shown.fired)}."
            has = (
                f"It has {shown.lines:,} lines and {shown.size:,} {caps.unit}."
            )
            gone = index.named(shown.fallen) or "text without pointers"
            yield Spot(file, f"{what} {has} Not shown: {gone}.")


@rule("note", "Move it into a memory, and leave a hook of a few words here.")
def index_content(seen: Examined) -> Iterator[Spot]:
    """All of the index is in every request, and only memories are recalled,
    merged and corrected.
    """
    most = seen.settings.index_line_characters
    for file, text in seen.indexes.items():
        own = []
        for at, row in enumerate(index.rows(text), 1):
            shown = row.shown.strip("\ufeff \t\r\n")
            if len(shown) > most:
                size = f"{len(shown):,} characters, and {most} are enough"
                yield Spot(file, size, at)
            is_link = "](" in shown or "[[" in shown
            if shown[:1] not in ("#", "|", "") and not is_link:
                own += [at] if len(words(shown)) >= 4 else []
        if own:
            what = f"lines of text, no pointers: {len(own):,}"
            yield Spot(file, what, own[0])


@rule("warning", "Merge what belongs together, drop what is over.")
def beyond_scan(seen: Examined) -> Iterator[Spot]:
    """The scan lists the newest files only, so these are never recalled."""
    most = seen.settings.scan_max_files
    left = list(seen.times)[most:]
    if left and seen.settings.first_stage == "off":
        what = f"{len(left):,} memories are older than the newest {most}"
        yield Spot(".", f"{what}: {index.named(left)}")


@rule("warning", "It was lost or replaced. Put it back from a backup.")
def lost_history(seen: Examined) -> Iterator[Spot]:
    """Without its journal memlab does not write to this directory, and
    nothing can be undone.
    """
    try:
        count = len(Journal(seen.folder).unexplained())
        if count and seen.folder.read(from_02.PREPARING).data is None:
            yield Spot(
                JOURNAL, f"stored versions that it does not mention: {count:,}"
            )
    except (StoreError, OSError) as error:
        yield Spot(JOURNAL, str(error))


def render(found: Diagnosis) -> str:
    """Write a diagnosis for people: how many findings there are, then the
    findings, the worst first, then why each rule matters.
    """
    worst = sorted(
        found.findings, key=lambda one: SEVERITIES.index(one.severity)
    )
    counts = Counter(one.severity for one in worst)
    totals = ", ".join(f"{name}s: {count:,}" for name, count in counts.items())
    memories = "memory" if found.memories == 1 else "memories"
    where = scan.one_line(tilde(found.directory.absolute(), Path.home()))
    lines = [
        f"{found.memories:,} {memories}: {totals or 'nothing is wrong'} ({where})"
    ]
    for one in worst:
        place = f"{one.file}, line {one.line}" if one.line else one.file
        what = f"{one.severity}: {place}: {one.rule}: {one.message}"
        lines += [
            "",
            scan.one_line(what),
            f"    {scan.one_line(one.suggestion)}",
        ]
    lines += ["", *dict.fromkeys(f"{one.rule}: {one.why}" for one in worst)]
    return "\n".join(lines).rstrip()

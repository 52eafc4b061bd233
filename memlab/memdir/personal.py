"""Memories about the person that hold in every project: the directory beside
the projects, which of its memories count in a project, and the way there.

The directory has its own index, its own journal, and memories of the type
``user`` only. Nobody writes there but the person, who moves a memory to it from
a project. A rule that was learned in one project may be wrong in another, so
a memory of the project wins over a personal one of the same file or name.

In a project, a personal memory is called ``personal/FILE``.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memlab.clock import Clock
from memlab.errors import MemlabError, MemoryRefusedError, StoreError
from memlab.evidence.origin import LineOrigin, Stamp
from memlab.evidence.sentences import Sentence
from memlab.memdir.index import rows
from memlab.memdir.instructions import (
    INDEX_BYTES,
    ShownIndex,
    index_for_prompt,
    read_prompt_file,
)
from memlab.memdir.journal import Entry
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.places import INDEX, PERSONAL
from memlab.memdir.rules import Finding
from memlab.memdir.scan import MemoryHeader, Scan, scan_memory_files
from memlab.memdir.store import MemoryStore
from memlab.prompts import SHIPPED, Prompts
from memlab.settings import Settings

PREFIX = f"{PERSONAL}/"
NOT_ABOUT_THE_PERSON = "personal-type"
_FROM, _TO = "moved from ", "superseded by "


def project_wins(
    personal: list[tuple[str, str]], project: list[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Give the personal memories that count in a project, in their order.

    A memory is a pair of its file and its name. One whose file or name the
    project has too is left out; small and capital letters make no difference.
    """
    files = {file.casefold() for file, _ in project}
    names = {name.casefold() for _, name in project if name}
    kept = []
    for file, name in personal:
        if file.casefold() not in files and name.casefold() not in names:
            kept.append((file, name))
    return kept


@dataclass(frozen=True)
class Hidden:
    """A personal memory that does not count here, and the project's memory
    that wins over it.
    """

    header: MemoryHeader
    by: str


@dataclass(frozen=True)
class PersonalMemories:
    """The personal memories that count in a project, and those that do not.

    Their headers have the file names ``personal/FILE``.
    """

    scan: Scan
    headers: tuple[MemoryHeader, ...] = ()
    hidden: tuple[Hidden, ...] = ()

    @property
    def all(self) -> list[MemoryHeader]:
        """Every personal memory, newest first."""
        return list(self.scan)

    def joined_to(self, project: Scan, settings: Settings) -> Scan:
        """Give one scan of the project's memories and of those that count
        here, within the limit for one scan.
        """
        both = (*project, *self.headers)
        newest = heapq.nsmallest(
            settings.scan_max_files,
            both,
            key=lambda one: (-one.mtime.timestamp(), one.filename),
        )
        more = len(both) - len(newest)
        return replace(
            project,
            headers=tuple(newest),
            skipped=(*project.skipped, *self.scan.skipped),
            beyond=project.beyond + self.scan.beyond + more,
        )


def read_personal(
    folder: Path,
    project: Iterable[MemoryHeader],
    settings: Settings | None = None,
) -> PersonalMemories:
    """Read the personal memories, and see which of them count beside these
    memories of a project; a missing directory has none.

    The project wins with a memory in any of its folders, ``team/`` among
    them.
    """
    scan = scan_memory_files(folder, settings)
    known = list(project)
    ours = [(_last_part(one.filename), one.name) for one in known]
    mine = [(one.filename, one.name) for one in scan]
    counting = {file for file, _ in project_wins(mine, ours)}
    winners = {one.name.casefold(): one.filename for one in known if one.name}
    winners |= {
        _last_part(one.filename).casefold(): one.filename for one in known
    }
    named = [(one.filename, _in_project(one)) for one in scan]
    hidden = [
        Hidden(
            header,
            winners.get(file.casefold())
            or winners.get(header.name.casefold(), ""),
        )
        for file, header in named
        if file not in counting
    ]
    return PersonalMemories(
        replace(
            scan,
            headers=tuple(header for _, header in named),
            skipped=tuple((PREFIX + name, why) for name, why in scan.skipped),
        ),
        tuple(header for file, header in named if file in counting),
        tuple(hidden),
    )


def _last_part(filename: str) -> str:
    return filename.rpartition("/")[2]


def _in_project(header: MemoryHeader) -> MemoryHeader:
    return replace(header, filename=PREFIX + header.filename)


def read_personal_index(
    folder: Path,
    hidden: Sequence[Hidden],
    settings: Settings,
    prompts: Prompts = SHIPPED,
) -> ShownIndex:
    """Read the personal index as a prompt of a project may show it.

    The lines of hidden memories are left out, and the others name their files
    as ``personal/FILE``. A missing or unreadable index is empty; ``notice``
    says where it was cut by size or left out.
    """
    file = read_prompt_file(folder / INDEX, inside=folder, most=INDEX_BYTES)
    left_out = hidden_files(hidden)
    lines = []
    for row in rows(file.text):
        line, found = row.line, row.pointer
        if found and found.file in left_out:
            continue
        if found:
            line = line.replace(f"({found.file}", f"({PREFIX}{found.file}", 1)
        lines.append(line)
    caps = personal_settings(settings)
    shown = index_for_prompt("".join(lines), caps, prompts)
    return shown._replace(notice=file.notice)


def hidden_files(hidden: Sequence[Hidden]) -> set[str]:
    """Name the files as the personal index does, without their prefix."""
    return {one.header.filename.removeprefix(PREFIX) for one in hidden}


def personal_settings(settings: Settings) -> Settings:
    """Give the settings with the cap of the personal index."""
    return settings.with_changes(
        index_max_lines=settings.personal_index_max_lines
    )


class PersonalStore(MemoryStore):
    """The directory of personal memories, which only the person's commands
    change.

    It refuses a memory of another type than ``user``.
    """

    prefix = PREFIX

    def check(
        self, memory: Memory, others: Sequence[Memory], known: str
    ) -> Sequence[Finding]:
        """Say what the rules find, and refuse what is not about the person."""
        return [
            *lint_personal(memory),
            *super().check(memory, others, known),
        ]


def personal_store(
    folder: Path,
    *,
    clock: Clock | None = None,
    settings: Settings | None = None,
) -> PersonalStore:
    """Open the directory of personal memories; raises as the store does."""
    return PersonalStore(
        folder,
        clock=clock,
        settings=personal_settings(settings or Settings()),
    )


def lint_personal(memory: Memory) -> list[Finding]:
    """Refuse a memory that is not about the person."""
    if memory.type is MemoryType.user:
        return []
    kind = memory.type or memory.raw_type or "none"
    return [
        Finding(
            NOT_ABOUT_THE_PERSON,
            "refuse",
            f"its type is {kind}, and a personal memory has the type user",
            "Leave it in its project. If it is true of the person wherever"
            " they work, change its type first",
        )
    ]


@dataclass(frozen=True)
class Moved:
    """A memory that was moved: its file in the new place, and the ids of the
    two changes.

    ``added`` is empty where the same text was there already. ``removed`` is
    empty where the old file stayed because it has changed meanwhile.
    """

    file: str
    added: str
    removed: str


def move_memory(
    file: str | Path,
    source: MemoryStore,
    target: MemoryStore,
    *,
    place: str = "",
    session: str = "",
) -> Moved:
    """Move a memory to another memory directory, with its times and with the
    origin of its sentences.

    It is written there first and removed here afterwards. If memlab is
    interrupted in between, both directories have it, and moving it again
    finishes the job. ``place`` is how the origin names the old file. Raises
    MemoryRefusedError for what the other directory does not accept, and where
    that has another memory of the file's name.
    """
    name = source.file(file)
    memory = source.read(name)
    lines = source.why(name)
    found = source.folder.read(name)
    if memory.is_tombstone or found.data is None:
        raise StoreError(
            "there is no memory to move", where=name, do="Name another file"
        )

    goal = target.file(_last_part(name))
    there = target.folder.read(goal).data
    if there is not None and there != found.data:
        raise MemoryRefusedError(
            f"{target.prefix}{goal} is there already, and it says something"
            " else",
            rule="exists",
            where=name,
            do="Forget or rename one of the two",
        )
    written = target.commit(
        "replace",
        {goal: found.data},
        base={goal: there},
        reason=f"{_FROM}{place or name}",
        times={goal: found.mtime},
        who="user",
        session=session,
        stamps=_moved_stamps(lines, place or name),
    )
    if written.kept:
        raise StoreError(
            "somebody else has just written a memory of this name",
            where=f"{target.prefix}{goal}",
            do="Look at it, and try again",
        )
    try:
        # `remove` would take the messages it came from off the record
        gone = source.commit(
            "replace",
            {name: None},
            base={name: found.data},
            reason=f"{_TO}{target.prefix}{goal}",
            who="user",
            session=session,
        )
    except MemlabError as error:
        raise StoreError(
            f"it is in both places now, as {target.prefix}{goal} too, because"
            f" it could not be removed here: {str(error).rstrip('.')}",
            where=f"{source.prefix}{name}",
            do="Move it again to finish",
        ) from error
    return Moved(goal, written.change, gone.change)


def moved_away(
    source: MemoryStore, target: MemoryStore, file: str
) -> set[str]:
    """Name the files that are gone from ``source`` and whose content is now, or
    was, that of a file of ``target``: its history still has their text.
    """
    name = target.file(file)
    contents = {
        change.after
        for entry in target.history(name)
        for change in entry.changes
        if change.file == name and change.after
    }
    return {
        change.file
        for entry in source.history()
        for change in entry.changes
        if not change.after
        and change.before in contents
        and not (source.directory / change.file).exists()
    }


def other_half(
    entry: Entry, store: MemoryStore, other: MemoryStore
) -> Entry | None:
    """Find what to undo in the other directory together with ``entry``, a
    change of ``store``.

    That is the other half of a move between the two, or of the undoing of
    one. None if ``entry`` is nothing of the kind, or if the other directory is
    already as it would be afterwards.
    """
    entry, again = first_change(entry, store)
    there = other.history()
    firsts = _first_changes(there)
    newest = {firsts[one.id][0].id: one for one in there}
    for half in reversed(there):
        last = newest.get(half.id)
        if last is None or firsts[last.id][1] != again:
            continue
        added, removed, target = half, entry, other
        if entry.reason.startswith(_FROM):
            added, removed, target = entry, half, store
        moved = {
            f"{_TO}{target.prefix}{change.file}": change.after
            for change in added.changes
            if change.after and added.reason.startswith(_FROM)
        }
        content = moved.get(removed.reason)
        if content and content in [one.before for one in removed.changes]:
            return last
    return None


def first_change(entry: Entry, store: MemoryStore) -> tuple[Entry, bool]:
    """Find the change that an undoing was about in the end, and say whether
    undoing ``entry`` makes that change again. A change that undoes nothing is
    its own.
    """
    return _first_changes(store.history()).get(entry.id, (entry, False))


def _first_changes(history: Iterable[Entry]) -> dict[str, tuple[Entry, bool]]:
    firsts: dict[str, tuple[Entry, bool]] = {}
    for entry in history:
        first, again = firsts.get(entry.undoes, (entry, True))
        firsts[entry.id] = first, not again
    return firsts


def came_from(entry: Entry) -> str:
    """Say from where a change has moved a memory; "" if it has not."""
    if not entry.reason.startswith(_FROM):
        return ""
    return entry.reason.removeprefix(_FROM)


def went_to(entry: Entry, store: MemoryStore) -> str:
    """Say to which file a change of ``store`` has moved a memory away, as a
    project names it; "" if it has not.
    """
    place = entry.reason.removeprefix(_TO)
    between = bool(store.prefix) != place.startswith(PREFIX)
    return place if place != entry.reason and between else ""


def _moved_stamps(
    lines: Iterable[LineOrigin], place: str
) -> dict[str, Mapping[str, object]]:
    """Give each sentence the origin that it had where it was."""
    return {
        Sentence(line.text).key: _moved_stamp(line, place).as_json()
        for line in lines
    }


def _moved_stamp(line: LineOrigin, place: str) -> Stamp:
    """Give the stamp of a sentence as another journal can keep it: instead of
    naming changes, which only its own journal knows, it says what they were.
    """
    moved = dict(line.stamp.moved) or {"place": place}
    # the newest that came from a message; a dream's change did not
    for entry in () if line.stamp.moved else line.changes:
        message = entry.turn
        if entry is line.changes[0]:
            message = line.stamp.message or message
        if "who" not in moved or (message and not moved["message"]):
            moved |= {"who": entry.who, "at": entry.at}
            moved |= {"session": entry.session, "message": message}
    return replace(line.stamp, message="", sources=(), moved=moved)

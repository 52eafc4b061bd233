"""Memories about the person that hold in every project: the directory beside
the projects, which of its memories count in a project, and the way there.

The directory has its own index, its own journal, and memories of the type
``user`` only. Nobody writes there but the person, who moves a memory to it from
a project. A rule that was learned in one project may be wrong in another, so
a memory of the project wins over a personal one of the same file or name.

In a project, a personal memory is called ``personal/FILE``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memlab.clock import Clock
from memlab.errors import MemoryRefusedError, StoreError
from memlab.evidence.origin import LineOrigin
from memlab.evidence.sentences import Sentence
from memlab.memdir.index import rows
from memlab.memdir.instructions import index_file
from memlab.memdir.journal import FileChange
from memlab.memdir.places import PERSONAL
from memlab.memdir.scan import MemoryHeader, Scan, scan_memory_files
from memlab.memdir.store import By, MemoryStore
from memlab.settings import Settings

PREFIX = f"{PERSONAL}/"


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
class PersonalMemories:
    """All personal memories, newest first, called ``personal/FILE``, and which
    of them do not count in a project, each with the project's memory that wins.
    """

    scan: Scan
    hidden: dict[str, str]

    def joined_to(self, project: Scan) -> Scan:
        """Give one scan of the project's memories and of those that count."""
        mine = [one for one in self.scan if one.filename not in self.hidden]
        headers = [*project, *mine]
        headers.sort(key=lambda one: (-one.mtime.timestamp(), one.filename))
        skipped = (*project.skipped, *self.scan.skipped)
        return replace(project, headers=tuple(headers), skipped=skipped)


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
    ours, winners = [], {}
    for one in project:
        file = one.filename.rpartition("/")[2]
        ours.append((file, one.name))
        winners[one.name.casefold()] = winners[file.casefold()] = one.filename
    mine = [(one.filename, one.name) for one in scan]
    counting, hidden = project_wins(mine, ours), {}
    for file, name in mine:
        if (file, name) not in counting:
            by = winners.get(file.casefold()) or winners[name.casefold()]
            hidden[PREFIX + file] = by
    headers = [replace(one, filename=PREFIX + one.filename) for one in scan]
    skipped = tuple((PREFIX + name, why) for name, why in scan.skipped)
    scan = replace(scan, headers=tuple(headers), skipped=skipped)
    return PersonalMemories(scan, hidden)


def personal_index(folder: Path, hidden: Collection[str]) -> str:
    """Give the personal index as a project may see it: it names the files
    ``personal/FILE``, without the lines of those in ``hidden``.
    """
    lines = []
    for row in rows(index_file(folder).text):
        line, file = row.line, row.pointer.file if row.pointer else ""
        if file:
            line = line.replace(f"({file}", f"({PREFIX}{file}", 1)
        if PREFIX + file not in hidden:
            lines.append(line)
    return "".join(lines)


def with_own_cap(settings: Settings) -> Settings:
    """Give the settings of the directory, whose index is short."""
    return settings.with_changes(
        index_max_lines=settings.personal_index_max_lines
    )


def personal_store(
    folder: Path,
    *,
    clock: Clock | None = None,
    settings: Settings | None = None,
) -> MemoryStore:
    """Open the directory of personal memories, which only the person's
    commands change; raises as the store does.
    """
    caps = with_own_cap(settings or Settings())
    store = MemoryStore(folder, clock=clock, settings=caps)
    store.prefix = PREFIX
    return store


def move_memory(
    file: str,
    old: MemoryStore,
    new: MemoryStore,
    *,
    place: str = "",
    session: str = "",
) -> bool:
    """Move a memory from the ``old`` directory to the ``new`` one, with its
    times and with the origin of its sentences.

    It is written there first and removed here afterwards. If memlab is
    interrupted in between, both directories have it, and moving it again
    finishes the job. ``place`` is how the origin names the old file. False
    where that stays, because it has changed meanwhile. Raises
    MemoryRefusedError for what the other directory does not accept, and where
    that has another memory of the file's name.
    """
    by = By(who="user", session=session)
    name = old.file(file)
    place = place or name
    stamps = {
        Sentence(one.text).key: _moved(one, place) for one in old.why(name)
    }
    found = old.folder.read(name)
    goal = new.file(name.rpartition("/")[2])
    named = f"{new.prefix}{goal}"
    is_there = new.folder.read(goal).data is not None
    added = new.commit(
        "replace",
        {goal: found.data},
        base={goal: found.data if is_there else None},
        reason=f"moved from {place}",
        times={goal: found.mtime},
        stamps=stamps,
        **by,
    )
    if added.kept:
        what = f"{named} is there already, and it says something else"
        do = "Forget or rename one of the two"
        raise MemoryRefusedError(what, rule="exists", where=name, do=do)
    # `remove` would take the messages it came from off the record
    why, base = f"superseded by {named}", {name: found.data}
    try:
        removed = old.commit(
            "replace", {name: None}, base=base, reason=why, **by
        )
    except StoreError as error:
        what = f"{named} is written, and {place} is still there: {error.what}"
        do = f"{error.do}: the same command removes it"
        raise StoreError(what, do=do) from error
    return bool(removed.change)


def _moved(line: LineOrigin, place: str) -> dict[str, Any]:
    """Give the stamp of a sentence as another journal can keep it: instead of
    naming changes, which only its own journal knows, it says what they were.
    """
    moved = dict(line.stamp.moved)
    if not moved:
        moved["place"] = place
        # the newest that came from a message, which a dream's change did not
        for best in sorted(line.changes, key=lambda one: not one.turn)[:1]:
            moved |= {"who": best.who, "at": best.at, "session": best.session}
            moved["message"] = line.stamp.message or best.turn
    return replace(line.stamp, message="", sources=(), moved=moved).as_json()


def moved_away(
    source: MemoryStore, target: MemoryStore, file: str
) -> set[str]:
    """Name the files that are gone from ``source`` and whose content is now, or
    was, that of a file of ``target``: its history still has their text.
    """
    name = target.file(file)
    texts = {one.after for one in _changes(target, name) if one.file == name}
    left = [one for one in _changes(source) if one.before in texts]
    return {
        one.file
        for one in left
        if not one.after and not (source.directory / one.file).exists()
    }


def _changes(store: MemoryStore, file: str = "") -> list[FileChange]:
    return [one for entry in store.history(file) for one in entry.changes]

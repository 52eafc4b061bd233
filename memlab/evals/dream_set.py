"""What the labelled set of dreaming is made of: a directory before, and what must hold after.

Left out: reading it from files and its rules (``labelled_dream.py``), judging what a dream left
(``dream_score.py``), running one (``dream_table.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from memlab.memdir.index import INDEX
from memlab.memdir.memory import Memory, MemoryType, format_memory

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class OldMemory:
    """A memory before the dream, with the time its file was last written."""

    file: str
    mtime: datetime
    name: str
    description: str
    type: str
    body: str

    @property
    def text(self) -> str:
        """Name, description and body, where a label's texts have to stand."""
        return "\n".join((self.name, self.description, self.body))

    @property
    def content(self) -> bytes:
        """The bytes of its file."""
        kind = MemoryType.parse(self.type)
        return format_memory(Memory(self.name, self.description, kind, self.body)).encode()


@dataclass(frozen=True)
class Log:
    """A day's log; a dream reads it and does not change it."""

    file: str
    mtime: datetime
    text: str


@dataclass(frozen=True)
class Said:
    """One message of a session: ``role`` is person, agent or tool, ``tool`` the one called."""

    at: datetime
    role: str
    text: str
    tool: str = ""


@dataclass(frozen=True)
class PastSession:
    """A session since the last dream; its transcript was last written with its last message."""

    id: str
    messages: tuple[Said, ...]


@dataclass(frozen=True)
class DeadPointers:
    """Pointers below the index to files that do not exist; ``{n}`` counts from 1."""

    count: int
    title: str
    file: str
    hook: str


@dataclass(frozen=True)
class Merge:
    """Files that have to become one of them."""

    files: tuple[str, ...]


@dataclass(frozen=True)
class Drop:
    """A memory that has to go, and with it the statement in which all texts of ``says`` stand."""

    file: str
    says: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Keep:
    """A fact that has to stand in one memory after the dream, in ``file`` if that is given."""

    says: tuple[str, ...]
    file: str = ""


@dataclass(frozen=True)
class Settled:
    """A contradiction: what one of ``files`` has to say, and what no memory may say any more."""

    files: tuple[str, ...]
    says: tuple[str, ...]
    gone: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Counted:
    """The words of a relative time, its days from the day it counts from, and its weekday."""

    words: str
    days: int
    weekday: str


Day = date


@dataclass(frozen=True)
class Absolute:
    """A relative time in ``files`` that has to become a date, beside the texts of ``says``.

    ``since`` is the day it counts from, and ``counted`` the same date once more by hand.
    """

    files: tuple[str, ...]
    says: tuple[str, ...]
    date: Day
    since: Day
    counted: Counted


@dataclass(frozen=True)
class MustNotSay:
    """Something no memory may say after the dream: all texts of ``says`` in one memory."""

    says: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class DreamCase:
    """A memory directory before a dream, and the conditions of the one after it.

    ``may_go`` names files whose removal is neither asked for nor wrong. With ``unchanged`` every
    byte has to stay. ``index`` is the text of MEMORY.md; where it is None, each memory has a
    pointer, the newest on top.
    """

    id: str
    half: str
    kind: str
    project: str
    now: datetime
    last_dream: datetime
    memories: tuple[OldMemory, ...]
    sessions: tuple[PastSession, ...]
    reason: str
    index: str | None = None
    index_dead: DeadPointers | None = None
    logs: tuple[Log, ...] = ()
    must_merge: tuple[Merge, ...] = ()
    must_drop: tuple[Drop, ...] = ()
    must_keep: tuple[Keep, ...] = ()
    settled: tuple[Settled, ...] = ()
    must_be_absolute: tuple[Absolute, ...] = ()
    must_not_say: tuple[MustNotSay, ...] = ()
    index_keeps: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()
    may_go: tuple[str, ...] = ()
    unchanged: bool = False


def files_before(case: DreamCase) -> dict[str, bytes]:
    """Give the memory directory before the dream: file names and their bytes, the index among."""
    files = {memory.file: memory.content for memory in case.memories}
    files |= {log.file: log.text.encode() for log in case.logs}
    return files | {INDEX: _index(case).encode()}


def mtimes_before(case: DreamCase) -> dict[str, datetime]:
    """Give the time each file of the directory was last written; the index by its newest memory."""
    times = {memory.file: memory.mtime for memory in case.memories}
    times |= {log.file: log.mtime for log in case.logs}
    return times | {INDEX: max(memory.mtime for memory in case.memories)}


def _index(case: DreamCase) -> str:
    text = case.index
    if text is None:
        newest = sorted(case.memories, key=lambda memory: (memory.mtime, memory.file), reverse=True)
        text = "".join(f"- [{one.name}]({one.file}) — {one.description}\n" for one in newest)
    if dead := case.index_dead:
        for n in range(1, dead.count + 1):
            title, file = (part.replace("{n}", f"{n:03}") for part in (dead.title, dead.file))
            text += f"- [{title}]({file}) — {dead.hook}\n"
    return text

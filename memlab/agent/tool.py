"""What a tool is, what it works in, and what comes of one call.

The tools themselves are in ``tools``, ``tools_files`` and ``tools_search``.
"""

from __future__ import annotations

import os
from collections.abc import (
    Awaitable,
    Callable,
    Iterator,
    Mapping,
)
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal

from memlab.agent.request import RequestPrefix
from memlab.clock import Clock
from memlab.errors import MemlabError
from memlab.memdir.places import STORE_FOLDER
from memlab.memdir.scan import nothing_hidden
from memlab.memdir.store import MemoryStore
from memlab.text import expand_home, tilde

SEARCH_SECONDS = 10.0


class ToolError(MemlabError):
    """A tool cannot do what it was asked; the message is for the model."""


@dataclass(frozen=True)
class CheckedCall:
    """What a permission found out about one call, so that the tool opens what
    was checked.

    ``paths`` has the real path of each path that was checked; ``granted`` are
    the real paths outside the roots that the person has said yes to.
    """

    paths: Mapping[Path, Path] = field(default_factory=dict)
    granted: tuple[Path, ...] = ()


_UNCHECKED = CheckedCall()
_call: ContextVar[CheckedCall] = ContextVar("call", default=_UNCHECKED)


@contextmanager
def running(call: CheckedCall) -> Iterator[None]:
    """Run a tool for a call that was checked; parallel calls do not see each
    other's.
    """
    token = _call.set(call)
    try:
        yield
    finally:
        _call.reset(token)


def _never() -> bool:
    return False


def nothing_refused(file: str, who: str) -> str:
    """Say of every file of the memory directory that it may be written."""
    return ""


def nothing_closed() -> Mapping[str, str]:
    """Say that no folder of the memory directory is closed."""
    return {}


def no_log() -> date | None:
    """Say that no daily log is kept."""
    return None


@dataclass
class ToolContext:
    """What tools work in.

    The folders come first; without a ``store`` memory cannot be written, and
    with ``memory_off`` it cannot be read either. ``personal`` is the directory
    of the memories about the person, which no tool changes; it can be read
    while ``reads_personal`` says so.
    ``who``, ``session`` and ``turn`` go into the journal with each write.
    ``judge`` says whether a command only reads: its verdict has ``allowed``
    and ``reason``. ``run_read_only`` runs what the judge allows, ``run_shell``
    any command; each may be missing. ``read_roots`` are the real paths below
    which Read, Grep and Glob may look; None means anywhere. ``git`` allows
    reading commands of git, and ``reads_anywhere`` lifts the restriction on
    what a fork may read; both come from switches. ``read_files`` has
    the hash of each content that the model has seen. ``conversation`` gives the
    conversation as it is sent, so that what is written to memory can be
    stamped with its origin. ``log_day`` gives the day whose
    daily log may be added to, None while daily-log mode is off. ``hides`` says
    why a list of memories leaves one out, and ``refuses`` why somebody may not
    write a file of the memory directory; both are "" where nothing is against
    it. ``closed`` gives the folders of the memory directory that no tool
    opens, each with the reason.
    """

    project: Path
    home: Path
    clock: Clock
    memory: Path | None = None
    store: MemoryStore | None = None
    memory_off: bool = False
    sessions: Path | None = None
    personal: Path | None = None
    reads_personal: Callable[[], bool] = _never

    who: str = "main agent"
    session: str = ""
    turn: str = ""

    judge: Callable[[str], Any] | None = None
    run_read_only: Callable[..., str] | None = None
    run_shell: Callable[[str], str] | None = None

    read_roots: tuple[Path, ...] | None = None
    git: bool = False
    reads_anywhere: bool = False
    search_seconds: float = SEARCH_SECONDS
    read_files: dict[Path, str] = field(default_factory=dict)
    conversation: Callable[[], RequestPrefix] | None = None
    log_day: Callable[[], date | None] = no_log
    hides: Callable[[str], str] = nothing_hidden
    refuses: Callable[[str, str], str] = nothing_refused
    closed: Callable[[], Mapping[str, str]] = nothing_closed

    def path(self, typed: str) -> Path:
        """Find what a tool's path means: ``~/…``, absolute, or from the
        project folder on.

        Raises ToolError for what is no path, and for one that climbs out of
        the home by ``..``: how it goes on would tell where this machine keeps
        the home. A project outside the home hides nothing, so its relative
        paths may lead anywhere.
        """
        if not typed or "\0" in typed:
            raise ToolError(
                f"{typed!r} is not a path",
                do="Give one such as ~/project/file.py",
            )
        text = expand_home(typed, self.home)
        at_home = text != typed
        path = Path(os.path.normpath(self.project / text))
        hidden = at_home or (
            not os.path.isabs(text) and self.project.is_relative_to(self.home)
        )
        if hidden and not path.is_relative_to(self.home):
            raise ToolError(
                f"{typed} leads out of ~", do="Give the path from / on"
            )
        return path

    def real_path(self, path: Path) -> Path:
        """Return the real path: the one that was checked for this call, or
        else the one of now.
        """
        return _call.get().paths.get(path) or Path(os.path.realpath(path))

    def may_read(self, real: Path) -> bool:
        """Tell whether a real path may be read: below the roots, or below what
        was granted.
        """
        if self.read_roots is None:
            return True
        tops = (*self.read_roots, *self.granted, *self.personal_roots)
        return any(real.is_relative_to(top) for top in tops)

    @property
    def personal_roots(self) -> tuple[Path, ...]:
        """The folder of the personal memories, by its real path, while they
        may be read.
        """
        place = self.personal_place
        return (place,) if place and self.reads_personal() else ()

    @property
    def personal_place(self) -> Path | None:
        """Where the folder of the personal memories is, by its real path; None
        if the memory of the project is there.
        """
        if self.personal is None:
            return None
        place = Path(os.path.realpath(self.personal))
        memory = os.path.realpath(self.memory) if self.memory else ""
        return None if Path(memory).is_relative_to(place) else place

    @property
    def memory_places(self) -> tuple[Path, ...]:
        """Where the memory directory is."""
        return (self.memory,) if self.memory else ()

    @property
    def closed_places(self) -> dict[Path, str]:
        """The folders of the memory directory that no tool opens, by their
        real paths, each with the reason. A folder that is missing is none.
        """
        places = {
            Path(os.path.realpath(memory), folder): why
            for memory in self.memory_places
            for folder, why in self.closed().items()
        }
        return {place: why for place, why in places.items() if place.exists()}

    @property
    def granted(self) -> tuple[Path, ...]:
        """What the person has said yes to, for the call that is running."""
        return _call.get().granted

    def show(self, path: Path) -> str:
        """Show a path as ``~/…`` where it lies below the home."""
        return tilde(path, self.home)

    def show_real(self, real: Path) -> str:
        """Show a real path as ``~/…`` where it lies below the home, even if
        that is a link.
        """
        return tilde(real, os.path.realpath(self.home))

    def memory_name(self, path: Path) -> str | None:
        """Return a path from the memory directory on, links followed; None for
        one elsewhere.
        """
        return (
            _below(self.real_path(path), self.memory) if self.memory else None
        )

    def is_own(self, path: Path) -> bool:
        """Tell whether a path belongs to memlab's own records, which no tool
        changes.
        """
        real = self.real_path(path)
        below = self.memory_name(path) or _below(real, self.home) or str(real)
        return STORE_FOLDER in [part.casefold() for part in Path(below).parts]

    def hide(self, text: str) -> str:
        """Write ``~`` for the home wherever a text names it."""
        # some containers have the root for a home
        if self.home == self.home.parent:
            return text
        return text.replace(os.path.realpath(self.home), "~").replace(
            str(self.home), "~"
        )


def unread(shown: str) -> ToolError:
    """Make the refusal to change a file whose content the model has not seen."""
    return ToolError(f"{shown} has not been read", do="Read it first")


@dataclass(frozen=True)
class MemoryWrite:
    """A memory file that a tool call wrote, or ``removed``."""

    file: str
    removed: bool = False


@dataclass(frozen=True)
class ToolOutput:
    """What a tool answers; ``memory`` names the memory file that the call
    changed, if any.
    """

    text: str
    memory: MemoryWrite | None = None


Output = str | ToolOutput
Run = Callable[[Mapping[str, Any], ToolContext], Output | Awaitable[Output]]


@dataclass(frozen=True)
class Tool:
    """One tool: its definition for the model, and the function that runs it.

    ``run`` returns the output, directly or as an awaitable, and raises
    ToolError with a reason.
    """

    name: str
    description: str
    input_schema: Mapping[str, Any]
    run: Run

    @property
    def definition(self) -> dict[str, Any]:
        """The tool as a request lists it."""
        schema = dict(self.input_schema)
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": schema,
        }


@dataclass(frozen=True)
class ToolOutcome:
    """What came of one call: the ``tool_result`` block for the model, and what
    the call changed.

    ``reason`` explains a call that failed or was denied.
    """

    tool: str
    status: Literal["ran", "failed", "denied"]
    result: Mapping[str, Any]
    reason: str = ""
    memory: MemoryWrite | None = None

    @property
    def text(self) -> str:
        """What the model reads."""
        return str(self.result["content"])


def valid_text(text: str) -> str:
    """Replace what cannot be sent: half a character, as a damaged file name
    may hold.
    """
    return text.encode("utf-8", "replace").decode()


def _below(real: Path, folder: Path) -> str | None:
    """Return a real path from a folder on, whose links are followed; None if
    it leads elsewhere.
    """
    target = Path(os.path.realpath(folder))
    return (
        real.relative_to(target).as_posix()
        if real.is_relative_to(target)
        else None
    )

"""What a tool is, what it works in, and what comes of one call.

The tools themselves are in ``tools``, ``tools_files`` and ``tools_search``.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal

from memlab.agent.request import RequestPrefix
from memlab.agent.shell import Verdict, is_read_only_command
from memlab.clock import Clock
from memlab.errors import MemlabError
from memlab.memdir.places import STORE_FOLDER
from memlab.memdir.store import MemoryStore
from memlab.text import expand_home, tilde


class ToolError(MemlabError):
    """A tool cannot do what it was asked; the message is for the model."""


class Access:
    """What a session leaves open of memory; this one leaves open everything
    but personal memory. The harness has its own.

    A reason is "" where nothing is against it.
    """

    def hides(self, file: str) -> str:
        """Say why a memory is in no list; a tool that opens it still reads
        it.
        """
        return ""

    def refuses(self, file: str, who: str) -> str:
        """Say why somebody may not write a file of the memory directory."""
        return ""

    def closed(self) -> Mapping[str, str]:
        """Give the folders of the memory directory that no tool opens, each
        with the reason; "" is the directory itself, and personal memory.
        """
        return {}

    def reads_personal(self) -> bool:
        """Tell whether the memories about the person may be read."""
        return False

    def log_day(self) -> date | None:
        """Give the day whose daily log may be added to; None: no log is
        kept.
        """
        return None

    async def agrees(self, context: ToolContext, file: str, text: str) -> bool:
        """Tell whether the person, who may be asked, lets this be saved."""
        return True


@dataclass(frozen=True)
class CheckedCall:
    """What a permission found out about one call, so that the tool opens what
    was checked.

    ``paths`` has the real path of each path. ``roots`` are the real paths
    below which a command may read.
    """

    paths: Mapping[Path, Path] = field(default_factory=dict)
    roots: tuple[Path, ...] = ()


@dataclass
class ToolContext:
    """What tools work in.

    Without a ``store``, memory cannot be written. ``personal`` is the
    directory of the memories about the person, which no tool changes. ``who``,
    ``session`` and ``turn`` go into the journal with each write. ``run_shell``
    runs any command; without it, only commands that read run.
    ``reads_anywhere`` opens the whole disk to reading. ``read_files`` has the
    hash of each content that the model has seen. ``conversation`` gives the
    conversation as it is sent, so that what is written to memory can be
    stamped with its origin. ``call`` is about the call that is running.
    """

    project: Path
    home: Path
    clock: Clock
    memory: Path | None = None
    store: MemoryStore | None = None
    sessions: Path | None = None
    personal: Path | None = None
    who: str = "main agent"
    session: str = ""
    turn: str = ""
    access: Access = field(default_factory=Access)
    run_shell: Callable[[str], str] | None = None
    reads_anywhere: bool = False
    read_files: dict[Path, str] = field(default_factory=dict)
    conversation: Callable[[], RequestPrefix] | None = None
    call: CheckedCall = field(default_factory=CheckedCall)

    def judge(self, command: str) -> Verdict:
        """Tell whether a command only reads."""
        return is_read_only_command(command)

    def path(self, typed: str) -> Path:
        """Find what a tool's path means: ``~/…``, absolute, or from the
        project folder on.

        Raises ToolError for what is no path, and for one that climbs out of
        the home by ``..``: how it goes on would tell where this machine keeps
        the home.
        """
        if not typed or "\0" in typed:
            raise ToolError(
                f"{typed!r} is not a path",
                do="Give one such as ~/project/file.py",
            )
        text = expand_home(typed, self.home)
        path = Path(os.path.normpath(self.project / text))
        goes_on = text != typed or not os.path.isabs(text)
        hidden = goes_on and self.project.is_relative_to(self.home)
        if hidden and not path.is_relative_to(self.home):
            do = "Give the path from / on"
            raise ToolError(f"{typed} leads out of ~", do=do)
        return path

    def real_path(self, path: Path) -> Path:
        """Return the real path: the one that was checked for this call, or
        else the one of now.
        """
        return self.call.paths.get(path) or _real(path)

    @property
    def read_roots(self) -> tuple[Path, ...]:
        """The folders in which every agent may read: project, memory and
        transcripts, and the whole disk where a switch opens it.

        A permission asks once: a link that is put in the place of one later
        leads outside.
        """
        folders = (self.project, self.memory, self.sessions)
        roots = [_real(one) for one in folders if one]
        if self.reads_anywhere:
            roots.append(Path(roots[0].anchor))
        return tuple(roots)

    @property
    def personal_place(self) -> Path | None:
        """Where the folder of the personal memories really is; None if the
        memory of the project is there.
        """
        if self.personal is None:
            return None
        place = _real(self.personal)
        shared = self.memory and _real(self.memory).is_relative_to(place)
        return None if shared else place

    @property
    def personal_roots(self) -> tuple[Path, ...]:
        """The folder of the personal memories, while they may be read."""
        place = self.personal_place
        return (place,) if place and self.access.reads_personal() else ()

    @property
    def memory_places(self) -> tuple[Path, ...]:
        """Where the memory directory is."""
        return (self.memory,) if self.memory else ()

    @property
    def closed_places(self) -> dict[Path, str]:
        """The real paths of the folders that no tool opens, each with the
        reason.
        """
        closed = self.access.closed()
        places = {
            _real(memory / folder): why
            for memory in self.memory_places
            for folder, why in closed.items()
        }
        if "" in closed and self.personal_place:
            places[self.personal_place] = closed[""]
        return {place: why for place, why in places.items() if place.exists()}

    def memory_name(self, real: Path) -> str | None:
        """Return a real path from the memory directory on; None for one
        elsewhere.
        """
        return _below(real, self.memory) if self.memory else None

    def is_memory(self, typed: str) -> bool:
        """Tell whether a tool's path leads into the memory directory."""
        with suppress(ToolError):
            return self.memory_name(_real(self.path(typed))) is not None
        return False

    def is_own(self, real: Path) -> bool:
        """Tell whether a real path belongs to memlab's own records, which no
        tool changes.
        """
        below = self.memory_name(real) or _below(real, self.home) or str(real)
        return STORE_FOLDER in Path(below.casefold()).parts

    def is_record(self, real: Path) -> bool:
        """Tell whether a real path is in a store's folder, which also holds
        what was forgotten.
        """
        places = [*self.memory_places, self.personal]
        below = [_below(real, one) or "" for one in places if one]
        return any(STORE_FOLDER in Path(x.casefold()).parts for x in below)

    def show(self, path: Path) -> str:
        """Show a path as ``~/…`` where it lies below the home."""
        shown = tilde(path, self.home)
        return shown if shown[0] == "~" else tilde(path, _real(self.home))

    def hide(self, text: str) -> str:
        """Write ``~`` for the home wherever a text names it."""
        # some containers have the root for a home
        if self.home == self.home.parent:
            return text
        text = text.replace(str(_real(self.home)), "~")
        return text.replace(str(self.home), "~")


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


Given = Mapping[str, Any]
Output = str | ToolOutput
Run = Callable[[Given, ToolContext], Output | Awaitable[Output]]


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
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": dict(self.input_schema),
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


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _below(real: Path, folder: Path) -> str | None:
    """Return a real path from a folder on, whose links are followed."""
    target = _real(folder)
    inside = real.is_relative_to(target)
    return real.relative_to(target).as_posix() if inside else None

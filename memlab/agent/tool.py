"""What a tool is, and what it works in: folders, clock, who acts, and which files were read.

Left out: the tools themselves, and how a call is carried out.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memlab.clock import Clock
from memlab.errors import MemlabError
from memlab.memdir.store import MemoryStore
from memlab.settings import Settings
from memlab.text import tilde

SEARCH_SECONDS = 10.0


class ToolError(MemlabError):
    """A tool cannot do what it was asked; the message is for the model."""


@dataclass
class ToolContext:
    """What tools work in; ``read_files`` has the hash of each content the model has seen.

    ``judge`` tells of a command whether it only reads: its verdict has ``allowed`` and ``reason``.
    ``run_read_only`` carries such a verdict out, ``run_shell`` any command; each may be missing.
    Read opens files below ``read_roots`` only; None stands for anywhere.
    """

    project: Path
    home: Path
    clock: Clock
    settings: Settings
    memory: Path | None = None
    store: MemoryStore | None = None
    sessions: Path | None = None
    who: str = "main agent"
    session: str = ""
    turn: str = ""
    judge: Callable[[str], Any] | None = None
    run_read_only: Callable[[Any], str] | None = None
    run_shell: Callable[[str], str] | None = None
    read_roots: tuple[Path, ...] | None = None
    search_seconds: float = SEARCH_SECONDS
    read_files: dict[Path, str] = field(default_factory=dict)

    def path(self, typed: str) -> Path:
        """Find what a tool's path means: ``~/…``, absolute, or from the project folder on.

        Raises ToolError for what is no path, and for one that climbs out of the home by ``..``:
        how it goes on would tell where this machine keeps the home.
        """
        if not typed or "\0" in typed:
            raise ToolError(f"{typed!r} is not a path", do="Give one such as ~/project/file.py")
        at_home = typed == "~" or typed.startswith("~/")
        text = f"{self.home}{typed[1:]}" if at_home else typed
        path = Path(os.path.normpath(self.project / text))
        if not path.is_relative_to(self.home) and (at_home or not os.path.isabs(text)):
            raise ToolError(f"{typed} leads out of ~", do="Give the path from / on")
        return path

    def show(self, path: Path) -> str:
        """Show a path as ``~/…`` where it lies below the home."""
        return tilde(path, self.home)

    def memory_name(self, path: Path) -> str | None:
        """Give a path from the memory directory on, links followed; None for one elsewhere."""
        return _below(path, self.memory) if self.memory else None

    def is_own(self, path: Path) -> bool:
        """Tell whether a path belongs to memlab's own records, which no tool changes."""
        below = self.memory_name(path) or _below(path, self.home) or os.path.realpath(path)
        return ".memlab" in [part.casefold() for part in Path(below).parts]

    def hide(self, text: str) -> str:
        """Write ``~`` for the home wherever a text names it."""
        if self.home == self.home.parent:  # some containers have the root for a home
            return text
        return text.replace(os.path.realpath(self.home), "~").replace(str(self.home), "~")


Run = Callable[[Mapping[str, Any], ToolContext], str | Awaitable[str]]


@dataclass(frozen=True)
class Tool:
    """One tool: what the model is told of it, and the function that carries it out.

    ``run`` gives the result's text, at once or awaited, and raises ToolError with a reason.
    """

    name: str
    description: str
    input_schema: Mapping[str, Any]
    run: Run

    @property
    def definition(self) -> dict[str, Any]:
        """The tool as a request lists it."""
        schema = dict(self.input_schema)
        return {"name": self.name, "description": self.description, "input_schema": schema}


def valid_text(text: str) -> str:
    """Replace what cannot be sent: half a character, as a damaged file name may hold."""
    return text.encode("utf-8", "replace").decode()


def _below(path: Path, folder: Path) -> str | None:
    """Give a path from a folder on, with links followed in both; None if it leads elsewhere."""
    real, target = Path(os.path.realpath(path)), Path(os.path.realpath(folder))
    return real.relative_to(target).as_posix() if real.is_relative_to(target) else None

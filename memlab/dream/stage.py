"""Staging: a dream works on a copy of the memory directory, and the result is
a proposal.

The dream's tools see the real paths and reach the copy (``StagedContext``), so
whatever the dream does, the memory itself does not change. A proposal is plain
data: the memory before, the memory after, and the reasons. It is judged and
committed in ``plan``.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from memlab.agent.fork import fork_context
from memlab.agent.permissions import (
    Decision,
    Permission,
    memory_permissions,
)
from memlab.agent.shell import Verdict
from memlab.agent.tool import ToolContext
from memlab.clock import Clock
from memlab.errors import MemlabError
from memlab.evidence.pending import DREAM
from memlab.memdir.folder import Folder
from memlab.memdir.frontmatter import MAX_BYTES
from memlab.memdir.places import LOGS
from memlab.memdir.scan import may_contain_memories
from memlab.memdir.store import MemoryStore


class DreamError(MemlabError):
    """A dream cannot go on; the memory is as it was."""


class Snapshot(NamedTuple):
    """The contents and mtimes of a directory's memories and indexes."""

    files: dict[str, bytes]
    times: dict[str, int]


class Proposal(NamedTuple):
    """What a dream wants a memory directory to become, with contents by file
    name, and a reason for each removed file.
    """

    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    reasons: Mapping[str, str]


def snapshot(directory: Path) -> Snapshot:
    """Read a memory directory without following links; what cannot be a memory
    is left out.
    """
    found = Snapshot({}, {})
    folder = Folder(directory)
    for name, entry in folder.walk([], may_contain_memories):
        is_file = entry.is_file(follow_symlinks=False)
        if not is_file or not name.endswith(".md") or "/." in f"/{name}":
            continue
        with suppress(OSError):
            if entry.stat(follow_symlinks=False).st_size <= MAX_BYTES:
                data, found.times[name], _ = folder.read(name)
                found.files[name] = data or b""
    return found


class StagedMemory:
    """A copy of a memory directory for one dream, gone when the dream is over.

    The copy is below ``room``, by default this machine's folder for temporary
    files. Copies left by killed dreams of this directory are removed first,
    if ``sweep``.
    """

    def __init__(
        self,
        directory: Path,
        *,
        clock: Clock,
        room: Path | None = None,
        sweep: bool = True,
    ) -> None:
        if not directory.is_dir():
            raise DreamError(
                "the memory directory is gone",
                where=directory,
                do="Check whether it was moved, and put it back",
            )
        self.directory, self.before = directory, snapshot(directory)
        if sweep:
            sweep_staging(directory, room)
        made = tempfile.mkdtemp(prefix=_prefix(directory), dir=room)
        self.path = Path(os.path.realpath(made))
        try:
            for name, data in self.before.files.items():
                target = self.path / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                os.utime(target, ns=(self.before.times[name],) * 2)
            self.store = MemoryStore(
                self.path, clock=clock, writer=DREAM, durable=False
            )
        except BaseException:
            self.__exit__()
            raise

    def context(self, context: ToolContext) -> StagedContext:
        """Give the context for a dream's tools: they see the real paths and
        reach the copy.
        """
        staged = replace(context, memory=self.path, store=self.store)
        fork = fork_context(staged, who=DREAM)
        return StagedContext(**vars(fork), real=self.directory)

    def proposal(self) -> Proposal:
        """Give what the dream proposes: the copy as it is now, and the reasons
        for removals.
        """
        reasons = {
            change.file: entry.reason
            for entry in self.store.history()
            for change in entry.changes
            if not change.after
        }
        if not self.path.is_dir():
            raise DreamError("its copy of the memory was removed")
        after = snapshot(self.path).files
        return Proposal(self.before.files, after, reasons)

    def __enter__(self) -> StagedMemory:
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def sweep_staging(directory: Path, room: Path | None = None) -> None:
    """Remove the copies that killed dreams of this directory have left; only
    the lock's holder may.

    They contain what the memory contained, so they are removed after
    forgetting for good, too.
    """
    for left in staged_copies(directory, room):
        shutil.rmtree(left, ignore_errors=True)


def staged_copies(directory: Path, room: Path | None = None) -> list[Path]:
    """List the copies of a directory: those of running dreams and of killed
    ones.
    """
    return sorted(
        Path(room or tempfile.gettempdir()).glob(f"{_prefix(directory)}*")
    )


@dataclass
class StagedContext(ToolContext):
    """A tool context in which paths of the ``real`` directory mean the copy,
    except in ``logs``.
    """

    real: Path = Path()

    @property
    def read_roots(self) -> tuple[Path, ...]:
        """Where the dream may read: in the directory itself, too."""
        return (*super().read_roots, Path(os.path.realpath(self.real)))

    def judge(self, command: str) -> Verdict:
        """Judge a command as one that reads the copy."""
        return super().judge(self.inward(command))

    @property
    def memory_places(self) -> tuple[Path, ...]:
        """Where the copy is, and the directory itself."""
        return (*super().memory_places, self.real)

    def path(self, typed: str) -> Path:
        """Resolve a path; one below the real memory directory leads into the
        copy.
        """
        return Path(self.inward(str(super().path(typed))))

    def show(self, path: Path) -> str:
        """Show a path of the copy as the real one."""
        return super().show(Path(self._outward(str(path))))

    def hide(self, text: str) -> str:
        """Replace the copy's path by the real one wherever a text contains it."""
        return super().hide(self._outward(text))

    def inward(self, text: str) -> str:
        """Replace the real directory by the copy in a full path, or wherever a
        command names it.
        """
        names = map(re.escape, (str(self.real), super().show(self.real)))
        here = rf"(?<![\w/.~-])(?:{'|'.join(names)})(?![\w.-]|[/\\]{LOGS}(?![\w.-]))"
        return re.sub(here, lambda found: str(self.memory), text)

    def permission(self) -> Permission:
        """Give the permission of a fork; each path is judged as the path of
        the file it reaches.
        """
        judged = memory_permissions(self)

        def permission(name: str, given: Mapping[str, Any]) -> Decision:
            if name in ("Edit", "Write"):
                file = self.inward(given["file_path"])
                given = {**given, "file_path": file}
            return judged(name, given)

        return permission

    def _outward(self, text: str) -> str:
        return text.replace(str(self.memory), str(self.real))


def _prefix(directory: Path) -> str:
    sha = hashlib.sha256(str(directory).encode()).hexdigest()
    return f"memlab-dream-{sha[:12]}-"

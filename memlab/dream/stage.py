"""Staging: a dream works on a copy of the memory directory, and the result is
a proposal.

The dream's tools see the real paths and reach the copy (``StagedContext``), so
whatever the dream does, the memory itself does not change. What the dream made
of the copy is read as a ``Proposal``: the memory before, the memory after, and
the reasons. A proposal is plain data, so it can wait for a review
(``waiting``). It is judged in ``review`` and committed in ``plan``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from memlab.agent.fork import fork_context
from memlab.agent.permissions import (
    Decision,
    Permission,
    memory_permissions,
    read_roots,
)
from memlab.agent.shell import Argument, Verdict
from memlab.agent.tool import ToolContext
from memlab.clock import Clock
from memlab.errors import MemlabError, MemoryPathError
from memlab.memdir.folder import Folder
from memlab.memdir.frontmatter import MAX_BYTES
from memlab.memdir.names import memory_file
from memlab.memdir.places import LOGS
from memlab.memdir.scan import may_contain_memories, one_line
from memlab.memdir.store import MemoryStore
from memlab.text import expand_home


@dataclass(frozen=True)
class Proposal:
    """What a dream wants a memory directory to become, with contents by file
    name.

    ``reasons`` has the reason for each removed file. ``odd`` says why a file
    cannot be a memory, and ``attack`` why nothing of the proposal may be
    committed.
    """

    directory: Path
    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    reasons: Mapping[str, str] = field(default_factory=dict)
    odd: Mapping[str, str] = field(default_factory=dict)
    attack: str = ""


DREAM = "dream"
MOST_FILES, MOST_TREE_BYTES = 5_000, 100_000_000


class DreamError(MemlabError):
    """A dream cannot go on; the memory is as it was."""


@dataclass(frozen=True)
class Snapshot:
    """The contents of a directory: memories and index by name; ``odd``
    explains the rest.

    ``attack`` names what no tool can have made: a link, or far more than a
    memory contains.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    times: Mapping[str, int] = field(default_factory=dict)
    odd: Mapping[str, str] = field(default_factory=dict)
    attack: str = ""


def snapshot(directory: Path) -> Snapshot:
    """Read a memory directory without following links; reading stops when it
    is too large.
    """
    contents, times, odd, attack = (
        dict[str, bytes](),
        dict[str, int](),
        dict[str, str](),
        "",
    )
    size = 0
    folder = Folder(directory)
    for name, status in _walk(directory):
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            attack = attack or f"{one_line(name)} is a link, or not a file"
        if why := _unfit(name, status):
            odd[name] = why
            continue
        try:
            found = folder.read(name)
        except OSError as error:
            odd[name] = f"it cannot be read ({error.strerror})"
            continue
        contents[name], times[name] = found.data or b"", found.mtime
        size += len(contents[name])
        if len(contents) > MOST_FILES or size > MOST_TREE_BYTES:
            return Snapshot(
                attack=(
                    f"it holds over {len(contents) - 1:,} files or {size:,}"
                    " bytes"
                )
            )
    return Snapshot(contents, times, odd, attack)


class StagedMemory:
    """A copy of a memory directory for one dream, gone when the dream is over.

    The copy is below ``room``, by default this machine's folder for temporary
    files. Copies left by killed dreams of this directory are removed first.
    Raises DreamError for a directory that is too large to copy, and OSError.
    """

    def __init__(
        self, directory: Path, *, clock: Clock, room: Path | None = None
    ) -> None:
        self.directory, self.before = directory, snapshot(directory)
        if not directory.is_dir():
            raise DreamError(
                "the memory directory is gone", where=directory, do=_LOOK
            )
        if not self.before.files and self.before.attack:
            do = "Move what is no memory out of it"
            raise DreamError(self.before.attack, where=directory, do=do)
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
            self.discard()
            raise

    def context(self, context: ToolContext) -> StagedContext:
        """Give the context for a dream's tools: they see the real paths and
        reach the copy.
        """
        staged = replace(context, memory=self.path, store=self.store)
        fork = fork_context(staged, who=DREAM)
        shared = {one.name: getattr(fork, one.name) for one in fields(fork)}
        return StagedContext(**shared, real=self.directory)

    def after(self) -> Snapshot:
        """Read the copy as the dream left it; ``odd`` includes names the real
        one cannot have.
        """
        if self.path.is_symlink() or not self.path.is_dir():
            return Snapshot(attack="the copy itself is gone")
        now = snapshot(self.path)
        new = [
            name
            for name, data in now.files.items()
            if self.before.files.get(name) != data
        ]
        odd = {name: why for name in new if (why := self._unfit(name))}
        return replace(now, odd={**now.odd, **odd})

    def proposal(self) -> Proposal:
        """Give what the dream proposes: the copy as it is now, and the reasons
        for removals.
        """
        after = self.after()
        try:
            history = self.store.history()
        except MemlabError:
            history = []
        reasons = {
            change.file: entry.reason
            for entry in history
            for change in entry.changes
            if not change.after
        }
        return Proposal(
            self.directory,
            before=self.before.files,
            after=after.files,
            reasons=reasons,
            odd=after.odd,
            attack=after.attack,
        )

    def __enter__(self) -> StagedMemory:
        return self

    def __exit__(self, *error: object) -> None:
        self.discard()

    def discard(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _unfit(self, name: str) -> str:
        try:
            memory_file(Folder(self.directory), name, or_index=True)
        except MemoryPathError as error:
            return error.what
        return ""


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

    def __post_init__(self) -> None:
        self.read_roots = (
            *read_roots(self),
            Path(os.path.realpath(self.real)),
        )

    @property
    def memory_places(self) -> tuple[Path, ...]:
        """Where the copy is, and the directory itself."""
        return (*super().memory_places, self.real)

    def judge(self, command: str) -> Verdict:
        """Judge a command, and have it read the copy."""
        return self._moved(super().judge(command))

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

    def inward(self, full: str) -> str:
        """Replace the real directory by the copy at the start of a full path."""
        path, real = full.replace(os.sep, "/"), self.real.as_posix()
        below = path.removeprefix(real)
        mine = path.startswith(real) and below[:1] in ("", "/")
        return (
            f"{self.memory}{below}"
            if mine and below.split("/")[1:2] != [LOGS]
            else full
        )

    def permission(self) -> Permission:
        """Give the permission of a fork; each path is judged as the path of
        the file it reaches.
        """
        judged = memory_permissions(self, roots=self.read_roots)

        def permission(name: str, given: Mapping[str, Any]) -> Decision:
            if name in ("Edit", "Write"):
                full = expand_home(str(given["file_path"]), self.home)
                given = {
                    **given,
                    "file_path": self.inward(os.path.join(self.project, full)),
                }
            return judged(name, given)

        return permission

    def _outward(self, text: str) -> str:
        return text.replace(str(self.memory), str(self.real))

    def _moved(self, verdict: Verdict) -> Verdict:
        """Let a command that was judged read the copy: its paths are changed
        to lead there.
        """

        def moved(one: Argument) -> Argument:
            if one.path is None or one.path != one.text:
                return one
            path = self.inward(os.path.normpath(self.project / one.path))
            if not Path(path).is_relative_to(str(self.memory)):
                return one
            glob = (
                self.inward(os.path.normpath(self.project / one.glob))
                if one.glob
                else ""
            )
            return Argument(path, path, glob)

        stages = (
            replace(one, arguments=tuple(map(moved, one.arguments)))
            for one in verdict.pipeline
        )
        return replace(verdict, pipeline=tuple(stages))


_LOOK = "Check whether it was moved, and put it back"


def _prefix(directory: Path) -> str:
    return f"memlab-dream-{hashlib.sha256(str(directory).encode()).hexdigest()[:12]}-"


def _walk(directory: Path) -> Iterable[tuple[str, os.stat_result]]:
    """Give all but folders; logs, hidden, closed and very deeply nested
    folders are skipped.
    """
    found = Folder(directory).walk([], may_contain_memories)
    for name, entry in found:
        status = entry.stat(follow_symlinks=False)
        if not stat.S_ISDIR(status.st_mode):
            yield name, status


def _unfit(name: str, status: os.stat_result) -> str:
    if not stat.S_ISREG(status.st_mode):
        return "it is a link, or not a file"
    if not name.endswith(".md") or "/." in f"/{name}":
        return "it is no memory"
    if status.st_size > MAX_BYTES:
        return f"it is larger than a memory may be, {MAX_BYTES:,} bytes"
    return ""

"""Memory that a project had under a former path, after its folder was renamed,
moved, or became a part of a repository.

Sessions say which path and which folder on the disk they belong to. Memory
without a session is passed over: ``memlab move`` can be told its path. Nothing
here writes; how memory is moved is not known here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from os.path import lexists
from pathlib import Path
from shlex import quote

from memlab.errors import MemlabError
from memlab.memdir.places import MemoryPaths, find_project, slug_of
from memlab.memdir.scan import find_memory_files

SESSION_BYTES = 16_384
_ROOT = rb'"(?:root|cwd)":\s*("(?:[^"\\]|\\.)*")(?:,\s*"inode":\s*(\d+))?'


@dataclass(frozen=True)
class LeftBehind:
    """A memory that no project asks for any more: the path that the project
    had, its folder under the base, and how many memories there are.
    """

    root: Path
    folder: Path
    memories: int
    inode: int = 0


def left_behind(base: Path) -> Iterator[LeftBehind]:
    """Find the memories of projects whose folder does not exist any more, or
    belongs to another project by now.
    """
    for folder in sorted((base / "projects").glob("*")):
        root, inode = _root_of(folder)
        memories = len(find_memory_files(str(folder / "memory"))[0])
        project = find_project(root)
        owners = {slug_of(project.root), slug_of(project.top)}
        is_asked = folder.name in owners and lexists(root)
        if slug_of(root) == folder.name and memories and not is_asked:
            yield LeftBehind(root, folder, memories, inode)


def memory_of(paths: MemoryPaths) -> LeftBehind | None:
    """Find the memory that a project had under its former path.

    The folder is known again by its inode, which a renaming keeps, by its
    name, which a move keeps, or because it is a part of the project now.
    """
    root = paths.project.root
    for found in left_behind(paths.conversations_dir.parent):
        is_part = lexists(found.root) and found.root.is_relative_to(root)
        is_renamed = found.inode == os.stat(root).st_ino
        if is_renamed or is_part or found.root.name == root.name:
            return found
    return None


def moved_notice(paths: MemoryPaths) -> str:
    """Say that a project without memories has some under a former path, and
    how they are moved; "" if it has not.
    """
    left = None
    # what is wrong with another project's folder is not this session's matter
    with suppress(OSError, ValueError, MemlabError):
        if not find_memory_files(str(paths.memory_dir))[0]:
            left = memory_of(paths)
    if left is None:
        return ""
    old, new = quote(str(left.root)), quote(str(paths.project.root))
    return (
        f"Memory of {left.root} is left (memories: {left.memories:,}). If this"
        f" project was there before, type: python3 -m memlab move {old} {new}"
    )


def _root_of(folder: Path) -> tuple[Path, int]:
    """Give the path, and the inode, that the newest session in a folder of
    transcripts says its project has.
    """
    root, inode = "", 0
    sessions = sorted(folder.glob("*.jsonl"), key=os.path.getmtime)
    for session in sessions[-1:]:
        with session.open("rb") as file:
            for found in re.finditer(_ROOT, file.read(SESSION_BYTES)):
                root, inode = json.loads(found[1]), int(found[2] or inode)
    return Path(root), inode

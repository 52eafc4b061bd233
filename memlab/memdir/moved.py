"""Memory that was left behind when its project's folder was renamed or moved.

The name of a project's folder under the base is made from the project's path,
so a project at another path begins without memory. The sessions next to a
memory name the path that it belongs to. Left out: moving it, which
``memlab.cli.move`` does.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memlab.memdir.paths import MemoryPaths, slug_of
from memlab.memdir.scan import find_memory_files

SESSIONS_READ = 5
HEAD_BYTES = 16_384
_ROOT = re.compile(
    rb'"(?:root|cwd)":\s*("(?:[^"\\]|\\.)*")(?:,\s*"inode":\s*(\d+))?'
)


@dataclass(frozen=True)
class LeftBehind:
    """A memory whose project is gone: the path that the project had, its
    folder under the base, and how many memories there are.
    """

    root: Path
    folder: Path
    memories: int
    inode: int = 0


def left_behind(base: Path) -> Iterator[LeftBehind]:
    """Find the projects with memories whose folder does not exist any more.

    A project is passed over if nothing says which path it had.
    """
    with suppress(OSError):
        for folder in sorted((base / "projects").iterdir()):
            found = _left_in(folder)
            if found is not None:
                yield found


def memory_of(paths: MemoryPaths) -> LeftBehind | None:
    """Find the memory that a project had under its former path.

    The folder is known again by its inode, which a renaming keeps, or by its
    name, which a move keeps.
    """
    root = paths.project.root
    for found in left_behind(paths.conversations_dir.parent):
        with suppress(OSError):
            same_folder = found.inode == os.stat(root).st_ino
            if same_folder or found.root.name == root.name:
                return found
    return None


def gone_project(memory: Path, base: Path) -> LeftBehind | None:
    """Say to which project that is gone a memory directory under the base
    belongs; None if the project is there or not known.
    """
    folder = Path(os.path.abspath(memory)).parent
    if folder.parent != base / "projects" or memory.name != "memory":
        return None
    return _left_in(folder)


def _left_in(folder: Path) -> LeftBehind | None:
    found, _ = find_memory_files(str(folder / "memory"))
    if not found:
        return None
    root, inode = _root_of(folder)
    if not root or os.path.lexists(root):
        return None
    return LeftBehind(Path(root), folder, len(found), inode)


def _root_of(folder: Path) -> tuple[str, int]:
    """Find the path from which a folder's name was made, and its inode, in the
    newest sessions; "" if none names it.

    A name without ``+`` can be turned back into the path.
    """
    sessions = sorted(
        folder.glob("*.jsonl"), key=lambda path: -path.stat().st_mtime_ns
    )
    path, inode = "", 0
    for session in sessions[:SESSIONS_READ]:
        with suppress(OSError), session.open("rb") as file:
            for found in _ROOT.finditer(file.read(HEAD_BYTES)):
                with suppress(ValueError):
                    root = json.loads(found[1])
                    if slug_of(root) == folder.name:
                        path = root
                        inode = inode or int(found[2] or 0)
    if not path and "+" not in folder.name and folder.name.startswith("-"):
        path = folder.name.replace("-", "/")
    return path, inode

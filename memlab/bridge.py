"""Old names as a few lines on the new modules, for callers that are rewritten
later.

Sorted by old module. No new module imports this, and the list only shrinks.
"""

from __future__ import annotations

from pathlib import Path

from memlab.errors import MemoryPathError
from memlab.memdir import names
from memlab.memdir.folder import SWAPPED, Folder

# memdir.path_safety: a directory's path in place of its Folder


def memory_file(
    directory: Path, file: str | Path, *, or_index: bool = False
) -> str:
    """Give a memory's name below its directory."""
    typed = file.as_posix() if isinstance(file, Path) else file
    return names.memory_file(Folder(directory), typed, or_index=or_index)


def resolve_memory_path(directory: Path, path: str) -> Path:
    """Give the place of a file below the directory."""
    return directory / names.plain_file(Folder(directory), path)


def open_inside(directory: Path, path: str) -> int:
    """Check a path and open its file for reading."""
    folder = Folder(directory)
    try:
        return folder.open(names.plain_file(folder, path))
    except OSError as error:
        if error.errno not in SWAPPED:
            raise
        what = "something else has come into its place since it was looked at"
        do = "Look what is there"
        raise MemoryPathError(what, where=ascii(path), do=do) from error

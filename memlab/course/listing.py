"""A folder as a few lines of text: names, sizes, and times in UTC.

Left out: owners and permissions, and what the course keeps for itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memlab.clock import from_nanoseconds
from memlab.course.home import MARKER

_HIDDEN = {MARKER, ".git", "__pycache__", ".pytest_cache", ".DS_Store"}
_NAME_WIDTH = 44


def tree_lines(folder: Path, depth: int, indent: str = "  ") -> Iterator[str]:
    """List a folder's entries, files first, down to ``depth`` levels; deeper
    ones are counted.
    """
    found = (entry for entry in folder.iterdir() if entry.name not in _HIDDEN)
    entries = sorted(found, key=lambda entry: entry.name)
    for file in (entry for entry in entries if not entry.is_dir()):
        yield _file_line(file, indent)
    for sub in (entry for entry in entries if entry.is_dir()):
        if depth > 1:
            yield f"{indent}{sub.name}/"
            yield from tree_lines(sub, depth - 1, indent + "  ")
        else:
            count = sum(1 for found in sub.rglob("*") if _counts(found, sub))
            yield (
                f"{indent}{sub.name}/  ({count}"
                f" {'file' if count == 1 else 'files'})"
            )


def _file_line(file: Path, indent: str) -> str:
    found = file.lstat()
    at = from_nanoseconds(found.st_mtime_ns)
    name = f"{indent}{file.name}".ljust(_NAME_WIDTH)
    return f"{name} {found.st_size:>8,} B  {at:%Y-%m-%d %H:%M}"


def _counts(found: Path, below: Path) -> bool:
    return found.is_file() and not _HIDDEN & set(
        found.relative_to(below).parts
    )

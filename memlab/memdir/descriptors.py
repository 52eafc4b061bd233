"""Opening the file that was checked: each folder from the one above it, and no link is followed.

A path can lead elsewhere a moment after somebody looked at it. An open folder cannot. Where the
platform has no calls that start from an open folder (Windows), a file is opened by its path, and
its real path is compared with the one that was asked for before anything is read or written.

This module imports nothing of memlab, because the search process loads it on its own.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path

BY_DESCRIPTOR = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
MAX_FOLDERS = 32  # how deep folders may be nested below a memory directory

# What the system says when a link, or a file of another kind, has come into a file's place.
SWAPPED = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK, errno.ENXIO, errno.EINVAL)

NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
FOLDER = getattr(os, "O_DIRECTORY", 0)
# Passing through a folder needs no right to list it, which O_PATH knows and O_RDONLY does not.
PASS_THROUGH = FOLDER | getattr(os, "O_PATH", os.O_RDONLY)
NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe in the place of a file must not stop us
BINARY = getattr(os, "O_BINARY", 0)


def walk_down(folder: int, parts: Sequence[str]) -> int:
    """Open the folder that some names below an open one lead to; the caller closes it."""
    held = os.dup(folder)
    for part in parts:
        try:
            below = os.open(part, PASS_THROUGH | NO_FOLLOW, dir_fd=held)
        finally:
            os.close(held)
        held = below
    return held


def open_folder(real: Path) -> int:
    """Open a folder by its real path, so that a link put there since is an error."""
    top = os.open(real.anchor, PASS_THROUGH)
    try:
        return walk_down(top, real.parts[1:])
    finally:
        os.close(top)


def open_real(real: Path, flags: int, *, by_descriptor: bool = BY_DESCRIPTOR) -> int:
    """Open a file by its real path; an OSError if a link or another kind of file is there now.

    Without ``by_descriptor``, a new file may be created elsewhere before the comparison notices
    that, but nothing is written into it.
    """
    flags |= NO_FOLLOW | NO_WAIT | BINARY
    if by_descriptor:
        folder = open_folder(real.parent)
        try:
            opened = os.open(real.name, flags & ~os.O_TRUNC, 0o600, dir_fd=folder)
        finally:
            os.close(folder)
    else:
        opened = os.open(real, flags & ~os.O_TRUNC, 0o600)
    try:
        seen = os.fstat(opened)
        if not stat.S_ISREG(seen.st_mode):
            raise OSError(errno.EINVAL, "not a plain file", str(real))
        if not by_descriptor and not is_still(seen, real):
            raise OSError(errno.ELOOP, "another file was opened", str(real))
        if flags & os.O_TRUNC:
            os.ftruncate(opened, 0)
    except OSError:
        os.close(opened)
        raise
    return opened


def is_still(seen: os.stat_result, real: Path) -> bool:
    """Tell whether a real path is still one, and leads to the file that was opened."""
    return os.path.realpath(real) == str(real) and os.path.samestat(seen, os.lstat(real))

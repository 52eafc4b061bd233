"""Opening and listing what was checked: each folder from the one above it,
following no link.

A path can lead elsewhere a moment after somebody looked at it. An open folder
cannot. Where the platform has no calls that start from an open folder
(Windows), a file is opened by its path, and its real path is compared with the
one that was asked for before anything is read or written.

This module imports nothing else of memlab, because the search process loads
only this module.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

BY_DESCRIPTOR = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
MAX_FOLDERS = 32  # how deep folders may be nested below a memory directory

# What the system says when a link, or a file of another kind, has come into a
# file's place.
SWAPPED = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK, errno.ENXIO, errno.EINVAL)

NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
FOLDER = getattr(os, "O_DIRECTORY", 0)
# Passing through a folder needs no right to list it, which O_PATH knows and
# O_RDONLY does not.
PASS_THROUGH = FOLDER | getattr(os, "O_PATH", os.O_RDONLY)
# a pipe in the place of a file must not stop us
NO_WAIT = getattr(os, "O_NONBLOCK", 0)
BINARY = getattr(os, "O_BINARY", 0)


def walk_down(folder: int, parts: Sequence[str]) -> int:
    """Open the folder that some names below an open one lead to; the caller
    closes it.
    """
    held = os.dup(folder)
    for part in parts:
        try:
            below = os.open(part, PASS_THROUGH | NO_FOLLOW, dir_fd=held)
        finally:
            os.close(held)
        held = below
    return held


def open_folder(real: Path) -> int:
    """Open a folder by its real path, so that a link put there since is an
    error.
    """
    top = os.open(real.anchor, PASS_THROUGH)
    try:
        return walk_down(top, real.parts[1:])
    finally:
        os.close(top)


def open_real(
    real: Path, flags: int, *, by_descriptor: bool = BY_DESCRIPTOR
) -> int:
    """Open a file by its real path; an OSError if a link or another kind of
    file is there now.

    Without ``by_descriptor``, a new file may be created elsewhere before the
    comparison notices that, but nothing is written into it.
    """
    flags |= NO_FOLLOW | NO_WAIT | BINARY
    if by_descriptor:
        folder = open_folder(real.parent)
        try:
            opened = os.open(
                real.name, flags & ~os.O_TRUNC, 0o600, dir_fd=folder
            )
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


# an open folder, or its path where the platform has no descriptors for folders
Place = int | str
Failure = OSError | ValueError


def walk(
    top: Place,
    *,
    enter: Callable[[str, os.DirEntry[str]], bool],
    failed: Callable[[str, Failure], None],
    deepest: int = MAX_FOLDERS,
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Give each entry below a folder, in no order, with its path from there;
    ``/`` separates.

    An entry can be asked about its file only until the next one is taken.
    ``enter`` decides which folders are listed as well. ``failed`` gets the
    folders that cannot be listed, such as "a/b/", or "" for the top; a folder
    that is nested more than ``deepest`` deep is one of them.
    """
    try:
        place = (
            os.dup(top)
            if isinstance(top, int)
            else _open_for_listing(top, None)
        )
    except (OSError, ValueError) as error:
        failed("", error)
        return
    yield from _walk(place, "", enter, failed, deepest)


def _walk(
    place: Place,
    below: str,
    enter: Callable[[str, os.DirEntry[str]], bool],
    failed: Callable[[str, Failure], None],
    deepest: int,
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """List an open folder and those in it, and close it."""
    folders: list[str] = []
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                name = below + entry.name
                yield name, entry
                try:
                    if _is_folder(entry) and enter(name, entry):
                        folders.append(entry.name)
                except OSError as error:
                    failed(name, error)
        for folder in folders:
            name = f"{below}{folder}/"
            if below.count("/") >= deepest:
                what = f"it is nested more than {deepest} folders deep"
                failed(name, OSError(errno.ELOOP, what))
                continue
            try:
                inner = _open_for_listing(folder, place)
            except OSError as error:
                failed(name, error)
                continue
            yield from _walk(inner, name, enter, failed, deepest)
    except (OSError, ValueError) as error:
        failed(below, error)
    finally:
        if isinstance(place, int):
            os.close(place)


def _open_for_listing(name: str, above: Place | None) -> Place:
    """Open a folder for listing; below the top no link is followed."""
    if not BY_DESCRIPTOR:
        return name if above is None else f"{above}/{name}"
    if above is None:
        return os.open(name, os.O_RDONLY | FOLDER)
    return os.open(name, os.O_RDONLY | FOLDER | NO_FOLLOW, dir_fd=int(above))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return (
        entry.is_dir(follow_symlinks=False)
        and not getattr(entry, "is_junction", bool)()
    )


def is_still(seen: os.stat_result, real: Path) -> bool:
    """Tell whether a real path is still one, and leads to the file that was
    opened.
    """
    return os.path.realpath(real) == str(real) and os.path.samestat(
        seen, os.lstat(real)
    )

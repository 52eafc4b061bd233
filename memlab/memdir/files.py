"""The few file calls that everything in a memory directory goes through, one
method per step.

They are passed to the store, so that a test can stop it before any of them,
fill the disk at any of them, or cut the power. With a ``root``, that directory
is resolved and opened once, and every path below it is reached from there,
folder by folder, without following a link. Which paths may be used is decided
in ``names``, and ``wal`` puts the steps into an order that makes a write
safe.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memlab.errors import MemoryFormatError
from memlab.memdir.descriptors import (
    BINARY,
    BY_DESCRIPTOR,
    FOLDER,
    NO_FOLLOW,
    NO_WAIT,
    PASS_THROUGH,
    SWAPPED,
    is_still,
    open_folder,
    walk,
    walk_down,
)

PRIVATE_DIRECTORY = 0o700
# a larger ``.md`` file is not read; no memory and no index is so long
MARKDOWN_BYTES = 20_000_000
# Python for browsers can't set the time of a symbolic link
_FOLLOWS_ALWAYS = os.utime not in os.supports_follow_symlinks
_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS}


@dataclass(frozen=True)
class Found:
    """A file as it was at one moment, mtime in nanoseconds; ``data`` is None
    where nothing is.
    """

    data: bytes | None = None
    mtime: int = 0
    mode: int | None = None


class RealFiles:
    """The file calls of this machine; they raise OSError as the system does.

    Without a ``root``, only the last part of a path is protected against
    links. Without ``by_descriptor``, as on Windows, real paths are compared
    instead: before each step, and once more after a file was opened.
    """

    def __init__(
        self, root: Path | None = None, *, by_descriptor: bool = BY_DESCRIPTOR
    ) -> None:
        self._root = _Root(root) if root is not None else None
        self._by_descriptor = by_descriptor

    def read(self, path: Path) -> Found:
        """Give a file's bytes and stamps; refuses all but plain files.

        Raises MemoryFormatError for a Markdown file that is far too large to
        be a memory.
        """
        try:
            with self.open(path, os.O_RDONLY) as source:
                status = os.fstat(source)
                if path.suffix == ".md" and status.st_size > MARKDOWN_BYTES:
                    what = (
                        f"this is larger than {MARKDOWN_BYTES // 1_000_000}"
                        " MB, so it is not read"
                    )
                    raise MemoryFormatError(
                        what, where=path, do="Split it, or move it away"
                    )
                data = _read_all(source, status.st_size)
                return Found(
                    data, status.st_mtime_ns, stat.S_IMODE(status.st_mode)
                )
        except FileNotFoundError:
            return Found()

    def write(self, path: Path, data: bytes, mode: int | None = None) -> None:
        """Make a new file of these bytes, in place of a leftover of the same
        name.

        Until ``mode`` is set, if one is given, only its owner may read it.
        """
        with (
            suppress(FileNotFoundError),
            self._folder_of(path) as (folder, name),
        ):
            os.unlink(name, dir_fd=folder)
        with self.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600
        ) as target:
            _write_all(target, data)
            if mode is not None:
                _set_mode(target, path, mode)

    def append(self, path: Path, data: bytes, mode: int = 0o600) -> None:
        """Add bytes to the end of a file; one that is missing is created with
        this mode.
        """
        with self.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, mode
        ) as target:
            _write_all(target, data)

    def cut(self, path: Path, size: int) -> None:
        """Cut a file to its first ``size`` bytes."""
        with self.open(path, os.O_WRONLY) as target:
            os.ftruncate(target, size)

    def set_mtime(self, path: Path, mtime: int) -> None:
        """Set when a file was last changed, in nanoseconds."""
        with self._folder_of(path) as (folder, name):
            if folder is None:
                os.utime(name, ns=(mtime, mtime))
            else:
                os.utime(
                    name,
                    ns=(mtime, mtime),
                    dir_fd=folder,
                    follow_symlinks=_FOLLOWS_ALWAYS,
                )

    def sync(self, path: Path) -> None:
        """Return when a file's bytes and stamps are on the disk."""
        with self.open(
            path, os.O_RDWR if os.name == "nt" else os.O_RDONLY
        ) as file:
            os.fsync(file)

    def sync_directory(self, path: Path) -> None:
        """Return when the names in a directory are on the disk, where the
        system can say so.
        """
        if os.name == "nt":
            return
        with self._listable(path) as folder:
            try:
                os.fsync(int(folder))
            except OSError as error:
                if error.errno not in _CANNOT_SYNC:
                    raise

    def replace(self, source: Path, target: Path) -> None:
        """Give ``source`` the name ``target``: a reader gets the old file or
        the new one.
        """
        with (
            self._folder_of(source) as (before, old),
            self._folder_of(target) as (after, new),
        ):
            os.replace(old, new, src_dir_fd=before, dst_dir_fd=after)

    def remove(self, path: Path) -> None:
        """Remove a file, if it is there."""
        with (
            suppress(FileNotFoundError),
            self._folder_of(path) as (folder, name),
        ):
            os.unlink(name, dir_fd=folder)

    def make_directory(self, path: Path, mode: int) -> bool:
        """Make a directory, and say whether it is new; a symlink to a
        directory is an error.
        """
        with self._folder_of(path) as (folder, name):
            with suppress(FileExistsError):
                os.mkdir(name, mode, dir_fd=folder)
                # the umask has taken some of these permissions away
                if mode & 0o077:
                    os.chmod(name, mode, dir_fd=folder)
                return True
            if not stat.S_ISDIR(
                os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
            ):
                raise NotADirectoryError(
                    errno.ENOTDIR, "not a directory", str(path)
                )
        return False

    def walk(self, directory: Path, *, hidden: bool = False) -> Iterator[str]:
        """Name each plain file below a directory, with ``/``, in the order of
        their names.

        Folders that are nested more than ``MAX_FOLDERS`` deep are left out,
        and so are those whose names begin with a dot, unless ``hidden`` is
        set.
        """

        def enter(name: str, entry: os.DirEntry[str]) -> bool:
            return hidden or entry.name[0] != "."

        def failed(name: str, error: OSError | ValueError) -> None:
            gone = isinstance(error, FileNotFoundError)
            if not gone and not (
                isinstance(error, OSError) and error.errno in SWAPPED
            ):
                raise _with_whole_path(error, directory, name)

        names: list[str] = []
        try:
            with self._listable(directory) as place:
                for name, entry in walk(place, enter=enter, failed=failed):
                    if entry.is_file(follow_symlinks=False):
                        names.append(name)
        except OSError as error:
            failed("", error)
        yield from sorted(names, key=lambda name: name.split("/"))

    @contextmanager
    def open(self, path: Path, flags: int, mode: int = 0o666) -> Iterator[int]:
        """Open a plain file without following links, and without waiting for a
        pipe.
        """
        with self._folder_of(path) as (folder, name):
            try:
                flags |= NO_FOLLOW | NO_WAIT | BINARY
                file = os.open(name, flags, mode, dir_fd=folder)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO):
                    raise _not_plain(path) from error
                raise
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                raise _not_plain(path)
            if (
                self._root
                and folder is None
                and not is_still(status, self._root.real_of(path))
            ):
                raise OSError(
                    errno.ELOOP, "another file was opened", str(path)
                )
            yield file
        finally:
            os.close(file)

    @contextmanager
    def _folder_of(self, path: Path) -> Iterator[tuple[int | None, str]]:
        """Give the open folder that a path is in, and its name there.

        Without descriptors that is no folder and the full path, whose folder
        has been compared.
        """
        root = self._root
        parts = root.parts(path) if root is not None else None
        if not self._by_descriptor:
            if root is not None and parts:
                root.compare(path.parent)
            yield None, str(path)
            return
        if root is not None and parts:
            held = root.open()
            folder = walk_down(held.descriptor, parts[:-1])
        elif root is not None and parts == []:
            folder = os.open(os.path.dirname(root.real), PASS_THROUGH)
            parts = [os.path.basename(root.real)]
        else:
            folder = os.open(path.parent, PASS_THROUGH)
            parts = [path.name]
        try:
            yield folder, parts[-1]
        finally:
            os.close(folder)

    @contextmanager
    def _listable(self, path: Path) -> Iterator[int | str]:
        """Open a directory so that it can be listed and synced."""
        root = self._root
        parts = root.parts(path) if root is not None else None
        if root is not None and parts is not None and self._by_descriptor:
            held = root.open()
            inner = walk_down(held.descriptor, parts)
            try:
                folder = os.open(".", os.O_RDONLY | FOLDER, dir_fd=inner)
            finally:
                os.close(inner)
        else:
            if root is not None and parts is not None:
                root.compare(path)
            if os.name == "nt":
                yield str(path)
                return
            folder = os.open(path, os.O_RDONLY | FOLDER)
        try:
            yield folder
        finally:
            os.close(folder)


class UnsyncedFiles(RealFiles):
    """The file calls for a directory that nobody needs after a crash, such as
    a dream's copy: nothing waits for the disk.
    """

    def sync(self, path: Path) -> None:
        """Return at once."""

    def sync_directory(self, path: Path) -> None:
        """Return at once."""


def make_private(folder: Path) -> None:
    """Make a missing folder and those above it, each for its owner alone."""
    missing: list[Path] = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(PRIVATE_DIRECTORY, exist_ok=True)


class _Held:
    """An open directory; it is closed when nobody uses it any more."""

    def __init__(self, real: str) -> None:
        self.descriptor = -1
        self.descriptor = open_folder(Path(real))
        status = os.fstat(self.descriptor)
        self.identity = (status.st_dev, status.st_ino)

    def __del__(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)


class _Root:
    """The directory that all paths go on from.

    Links that lead to it are followed once, at the beginning, because people
    keep memory on another disk. After that its name is not trusted: the open
    directory is used until it is gone.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._prefix = str(path).rstrip(os.sep) + os.sep
        self._held: _Held | None = None

    @cached_property
    def real(self) -> str:
        """The directory itself, resolved at the first use and never again."""
        return os.path.realpath(self.path)

    def parts(self, path: Path) -> list[str] | None:
        """Give the names that lead from the root to a path: none for the root
        itself.

        None is a path that is not below the root.
        """
        text = str(path)
        if path == self.path:
            return []
        if not text.startswith(self._prefix):
            return None
        parts = text[len(self._prefix) :].split(os.sep)
        if ".." in parts:
            raise OSError(
                errno.EINVAL, "'..' leads out of the directory", text
            )
        return parts

    def open(self) -> _Held:
        """Give the open directory; an OSError if it is missing or another one
        has replaced it.
        """
        held = self._held
        try:
            status = os.stat(self.real, follow_symlinks=False)
        except FileNotFoundError:
            self._held = None
            raise
        if held is None or os.fstat(held.descriptor).st_nlink == 0:
            held = self._held = _Held(self.real)
        if (status.st_dev, status.st_ino) != held.identity:
            what = (
                "this directory was replaced by another one since it was"
                " opened"
            )
            raise OSError(
                errno.ESTALE,
                f"{what}; start memlab again to use that",
                self.real,
            )
        return held

    def real_of(self, path: Path) -> Path:
        """Give the real path that a path below the root must have."""
        return Path(self.real) / path.relative_to(self.path)

    def compare(self, folder: Path) -> None:
        """Raise an OSError if a folder below the root is not, or no longer,
        reached without links.

        A folder that is missing passes: the call that needs it says so.
        """
        real = self.real_of(folder)
        if os.path.realpath(real) != str(real):
            raise OSError(errno.ELOOP, "a link is in its place", str(folder))


def _with_whole_path(
    error: OSError | ValueError, directory: Path, name: str
) -> OSError | ValueError:
    """Name the folder that cannot be listed by its whole path: one that was
    opened by the folder around it has only a name.
    """
    known = getattr(error, "filename", None)
    is_whole = isinstance(known, (str, Path)) and os.path.isabs(known)
    if isinstance(error, ValueError) or is_whole or error.errno is None:
        return error
    path = os.path.join(directory, name).rstrip("/")
    return OSError(error.errno, error.strerror, path)


def _not_plain(path: Path) -> OSError:
    return OSError(errno.EINVAL, "not a plain file", str(path))


def _read_all(file: int, size: int) -> bytes:
    """Read a file to its end; ``size`` is what it held a moment ago."""
    pieces: list[bytes] = []
    while piece := os.read(file, max(size, 4096) + 1):
        pieces.append(piece)
    return b"".join(pieces)


def append_durably(file: int, data: bytes) -> None:
    """Add data to the end of an open file; it is on the disk when this
    returns.

    On a full disk it raises OSError, and removes the part that was written:
    what is added next would otherwise continue half a line.
    """
    size = os.fstat(file).st_size
    try:
        _write_all(file, data)
        os.fsync(file)
    except OSError:
        with suppress(OSError):
            os.ftruncate(file, size)
        raise


def _write_all(file: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]


def _set_mode(file: int, path: Path, mode: int) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(file, mode)
    else:
        os.chmod(path, mode)

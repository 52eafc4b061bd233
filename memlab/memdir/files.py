"""The few file calls that everything in a memory directory goes through, one method a step.

They are handed to the store, so that a test can stop it before any one of them, fill the disk at
any one, or cut the power. None follows a symlink in the last part of a path. Left out: which paths
may be used at all, and in which order the steps make a write safe.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS}


@dataclass(frozen=True)
class Found:
    """A file as it was at one moment, mtime in nanoseconds; ``data`` is None where nothing is."""

    data: bytes | None = None
    mtime: int = 0
    mode: int | None = None


class RealFiles:
    """The file calls of this machine; they raise OSError as the system does."""

    def read(self, path: Path) -> Found:
        """Give a file's bytes and stamps; refuses all but plain files."""
        try:
            if not stat.S_ISREG(os.lstat(path).st_mode):
                raise OSError(errno.EINVAL, "not a plain file", str(path))
            with open(path, "rb", opener=_no_follow) as source:
                status = os.fstat(source.fileno())
                return Found(source.read(), status.st_mtime_ns, stat.S_IMODE(status.st_mode))
        except FileNotFoundError:
            return Found()

    def write(self, path: Path, data: bytes, mode: int | None = None) -> None:
        """Make a new file of these bytes, in place of a leftover of the same name.

        Until ``mode`` is set, if one is given, only its owner may read it.
        """
        path.unlink(missing_ok=True)
        with open(path, "xb", opener=_no_follow) as target:
            target.write(data)
        if mode is not None:
            os.chmod(path, mode)

    def append(self, path: Path, data: bytes) -> None:
        """Add bytes to the end of a file, which is made if need be."""
        with open(path, "ab", opener=_no_follow) as target:
            target.write(data)

    def cut(self, path: Path, size: int) -> None:
        """Cut a file to its first ``size`` bytes."""
        os.truncate(path, size)

    def set_mtime(self, path: Path, mtime: int) -> None:
        """Set when a file was last changed, in nanoseconds."""
        os.utime(path, ns=(mtime, mtime))

    def sync(self, path: Path) -> None:
        """Return when a file's bytes and stamps are on the disk."""
        descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def sync_directory(self, path: Path) -> None:
        """Return when the names in a directory are on the disk, where the system can say so."""
        if os.name != "nt":
            try:
                self.sync(path)
            except OSError as error:
                if error.errno not in _CANNOT_SYNC:
                    raise

    def replace(self, source: Path, target: Path) -> None:
        """Give ``source`` the name ``target``: whoever opens that gets the old file or the new."""
        os.replace(source, target)

    def remove(self, path: Path) -> None:
        """Remove a file, if it is there."""
        path.unlink(missing_ok=True)

    def make_directory(self, path: Path, mode: int) -> bool:
        """Make a directory, and tell whether it is new; a symlink to one will not do."""
        with suppress(FileExistsError):
            path.mkdir(mode)
            if mode & 0o077:  # the umask has taken some of these rights away
                os.chmod(path, mode)
            return True
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "not a directory", str(path))
        return False

    def walk(self, directory: Path, below: str = "") -> Iterator[str]:
        """Name each plain file below a directory, with ``/``; dot-directories are left out."""
        with suppress(FileNotFoundError), os.scandir(directory / below) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_file(follow_symlinks=False):
                    yield below + entry.name
                elif entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                    yield from self.walk(directory, f"{below}{entry.name}/")


def _no_follow(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)

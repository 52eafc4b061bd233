"""A directory whose files are reached without following a link.

A path can lead elsewhere a moment after somebody looked at it; an open folder
cannot. So each folder on the way is opened from the one above it. Where the
system has no such calls (Windows), the real path is compared before and after
a file is opened. A file is replaced by renaming a complete one, and what was
written is on the disk when a call returns.

Names are relative to the directory, with ``/``. This module does not know
which names a memory may have, or what the bytes mean. It imports nothing else
of memlab, because the search process loads it alone.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from os.path import basename, dirname, realpath, samestat
from pathlib import Path
from typing import NamedTuple

BY_DESCRIPTOR = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
MAX_FOLDERS = 32  # how deep folders may be nested below a memory directory
PRIVATE_DIRECTORY, PRIVATE_FILE = 0o700, 0o600

# What the system says when a link, or a file of another kind, has come into a
# file's place.
SWAPPED = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK, errno.ENXIO, errno.EINVAL)
MOST_READ = 200_000_000  # bytes of a file that is read whole
# what a killed write leaves; not that of a hidden file, which has its own guard
LEFTOVER = re.compile(r"(?:.*/)?\.memlab-[^./][^/]*\.tmp")

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
# a pipe in the place of a file must not stop us
_FILE = _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = _NO_FOLLOW | getattr(os, "O_DIRECTORY", 0)
# Passing through a folder needs no right to list it, which O_PATH knows and
# O_RDONLY does not.
_THROUGH = _FOLDER | getattr(os, "O_PATH", os.O_RDONLY)


class Found(NamedTuple):
    """A file as it was at one moment: mtime in nanoseconds, ``data`` None where
    nothing is.
    """

    data: bytes | None = None
    mtime: int = 0
    mode: int | None = None


class Folder:
    """A directory, by the path that ``path`` really has when this is made.

    Links that lead to it are followed once, because people keep memory on
    another disk; links below it never. With ``durable=False`` nothing waits
    for the disk, for a directory that nobody needs after a crash. With
    ``private=False``, what is made new is not for the owner alone. Every
    method raises OSError as the system does; if something else is in the place
    of a file or a folder, its errno is one of ``SWAPPED``.
    """

    def __init__(
        self, path: Path | str, *, durable: bool = True, private: bool = True
    ) -> None:
        self.path = Path(path)
        self.durable = durable
        self.private = private

    @cached_property
    def real(self) -> Path:
        """The directory itself; it is looked up only when it is needed."""
        return Path(realpath(self.path))

    def read(self, name: str, most: int = -1) -> Found:
        """Read a plain file, or its first ``most`` bytes; no file is no error.

        Raises OSError for a file of more than ``MOST_READ`` bytes.
        """
        try:
            with open(self.open(name), "rb") as file:
                seen = os.fstat(file.fileno())
                if most < 0 and seen.st_size > MOST_READ:
                    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), name)
                # memory is reserved for as much as may be read
                data = file.read(min(most, seen.st_size + 1))
                return Found(
                    data, seen.st_mtime_ns, stat.S_IMODE(seen.st_mode)
                )
        except FileNotFoundError:
            return Found()

    def write(self, name: str, data: bytes, mtime: int) -> None:
        """Make this the content of a file, in one step: a reader gets the old
        file or the new one.

        ``mtime`` is in nanoseconds. The mode stays. Missing folders are made.
        What a killed write of a private file has left is replaced, so its
        writers have to keep each other out.
        """
        fresh = temporary(name, "" if self.private else os.urandom(4).hex())
        try:
            self.create(fresh, data, mtime, self.read(name, 0).mode)
            self.rename(fresh, name)
        except OSError:
            self.remove(fresh)
            raise

    def create(
        self, name: str, data: bytes, mtime: int, mode: int | None = None
    ) -> None:
        """Make a new file, in place of a leftover of this name.

        Stopped in the middle, it leaves an incomplete file, so ``write`` uses
        it for a temporary one. Its content is on the disk when it returns, its
        name after a ``rename``, or ``sync`` of the folder. Missing folders are
        made. Without a mode, it has that of a new file.
        """
        self.make(dirname(name))
        self.remove(name)
        usual = PRIVATE_FILE if self.private else 0o666  # less the umask
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        file = self.open(name, flags, mode or usual)
        with open(file, "wb") as target:
            target.write(data)
            target.flush()
            if BY_DESCRIPTOR:
                if mode:
                    os.chmod(file, mode)
                os.utime(file, ns=(mtime, mtime))
            if self.durable:
                os.fsync(file)
        if not BY_DESCRIPTOR:  # closing the file would set its time again
            os.utime(self.real / name, ns=(mtime, mtime))

    def append(self, name: str, data: bytes) -> None:
        """Add to the end of a file, completely or not at all.

        A missing file, and missing folders, are made for the owner alone.
        """
        self.make(dirname(name))
        with open(
            self.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND), "ab"
        ) as file:
            append_durably(file.fileno(), data, durable=self.durable)
        self.sync(dirname(name))

    def set_time(self, name: str, mtime: int) -> None:
        """Set the mtime of a file, in nanoseconds."""
        with open(self.open(name), "rb") as file:
            place = file.fileno() if BY_DESCRIPTOR else self.real / name
            os.utime(place, ns=(mtime, mtime))

    def rename(self, name: str, new: str) -> None:
        """Give a file another name, in place of what has it."""
        with (
            self._parent(name) as (old, last),
            self._parent(new) as (goal, other),
        ):
            os.replace(last, other, src_dir_fd=old, dst_dir_fd=goal)
        self.sync(dirname(new))

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with suppress(FileNotFoundError), self._parent(name) as (folder, last):
            os.unlink(last, dir_fd=folder)
            self.sync(dirname(name))

    def sweep(self) -> None:
        """Remove what killed writes have left in this directory, but not below
        it, while all other writers are kept out.
        """
        for name, _ in list(self.walk([], lambda name: False)):
            if LEFTOVER.fullmatch(name):
                self.remove(name)

    def make(self, below: str = "") -> None:
        """Make a folder, and those above it that are missing."""
        place = self.real / below
        missing = [one for one in (place, *place.parents) if not one.is_dir()]
        top = Folder(place.anchor, durable=self.durable)
        for folder in reversed(missing):
            name = folder.relative_to(top.real).as_posix()
            with top._parent(name) as (above, last), suppress(FileExistsError):
                mode = PRIVATE_DIRECTORY if self.private else 0o777
                os.mkdir(last, mode, dir_fd=above)
            top.sync(dirname(name))

    def sync(self, below: str = "") -> None:
        """Return when the names in a folder are on the disk, where the system
        can say so.
        """
        with self._parent(f"{below}/.".lstrip("/")) as (folder, _):
            try:
                if self.durable and folder is not None:
                    os.fsync(folder)
            except OSError as error:
                # not every file system can say so
                if error.errno not in (
                    errno.EINVAL,
                    errno.ENOTSUP,
                    errno.ENOSYS,
                ):
                    raise

    def open(
        self, name: str, flags: int = os.O_RDONLY, mode: int = PRIVATE_FILE
    ) -> int:
        """Open a plain file and give its descriptor; the caller closes it.

        Without descriptors for folders, a new file may be created elsewhere
        before the comparison notices that, but nothing is written into it.
        """
        with self._parent(name) as (folder, last):
            file = os.open(last, flags | _FILE, mode, dir_fd=folder)
        seen = os.fstat(file)
        is_plain = stat.S_ISREG(seen.st_mode)
        if folder is None and is_plain:  # only its path tells whose it is
            with suppress(OSError):
                is_plain = False
                is_here = samestat(seen, os.lstat(last))
                # strict: by now, the path may lead to where no such file is
                is_plain = is_here and realpath(last, strict=True) == last
        if is_plain:
            return file
        os.close(file)
        raise OSError(errno.EINVAL, "not a plain file", name)

    def walk(
        self,
        failed: list[tuple[str, OSError | ValueError]],
        enter: Callable[[str], bool] = lambda name: True,
        below: str = "",
        deepest: int = MAX_FOLDERS,
    ) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Give each entry below, with its name from the directory, in no order.

        ``enter`` decides which folders are listed as well; links never are. An
        entry can be asked about its file only until the next one is taken. To
        ``failed`` are added the folders that cannot be listed, such as "a/b/",
        or "" for the directory, and those nested more than ``deepest`` deep.
        """
        waiting = [f"{below}/".lstrip("/")]
        while waiting:
            folder = waiting.pop()
            try:
                if folder.count("/") > deepest:
                    what = f"it is nested more than {deepest} folders deep"
                    raise OSError(errno.ELOOP, what)
                with (
                    self._parent(f"{folder}.") as (above, path),
                    os.scandir(path if above is None else above) as entries,
                ):
                    for entry in entries:
                        name = folder + entry.name
                        yield name, entry
                        if entry.is_dir(follow_symlinks=False) and enter(name):
                            waiting.append(f"{name}/")
            except (OSError, ValueError) as error:
                failed.append((folder, error))

    @contextmanager
    def _parent(self, name: str) -> Iterator[tuple[int | None, str]]:
        """Give the open folder that a file is in, and the file's name there.

        Without descriptors that is no folder, and the whole path.
        """
        *parts, last = name.split("/")
        for part in (*parts, last):
            # on Windows, a drive or a backslash leads elsewhere, too
            if part in ("", "..") or basename(part) != part:
                raise OSError(errno.EINVAL, "it leads out, or nowhere", name)
        if not BY_DESCRIPTOR:
            path = self.real.joinpath(*parts)
            if realpath(path) != str(path):
                raise OSError(errno.ELOOP, "a link is in its place", str(path))
            yield None, str(path / last)
            return
        parts = [*self.real.parts, *parts]
        folder = os.open("/", _FOLDER)
        try:
            for number, part in enumerate(parts, 1):
                flags = _THROUGH if number < len(parts) else _FOLDER
                above, folder = folder, os.open(part, flags, dir_fd=folder)
                os.close(above)
            yield folder, last
        finally:
            os.close(folder)


def plain(path: str, flags: int) -> int:
    """Open a file that a person has named, wherever links lead: the opener of
    an ``open``. Raises OSError for what is no plain file.
    """
    real = Path(realpath(path))
    return Folder(real.parent).open(real.name, flags)


def temporary(name: str, writer: str = "") -> str:
    """Name the file that is to take the place of another one; whoever looks
    for that one finds it, too.
    """
    above, slash, last = name.rpartition("/")
    # 50 characters fit into the 255 bytes of a name in any script
    return f"{above}{slash}.memlab-{last[:50]}{writer}.tmp"


def append_durably(file: int, data: bytes, *, durable: bool = True) -> None:
    """Add data to the end of an open file, completely or not at all; it is on
    the disk when this returns.

    On a full disk it raises OSError, and removes the part that was written:
    what is added next would otherwise continue half a line.
    """
    size = os.fstat(file).st_size
    try:
        with open(file, "ab", closefd=False) as target:
            target.write(data)
        if durable:
            os.fsync(file)
    except OSError:
        os.ftruncate(file, size)
        raise

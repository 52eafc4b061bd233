"""Stand-ins for a store's folder: one that stops, fails, is full or loses power at a chosen
operation.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from memlab.memdir import store as store_module
from memlab.memdir.folder import PRIVATE_FILE, Folder
from tests.fast_start import scratch_folder


class Stopped(BaseException):
    """The process is gone: no ``except Exception`` sees it, and no later operation happens."""


class Disk(Folder):
    """A folder that notes each operation that changes something, before it happens.

    From operation ``stop`` (from 1) on, nothing happens any more; if that is ``torn``, half of what
    it was to write is written first. Operation ``fails`` raises an error, and so do all later
    ones if that is ``lasting``. There is ``room`` for so many bytes. A ``locked`` file cannot be
    replaced, as on Windows while somebody has it open.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, durable=False)
        self.steps: list[tuple[str, str]] = []
        self.stop = self.fails = self.room = 10**9
        self.torn = self.lasting = False
        self.locked = ""
        self.before_rename: Callable[[str], None] = lambda new: None

    def create(self, name: str, data: bytes, mtime: int, mode: int = PRIVATE_FILE) -> None:
        if self.torn and len(self.steps) + 1 == self.stop:
            super().create(name, data[: len(data) // 2], mtime, mode)
        self._step("create", name)
        part = self._that_fits(data)
        super().create(name, part, mtime, mode)
        self._fail_if_full(part, data)

    def append(self, name: str, data: bytes) -> None:
        if self.torn and len(self.steps) + 1 == self.stop:
            with open(self.real / name, "ab") as file:
                file.write(data[: len(data) // 2])
        self._step("append", name)
        self._fail_if_full(self._that_fits(data), data)
        super().append(name, data)

    def rename(self, name: str, new: str) -> None:
        self._step("rename", new)
        self.before_rename(new)
        if new == self.locked:
            raise PermissionError(errno.EACCES, "in use", new)
        super().rename(name, new)

    def remove(self, name: str) -> None:
        self._step("remove", name)
        super().remove(name)

    def sync(self, below: str = "") -> None:
        self._step("sync", below)
        super().sync(below)

    def make(self, below: str = "") -> None:
        self._step("make", below)
        super().make(below)

    def _step(self, name: str, file: str) -> None:
        if len(self.steps) + 1 >= self.stop:
            raise Stopped(f"before operation {self.stop}: {name} {file}")
        self.steps.append((name, file))
        number = len(self.steps)
        if number == self.fails or (self.lasting and number > self.fails):
            raise OSError(errno.EIO, os.strerror(errno.EIO), file)

    def _that_fits(self, data: bytes) -> bytes:
        fits = data[: max(self.room, 0)]
        self.room -= len(data)
        return fits

    def _fail_if_full(self, part: bytes, data: bytes) -> None:
        if len(part) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class PowerCut(Disk):
    """A disk that has, after a power cut, only the names that were brought to it.

    What is in a file is on the disk when ``create`` and ``append`` return; that a file is there is
    known when its folder is synced.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.known: dict[str, dict[str, tuple[bytes, int] | None]] = {}
        for folder, _, _ in os.walk(path):
            self._note(Path(folder).relative_to(path).as_posix())

    def sync(self, below: str = "") -> None:
        super().sync(below)
        self._note(below)

    def make(self, below: str = "") -> None:
        missing = [one for one in (self.real / below / "x").parents if not one.exists()]
        super().make(below)
        for folder in missing:  # which is synced, and so is the folder above it
            for one in (folder, folder.parent):
                if one.is_relative_to(self.real):
                    self._note(one.relative_to(self.real).as_posix())

    def survivors(self, target: Path, below: str = "") -> None:
        """Build in ``target`` what is left."""
        target.mkdir(parents=True)
        for name, file in self.known.get(below, {}).items():
            if file is None:
                self.survivors(target / name, f"{below}/{name}".lstrip("/"))
            else:
                data, mtime = file
                (target / name).write_bytes(data)
                os.utime(target / name, ns=(mtime, mtime))

    def _note(self, below: str) -> None:
        below = below.removeprefix(".") if below == "." else below
        found: dict[str, tuple[bytes, int] | None] = {}
        for one in (self.real / below).iterdir():
            is_file = one.is_file()
            found[one.name] = (one.read_bytes(), one.stat().st_mtime_ns) if is_file else None
        self.known[below] = found


@contextmanager
def used_by_stores(disk: Disk) -> Iterator[None]:
    """Have every store that is opened for the disk's directory use the disk."""

    def folder(path: Path, *, durable: bool = True) -> Folder:
        return disk if Path(path) == disk.path else Folder(path, durable=durable)

    with mock.patch.object(store_module, "Folder", folder):
        yield


def in_memory() -> Path | None:
    """Give a directory that is no disk, where the system has one; None: the usual place will do."""
    return scratch_folder()


def copy_tree(source: Path, target: Path) -> Path:
    """Copy a directory with its times to the nanosecond."""
    shutil.copytree(source, target)
    return target


def tree(directory: Path) -> dict[str, tuple[bytes, int]]:
    """Give every file outside ``.memlab`` with its bytes and its mtime."""
    found = {}
    for folder, below, names in os.walk(directory):
        below[:] = sorted(set(below) - {".memlab"})
        for path in (Path(folder, name) for name in sorted(names)):
            name = path.relative_to(directory).as_posix()
            found[name] = (path.read_bytes(), path.stat().st_mtime_ns)
    return found


def leftovers(directory: Path) -> list[Path]:
    """Name what was prepared and never put into place."""
    return [*directory.rglob("*.new"), *directory.rglob("*.tmp")]

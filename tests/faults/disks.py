"""A store's folder that stops, fails, is full or loses power at a chosen operation, and the points
at which that is tried.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from unittest import mock

import pytest

from memlab.memdir import store as store_module
from memlab.memdir.folder import Folder

# Of all points at which something can go wrong: a tenth in the tier all, each in nightly.
TENTH_AND_ALL = [pytest.param(10, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.soak)]


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

    def create(self, name: str, data: bytes, mtime: int, mode: int | None = None) -> None:
        self._will_write("create", name, data)
        super().create(name, data, mtime, mode)

    def append(self, name: str, data: bytes) -> None:
        self._will_write("append", name, data)
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

    def _will_write(self, how: str, name: str, data: bytes) -> None:
        self.room -= len(data)
        stops = self.torn and len(self.steps) + 1 == self.stop
        if stops or (how == "create" and self.room < 0):
            (self.real / name).parent.mkdir(parents=True, exist_ok=True)
            with (self.real / name).open("ab") as file:
                file.write(data[: len(data) // 2])
        self._step(how, name)
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class PowerCut(Disk):
    """A disk that has, after a power cut, only the names that were brought to it.

    What is in a file is on the disk when ``create`` and ``append`` return; that a file is there is
    known when its folder is synced.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.known: dict[Path, dict[str, tuple[bytes, int] | None]] = {}
        for folder, _, _ in os.walk(path):
            self._note(Path(folder))

    def sync(self, below: str = "") -> None:
        super().sync(below)
        self._note(self.real / below)

    def make(self, below: str = "") -> None:
        missing = [one for one in (self.real / below / "x").parents if not one.exists()]
        super().make(below)
        for folder in missing:  # which is synced, and so is the folder above it
            self._note(folder)
            self._note(folder.parent)

    def survivors(self, target: Path, folder: Path | None = None) -> Path:
        """Build in ``target`` what is left."""
        target.mkdir(parents=True)
        for name, file in self.known.get(folder or self.real, {}).items():
            if file is None:
                self.survivors(target / name, (folder or self.real) / name)
            else:
                (target / name).write_bytes(file[0])
                os.utime(target / name, ns=(file[1],) * 2)
        return target

    def _note(self, folder: Path) -> None:
        self.known[folder] = {one.name: _seen(one) for one in folder.iterdir()}


def _seen(path: Path) -> tuple[bytes, int] | None:
    return (path.read_bytes(), path.stat().st_mtime_ns) if path.is_file() else None


def stopped(
    work: Callable[[Disk], object],
    fresh: Callable[[], Path],
    every: int = 1,
    kind: Callable[[Path], Disk] = Disk,
    torn: bool = False,
) -> Iterator[Disk]:
    """Stop some work on a fresh directory before each operation, or each ``every``-th."""
    for number in count(1, every):
        disk = kind(fresh())
        disk.stop, disk.torn = number, torn
        try:
            work(disk)
        except Stopped:
            yield disk
        else:
            assert number > 15, "there was something to stop"
            return


@contextmanager
def used_by_stores(disk: Disk) -> Iterator[None]:
    """Have every store that is opened for the disk's directory use the disk."""

    def folder(path: Path, *, durable: bool = True) -> Folder:
        return disk if Path(path) == disk.path else Folder(path, durable=durable)

    with mock.patch.object(store_module, "Folder", folder):
        yield


def tree(directory: Path) -> dict[str, tuple[bytes, int]]:
    """Give every file outside ``.memlab`` with its bytes and its mtime."""
    found = {one.relative_to(directory): _seen(one) for one in sorted(directory.rglob("*"))}
    return {
        one.as_posix(): seen for one, seen in found.items() if seen and ".memlab" not in one.parts
    }


def leftovers(directory: Path) -> list[Path]:
    """Name what was prepared and never put into place."""
    return [*directory.rglob("*.new"), *directory.rglob("*.tmp")]

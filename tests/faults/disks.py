"""Stand-ins for the store's file calls: one that stops, fails or loses power at a chosen call.

All are handed to ``MemoryStore(files=…)``. They count every call, so that a test can visit each.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

from memlab.bridge import RealFiles
from memlab.cli.test import scratch_folder
from memlab.memdir.folder import Found

CHANGING = {
    "write",
    "append",
    "cut",
    "set_mtime",
    "sync",
    "sync_directory",
    "replace",
    "remove",
    "make_directory",
}


class Stopped(BaseException):
    """The process is gone: no ``except Exception`` sees it, and no later file call happens."""


class Watched:
    """Real file calls, each noted before it is made."""

    def __init__(self) -> None:
        self.real = RealFiles()
        self.held = self.real.held  # no call with a path
        self.trace: list[tuple[str, Path]] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.real, name)

        def call(path: Path, *rest: Any, **more: Any) -> Any:
            self.trace.append((name, path))
            return self.step(name, partial(method, **more), path, *rest)

        return call

    def step(self, name: str, method: Callable[..., Any], path: Path, *rest: Any) -> Any:
        return method(path, *rest)

    @property
    def files(self) -> RealFiles:
        """This object, under the type the store asks for."""
        return cast(RealFiles, self)


class Stopping(Watched):
    """Stops before call ``number`` (from 1); ``torn`` first writes half of what it was to write."""

    def __init__(self, number: int, *, torn: bool = False) -> None:
        super().__init__()
        self.number = number
        self.torn = torn

    def step(self, name: str, method: Callable[..., Any], path: Path, *rest: Any) -> Any:
        if len(self.trace) >= self.number:
            if len(self.trace) == self.number and self.torn and name in ("write", "append"):
                data, *more = rest
                method(path, data[: len(data) // 2], *more)
            raise Stopped(f"before call {self.number}: {name} {path.name}")
        return method(path, *rest)


class Failing(Watched):
    """Raises an error at call ``number`` and at every later one that would change something."""

    def __init__(self, number: int, error: int) -> None:
        super().__init__()
        self.number = number
        self.error = error

    def step(self, name: str, method: Callable[..., Any], path: Path, *rest: Any) -> Any:
        if len(self.trace) >= self.number and name in CHANGING:
            fail(self.error, name, method, path, *rest)
        return method(path, *rest)


def fail(error: int, name: str, method: Callable[..., Any], path: Path, *rest: Any) -> None:
    """Raise an error; a full disk takes half of what was to be written first."""
    if name in ("write", "append"):
        data, *more = rest
        method(path, data[: len(data) // 2], *more)
    raise OSError(error, os.strerror(error), str(path))


@dataclass
class _Node:
    """A file or directory as the disk knows it: what is synced, and the names that are."""

    data: Found = field(default_factory=lambda: Found(b""))
    synced_names: dict[str, _Node] | None = None
    names: dict[str, _Node] | None = None


class PowerCut(Stopping):
    """Stops before a call, and forgets what was not brought to the disk by then.

    ``fail_at`` is the number of a call to fail, once, and its error.

    ``survivors(target, names, data)`` builds what the disk may hold after the power came back:
    for names and data separately, either all that was ever written, or only what was synced.
    """

    def __init__(self, root: Path, number: int) -> None:
        super().__init__(number)
        self.fail_at = (0, 0)
        self.root = root
        self.top = self._load(root)

    def _load(self, path: Path) -> _Node:
        if path.is_dir():
            names = {child.name: self._load(child) for child in sorted(path.iterdir())}
            return _Node(synced_names=dict(names), names=names)
        return _Node(self.real.read(path))

    def _node(self, path: Path) -> _Node:
        node = self.top
        for part in path.relative_to(self.root).parts:
            assert node.names is not None
            node = node.names[part]
        return node

    def step(self, name: str, method: Callable[..., Any], path: Path, *rest: Any) -> Any:
        number, error = self.fail_at
        if len(self.trace) == number:
            try:
                fail(error, name, method, path, *rest)
            finally:
                if name in ("write", "append"):
                    self._follow(name, path, rest)
        result = super().step(name, method, path, *rest)
        if name in CHANGING and path != self.root.parent:
            self._follow(name, path, rest)
        return result

    def _follow(self, name: str, path: Path, rest: tuple[Any, ...]) -> None:
        if name == "sync":
            self._node(path).data = self.real.read(path)
            return
        if name == "sync_directory":
            node = self._node(path)
            node.synced_names = dict(node.names or {})
            return
        if name == "remove" and not path.parent.is_dir():
            return
        siblings = self._node(path.parent).names
        assert siblings is not None
        if name == "make_directory":
            siblings.setdefault(path.name, _Node(synced_names={}, names={}))
        elif name == "write":
            siblings[path.name] = _Node()
        elif name == "append":
            siblings.setdefault(path.name, _Node())
        elif name == "remove":
            siblings.pop(path.name, None)
        elif name == "replace":
            moved = siblings.pop(path.name)
            target = self._node(rest[0].parent).names
            assert target is not None
            target[rest[0].name] = moved

    def survivors(self, target: Path, *, names: str, data: str) -> None:
        """Build in ``target`` what is left; ``names`` and ``data`` are "all" or "synced"."""
        live = {id(node): found for node, found in self._live(self.root, self.top)}
        self._build(target, self.top, live if data == "all" else {}, names == "synced")

    def _live(self, path: Path, node: _Node) -> list[tuple[_Node, Found]]:
        if node.names is None:
            return [(node, self.real.read(path))]
        below = (self._live(path / name, child) for name, child in node.names.items())
        return list(itertools.chain.from_iterable(below))

    def _build(self, path: Path, node: _Node, live: dict[int, Found], synced: bool) -> None:
        names = node.synced_names if synced else node.names
        if names is None:
            found = live.get(id(node), node.data)
            path.write_bytes(found.data or b"")
            os.utime(path, ns=(found.mtime, found.mtime))
            return
        path.mkdir()
        for name, child in names.items():
            self._build(path / name, child, live, synced)


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

"""The memories of a directory, each parsed once for every version of its file,
and indexed.

An edit by hand is noticed even if size and mtime are as before: the system
sets a file's ctime at every change, and nobody can set it back. A file that
changed within the last moment is read again, because its next change could get
the same ctime. On Windows ctime is the time of creation, so every file is read
every time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memlab.errors import MemoryFormatError
from memlab.memdir.memory import Memory, parse_memory
from memlab.memdir.similar import OtherMemories, SimilarMemories

# nanoseconds; the coarsest time stamps that file systems have
TIME_STEP = 2_000_000_000
Stamp = tuple[int, ...]


@dataclass(frozen=True)
class _Version:
    """A file as it was read; ``memory`` is None if it is no memory, ``place``
    is in the index.

    ``stamp`` is None if the file has to be read again.
    """

    stamp: Stamp | None
    data: bytes
    memory: Memory | None
    place: int


class MemoryCache:
    """What the files of a directory say; ``read`` gives the bytes of one, None
    if it is gone.
    """

    def __init__(
        self,
        directory: Path,
        read: Callable[[Path], bytes | None],
        *,
        parse: Callable[..., Memory] = parse_memory,
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        self._directory = directory
        self._read = read
        self._parse = parse
        self._now = now
        self._versions: dict[str, _Version] = {}
        self._similar = SimilarMemories()
        self._free: list[int] = []
        self._names: dict[int, str] = {}

    def update(self, names: Iterable[str]) -> dict[str, Memory]:
        """Read what has changed among the named files, and give all memories
        in their order.
        """
        found: dict[str, Memory] = {}
        seen: dict[str, _Version] = {}
        top = os.path.join(self._directory, "")
        for name in names:
            version = self._versions.get(name)
            if (
                version is None
                or version.stamp is None
                or version.stamp != _stamp(top + name)
            ):
                version = self._read_again(name)
            if version is not None:
                seen[name] = version
                if version.memory is not None:
                    found[name] = version.memory
        for name in self._versions.keys() - seen.keys():
            self._drop(name)
        self._versions = seen
        return found

    def others_than(
        self,
        new: Mapping[str, Memory],
        *,
        without: Collection[str],
        known: dict[str, Memory],
    ) -> Callable[[Memory], OtherMemories]:
        """Give a function from one of the ``new`` memories to all others, for
        ``rules.check``.

        ``known`` is what ``update`` gave. The files ``without`` are about to
        be replaced or removed, so what they said so far does not count. The
        new memories come last.
        """
        texts = list(new.values())
        written = SimilarMemories()
        for place, text in enumerate(texts):
            written.add(place, text)
        replaced = [
            self._versions[name].place for name in without if name in known
        ]

        def others(memory: Memory) -> OtherMemories:
            def everything() -> list[Memory]:
                kept = [
                    other
                    for name, other in known.items()
                    if name not in without
                ]
                return [*kept, *(text for text in texts if text is not memory)]

            def search(wanted: Memory) -> list[Memory]:
                places = self._similar.most_similar(wanted, without=replaced)
                names = {self._names[place] for place in places}
                last = next(
                    (name for name in reversed(known) if name in names), None
                )
                itself = [
                    place for place, text in enumerate(texts) if text is memory
                ]
                among_new = written.most_similar(wanted, without=itself)
                found = [] if last is None else [known[last]]
                return found + [texts[place] for place in among_new[-1:]]

            return OtherMemories(everything, search)

        return others

    def _read_again(self, name: str) -> _Version | None:
        path = self._directory / name
        begun = self._now()
        stamp = _stamp(str(path))
        try:
            data = self._read(path)
        # far too large to be a memory, so nothing of it was read
        except MemoryFormatError:
            data = b""
        if stamp is None or data is None:
            return None
        changed = stamp[-1]
        settled = (
            stamp if begun - changed > TIME_STEP and os.name != "nt" else None
        )
        known = self._versions.get(name)
        if known is not None:
            if known.data == data:
                version = _Version(settled, data, known.memory, known.place)
                self._versions[name] = version
                return version
            self._drop(name)
        version = self._parsed(name, data, settled)
        self._versions[name] = version
        return version

    def _parsed(self, name: str, data: bytes, stamp: Stamp | None) -> _Version:
        memory = None
        with suppress(MemoryFormatError):
            memory = self._parse(data, path=Path(name))
        place = -1
        if memory is not None:
            place = self._free.pop() if self._free else len(self._names)
            self._names[place] = name
            self._similar.add(place, memory)
        return _Version(stamp, data, memory, place)

    def _drop(self, name: str) -> None:
        version = self._versions.pop(name)
        if version.memory is not None:
            self._similar.remove(version.place, version.memory)
            del self._names[version.place]
            self._free.append(version.place)


def _stamp(path: str) -> Stamp | None:
    """Tell one version of a file from another; the last part is its ctime.
    None: it is gone.
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    return (
        status.st_ino,
        status.st_dev,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )

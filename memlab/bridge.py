"""Old names as a few lines on the new modules, for callers that are rewritten
later.

Sorted by old module. No new module imports this, and the list only shrinks.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from memlab.errors import MemoryFormatError, MemoryPathError
from memlab.memdir import names
from memlab.memdir.folder import BY_DESCRIPTOR, SWAPPED, Folder, Found
from memlab.memdir.scan import LARGEST

# memdir.descriptors: for notebook 07


def walk_down(folder: int, parts: Sequence[str]) -> int:
    """Open the folder that some names below an open one lead to."""
    held = os.dup(folder)
    for part in parts:
        above = held
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        held = os.open(part, flags, dir_fd=above)
        os.close(above)
    return held


# memdir.files: one call per step, for move and landscape
MARKDOWN_BYTES = LARGEST


class RealFiles:
    """The file calls, by whole paths; nothing is synced but by ``sync``."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = None if root is None else Folder(root, durable=False)

    def _at(self, path: Path) -> tuple[Folder, str]:
        root, text = self._root, str(path)
        prefix = f"{root.path}{os.sep}" if root is not None else text
        if root is None or not text.startswith(prefix):
            return self._anchored(path)
        return root, text[len(prefix) :].replace(os.sep, "/")

    def _anchored(self, path: Path) -> tuple[Folder, str]:
        root = self._root
        if root is not None and path.is_relative_to(root.path):
            real = root.real / path.relative_to(root.path)
        else:
            real = Path(os.path.realpath(path.parent)) / path.name
        name = real.relative_to(real.anchor).as_posix()
        return Folder(real.anchor, durable=False), name

    def read(self, path: Path) -> Found:
        """Read a file, unless it is a far too large memory."""
        folder, name = self._at(path)
        found = folder.read(
            name, MARKDOWN_BYTES + 1 if path.suffix == ".md" else -1
        )
        if path.suffix == ".md" and len(found.data or b"") > MARKDOWN_BYTES:
            what = "this is larger than 20 MB, so it is not read"
            do = "Split it, or move it away"
            raise MemoryFormatError(what, where=path, do=do)
        return found

    def write(self, path: Path, data: bytes, mode: int | None = None) -> None:
        """Make a new file."""
        folder, name = self._at(path)
        folder.create(name, data, time.time_ns(), mode or 0o600)

    def append(self, path: Path, data: bytes, mode: int = 0o600) -> None:
        """Add bytes to the end of a file."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        with (
            self.open(path, flags, mode) as file,
            open(file, "ab", closefd=False) as target,
        ):
            target.write(data)

    def cut(self, path: Path, size: int) -> None:
        """Cut a file to its first ``size`` bytes."""
        with self.open(path, os.O_WRONLY) as file:
            os.ftruncate(file, size)

    def set_mtime(self, path: Path, mtime: int) -> None:
        """Set when a file was last changed, in nanoseconds."""
        with self.open(path, os.O_RDONLY) as file:
            os.utime(file if BY_DESCRIPTOR else path, ns=(mtime, mtime))

    def sync(self, path: Path) -> None:
        """Return when a file is on the disk."""
        flags = os.O_RDWR if os.name == "nt" else os.O_RDONLY
        with self.open(path, flags) as file:
            os.fsync(file)

    def sync_directory(self, path: Path) -> None:
        """Return when the names in a directory are on the disk."""
        folder, name = self._anchored(path)
        Folder(folder.path).sync(name)

    def replace(self, source: Path, target: Path) -> None:
        """Give ``source`` the name ``target``."""
        folder, name = self._anchored(source)
        folder.rename(name, self._anchored(target)[1])

    def remove(self, path: Path) -> None:
        """Remove a file, if it is there."""
        folder, name = self._at(path)
        folder.remove(name)

    def make_directory(self, path: Path, mode: int) -> bool:
        """Make a directory, and say whether it is new."""
        is_new = not os.path.lexists(path)
        if not is_new and (path.is_symlink() or not path.is_dir()):
            raise NotADirectoryError(
                errno.ENOTDIR, "not a directory", str(path)
            )
        folder, name = self._at(path)
        folder.make(name)
        if is_new and mode & 0o077:
            os.chmod(path, mode)
        return is_new

    def walk(self, directory: Path, *, hidden: bool = False) -> Iterator[str]:
        """Name the plain files below a directory, sorted."""
        root, below = self._root, ""
        if root is None or not directory.is_relative_to(root.path):
            root = Folder(directory)
        elif directory != root.path:
            below = directory.relative_to(root.path).as_posix()
        failed: list[tuple[str, OSError | ValueError]] = []
        found = [
            name.removeprefix(f"{below}/").split("/")
            for name, entry in root.walk(
                failed,
                lambda name: hidden or "/." not in f"/{name}"[len(below) :],
                below,
            )
            if entry.is_file(follow_symlinks=False)
        ]
        for name, error in failed:
            if isinstance(error, ValueError):
                raise error
            if error.errno not in (errno.ENOENT, *SWAPPED):
                error.filename = os.path.join(root.path, name).rstrip("/")
                raise error
        yield from ("/".join(parts) for parts in sorted(found))

    @contextmanager
    def open(self, path: Path, flags: int, mode: int = 0o666) -> Iterator[int]:
        """Open a plain file."""
        folder, name = self._at(path)
        file = folder.open(name, flags, mode)
        try:
            yield file
        finally:
            os.close(file)


# memdir.path_safety: a directory's path in place of its Folder


def memory_file(
    directory: Path, file: str | Path, *, or_index: bool = False
) -> str:
    """Give a memory's name below its directory."""
    typed = file.as_posix() if isinstance(file, Path) else file
    return names.memory_file(Folder(directory), typed, or_index=or_index)


def resolve_memory_path(directory: Path, path: str) -> Path:
    """Give the place of a file below the directory."""
    return directory / names.plain_file(Folder(directory), path)


def open_inside(directory: Path, path: str) -> int:
    """Check a path and open its file for reading."""
    folder = Folder(directory)
    try:
        return folder.open(names.plain_file(folder, path))
    except OSError as error:
        if error.errno not in SWAPPED:
            raise
        what = "something else has come into its place since it was looked at"
        do = "Look what is there"
        raise MemoryPathError(what, where=ascii(path), do=do) from error


# memdir.project_facts: the harness, until it reads requests by evidence


def without_request(text: str) -> str:
    """Give a text without "Remember:" and the like at its beginning."""
    return _REQUEST.sub("", text.strip())


_REQUEST = re.compile(
    r"(?i)^(?:(?:please\s+)?(?:remember|note|fyi|merke?\s+dir|notiere?"
    r"|souviens-toi|retiens)\b\s*(?:that|dass|que)?\s*[:,]?\s*"
    r"|just\s+so\s+you\s+know\b[:,]?\s*)"
)


# models.connect: a client without ``await``, for lab, bare_sessions, evals and
# landscape


class SyncClient:
    """Waits for the calls of a client, which run in a thread of their own."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._loop = loop = asyncio.new_event_loop()
        self.messages = self
        self.with_raw_response = SyncClient.Raw(self)
        threading.Thread(target=_serve, args=(loop,), daemon=True).start()
        weakref.finalize(self, loop.call_soon_threadsafe, loop.stop)

    def wait(self, call: Any) -> Any:
        """Wait for one call."""
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()

    def create(self, **body: Any) -> Any:
        """Ask for one message."""
        return self.wait(self._client.messages.create(**body))

    class Raw:
        """The same, with the headers of the response."""

        def __init__(self, sync: SyncClient) -> None:
            self._sync = sync

        def create(self, **body: Any) -> Any:
            """Ask for one message."""
            raw = self._sync._client.messages.with_raw_response
            answer = self._sync.wait(raw.create(**body))
            message = self._sync.wait(answer.parse())
            return SimpleNamespace(
                headers=answer.headers, parse=lambda: message
            )


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()

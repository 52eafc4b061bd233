"""The files of a memory directory, with a count of what is asked of them.

A scan is judged by the files that it opens and the bytes that it reads, and
not by seconds, which differ from machine to machine.
"""

from __future__ import annotations

import os
from pathlib import Path

from memlab.memdir import scan
from memlab.memdir.folder import Folder
from memlab.memdir.scan import may_contain_memories
from memlab.settings import Settings


class CountedFiles:
    """The memory files below a directory.

    ``stats``, ``opened`` and ``bytes_read`` say how often the time of a file
    was asked for, how many files were opened, and how many bytes of them were
    returned. Links are not followed.
    """

    def __init__(
        self, directory: Path | str, settings: Settings | None = None
    ) -> None:
        self.directory = Path(directory)
        self.stats = 0
        self.opened = 0
        self.bytes_read = 0
        self._limit = settings or Settings()

    def names(self) -> list[str]:
        """List the memory files by their paths below the directory; nothing is
        opened.
        """
        entries = Folder(self.directory).walk([], may_contain_memories)
        found = [
            name
            for name, entry in entries
            if scan.is_memory_file(name)
            and entry.is_file(follow_symlinks=False)
        ]
        return sorted(found)

    def mtime(self, name: str) -> float:
        """Return when a file was last written, in seconds since 1970."""
        self.stats += 1
        return self._stat(name).st_mtime

    def head(self, name: str) -> str:
        """Open a file and return its first lines, as many as a scan reads.

        Raises OSError, and UnicodeDecodeError for a file that is not text.
        """
        start = self._read(name, self._limit.scan_header_bytes)
        if len(start) == self._limit.scan_header_bytes:
            start = start[: start.rfind(b"\n") + 1]
        lines = start.splitlines(keepends=True)
        return self._counted(b"".join(lines[: self._limit.scan_header_lines]))

    def whole(self, name: str) -> str:
        """Open a file and return all of it; raises what ``head`` raises."""
        return self._counted(self._read(name))

    def _read(self, name: str, most: int = -1) -> bytes:
        data = Folder(self.directory).read(name, most).data
        if data is None:
            raise FileNotFoundError(name)
        return data

    def _stat(self, name: str) -> os.stat_result:
        return os.stat(self.directory / name, follow_symlinks=False)

    def _counted(self, data: bytes) -> str:
        self.opened += 1
        self.bytes_read += len(data)
        return data.decode("utf-8")

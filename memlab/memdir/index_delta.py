"""What the index has come to hold since the prompt was built; it goes into the turn instead.

The index in the system prompt stays as it was, so that the cached prefix holds. Left out: when the
prompt is built anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memlab.memdir.index import INDEX, parse_pointers
from memlab.memdir.instructions import INDEX_BYTES, read_prompt_file
from memlab.memdir.scan import one_line
from memlab.text import system_reminder

NEWS_LINES = 20


class IndexNews:
    """Compares the index with ``known``, what the conversation has seen of it so far."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.known: dict[str, str] = {}

    def start_over(self) -> None:
        """Take the index as known, since a fresh prompt holds it."""
        self.known = self._pointers()

    def collect(self) -> list[str]:
        """Give lines that tell what is new and what is gone, and take that as known."""
        now, known, self.known = self._pointers(), self.known, self._pointers()
        new = [line for file, line in now.items() if known.get(file) != line]
        gone = [file for file in known if file not in now]
        told = ["New in the index of your memory:", *new[:NEWS_LINES]] if new else []
        told += [f"There are {len(new) - NEWS_LINES} more: read it."] if new[NEWS_LINES:] else []
        told += [f"No longer in memory, do not rely on it: {', '.join(gone)}"] if gone else []
        return told

    def _pointers(self) -> dict[str, str]:
        path = self._directory / INDEX
        file = read_prompt_file(path, inside=self._directory, most=INDEX_BYTES)
        found = parse_pointers(file.text)
        return {one.file: f"- [{one.title}]({one.file}) — {one.hook}" for one in found}


def reminder(lines: Iterable[str]) -> str:
    """Put lines into a reminder, which none of them can end by itself."""
    return system_reminder("\n".join(map(one_line, lines)))

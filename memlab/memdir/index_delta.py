"""What has changed in the index since the prompt was built; the next turn says
so.

The index in the system prompt stays as it was, so that the cached prefix keeps
its value.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memlab.memdir.index import INDEX, parse_pointers
from memlab.memdir.instructions import INDEX_BYTES, read_prompt_file
from memlab.memdir.scan import one_line
from memlab.text import system_reminder

MOST_LINES = 20


class IndexDelta:
    """Compares the index with ``known``, which is what the conversation has
    seen of it so far.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.known: dict[str, str] = {}

    def start_over(self) -> None:
        """Take the index as known, since a new prompt contains it."""
        self.known = self._pointers()

    def collect(self) -> list[str]:
        """Say in lines what is new and what is gone, and take that as known."""
        now, known, self.known = self._pointers(), self.known, self._pointers()
        new = [line for file, line in now.items() if known.get(file) != line]
        gone = [file for file in known if file not in now]
        lines: list[str] = []
        if new:
            lines += ["New in the index of your memory:", *new[:MOST_LINES]]
        if len(new) > MOST_LINES:
            lines.append(f"There are {len(new) - MOST_LINES} more: read it.")
        if gone:
            lines.append(
                f"No longer in memory, do not rely on it: {', '.join(gone)}"
            )
        return lines

    def _pointers(self) -> dict[str, str]:
        path = self._directory / INDEX
        file = read_prompt_file(path, inside=self._directory, most=INDEX_BYTES)
        found = parse_pointers(file.text)
        return {
            one.file: f"- [{one.title}]({one.file}) — {one.hook}"
            for one in found
        }


def reminder(lines: Iterable[str]) -> str:
    """Put lines into a reminder, which none of them can end by itself."""
    return system_reminder("\n".join(map(one_line, lines)))

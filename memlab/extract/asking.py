"""What the extractor is told: the prompt filled in, and when each message was written.

Whatever people, files or memories say stays on lines that begin with ``- `` or ``> ``, so no text
can pass for a part of the prompt. Left out: the messages themselves, which the fork carries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from memlab.memdir.attribution import Attribution
from memlab.memdir.scan import MemoryHeader, format_manifest, one_line
from memlab.prompts import load_prompt
from memlab.settings import Settings
from memlab.text import shorten

FIRST_WORDS = 80
HEAD_BYTES, BLOCK_BYTES = 4_096, 65_536


class TranscriptTimes:
    """Tells when a message was written, by its uuid; reads a session's transcript as it grows."""

    def __init__(self, path: Path) -> None:
        self._path, self._read = path, 0
        self._times: dict[str, datetime] = {}

    def __call__(self, uuid: str) -> datetime | None:
        """Give a message's time, None where the transcript does not hold it."""
        if uuid not in self._times:
            with suppress(OSError), self._path.open("rb") as file:
                file.seek(self._read)
                while head := file.readline(HEAD_BYTES):
                    end = head
                    while end and not end.endswith(b"\n"):
                        end = file.readline(BLOCK_BYTES)
                    if not end:
                        break  # the last line is still being written
                    self._read = file.tell()
                    self._take(head)
        return self._times.get(uuid)

    def _take(self, head: bytes) -> None:
        """Note a message's time from the head of its line, where its name and time are."""
        name = re.search(rb'"uuid":\s*"([^"\\]+)"', head)
        time = re.search(rb'"timestamp":\s*"([^"\\]+)"', head)
        if name and time:
            with suppress(ValueError):
                moment = datetime.fromisoformat(time[1].decode("utf-8", "replace"))
                self._times.setdefault(name[1].decode("utf-8", "replace"), moment)


def extraction_prompt(
    heard: Attribution,
    directory: str,
    headers: Iterable[MemoryHeader],
    *,
    instructions: str,
    settings: Settings,
) -> str:
    """Fill in the prompt over what was heard; ``directory`` as the model may see it."""
    messages = (
        f"- {one.place} of {heard.count}, {one.at:%Y-%m-%dT%H:%M:%SZ}: "
        f"{shorten(one_line(one.text), FIRST_WORDS)}"
        for one in heard.said
    )
    return load_prompt(
        "extract",
        count=str(heard.count),
        directory=directory,
        messages="\n".join(messages),
        manifest=format_manifest(headers, settings) or "(none)",
        instructions="\n".join(f"> {line}" for line in instructions.splitlines()) or "(nothing)",
        turns=str(settings.extract_max_turns),
    )

"""What the extractor is told: the prompt filled in, and when each message was written.

Whatever people, files or memories say stays on lines that begin with ``- `` or ``> ``, so no text
can pass for a part of the prompt. Left out: the messages themselves, which the fork carries.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from memlab.extract.heard import Heard
from memlab.memdir.scan import MemoryHeader, format_manifest, one_line
from memlab.prompts import load_prompt
from memlab.settings import Settings
from memlab.text import shorten

FIRST_WORDS = 80


class TranscriptTimes:
    """Tells when a message was written, by its uuid; reads a session's transcript as it grows."""

    def __init__(self, path: Path) -> None:
        self._path, self._read = path, 0
        self._times: dict[str, datetime] = {}

    def __call__(self, uuid: str) -> datetime | None:
        """Give a message's time, None where the transcript does not hold it."""
        if uuid not in self._times:
            with suppress(OSError), self._path.open("rb") as lines:
                lines.seek(self._read)
                for line in lines:
                    self._take(line)
        return self._times.get(uuid)

    def _take(self, line: bytes) -> None:
        if line.endswith(b"\n"):
            self._read += len(line)
            with suppress(ValueError, TypeError, KeyError):  # a line of another form
                told = json.loads(line)
                self._times[told["uuid"]] = datetime.fromisoformat(told["timestamp"])


def extraction_prompt(
    heard: Heard,
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

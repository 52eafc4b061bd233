"""The transcript: a session as JSON lines, each message written the moment it exists.

Every line names the one before it, so the conversation is the chain that leads back from the last
line to the first message, or to the newest summary; what was taken back is not in it. Left out:
reading it back (``resume``).
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memlab.clock import Clock
from memlab.text import as_blocks


class Transcript:
    """A session's file, added to message by message, and the document of the whole conversation.

    ``parent`` is the uuid of the message that the next one follows. The document is written to
    ``document``, if given. What the disk does not take stands in ``problem`` and is not raised.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock,
        cwd: str,
        document: Path | None = None,
        parent: str | None = None,
    ) -> None:
        self.path, self.session, self.parent = path, path.stem, parent
        self._clock, self._cwd, self._document = clock, cwd, document
        self._created, self.problem = _stamp(clock.now()), ""
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            _end_last_line(path)

    def append(self, role: str, content: str | Sequence[Any], *, summary: bool = False) -> str:
        """Write one message and give its uuid; a summary begins a new chain."""
        self.parent = None if summary else self.parent
        return self._line(role, {"message": {"role": role, "content": content}})

    def take_back(self, parent: str | None) -> None:
        """Go on from an earlier message; what came after it stays in the file, out of the chain."""
        self.parent = parent
        self._line("rewind", {})

    def _line(self, kind: str, more: Mapping[str, Any]) -> str:
        uuid = self._clock.new_id()
        line = {
            "type": kind,
            "uuid": uuid,
            "parentUuid": self.parent,
            "sessionId": self.session,
            "timestamp": _stamp(self._clock.now()),
            "cwd": self._cwd,
            "isSidechain": False,
            **more,
        }
        if self._write(self.path, "ab", line):
            self.parent = uuid
        return uuid

    def save_document(self, messages: Sequence[Any], model: str, title: str | None = None) -> None:
        """Write the whole conversation to its document, all or nothing."""
        if self._document is None:
            return
        told = {
            "id": self.session,
            "created_at": self._created,
            "updated_at": _stamp(self._clock.now()),
            "messages": list(messages),
            "model": model,
            "title": title,
            "working_dir": self._cwd,
        }
        self._document.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._document.with_suffix(".tmp")
        if self._write(fresh, "wb", told):
            fresh.replace(self._document)

    def _write(self, path: Path, mode: str, told: Mapping[str, Any]) -> bool:
        data = json.dumps(told, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        try:
            with open(path, mode, buffering=0, opener=_for_this_person_alone) as target:
                size = target.tell()
                if target.write(data) < len(data):  # a disk that gets full takes what it can
                    target.truncate(size)
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            moment = nanoseconds(self._clock.now())
            os.utime(path, ns=(moment, moment))
            return True
        except OSError as error:
            self.problem = f"The session cannot be written down: {error.strerror}."
            return False


def unanswered(call: Any, why: str) -> dict[str, Any]:
    """Answer a tool call whose result there will never be."""
    return {"type": "tool_result", "tool_use_id": call, "content": why, "is_error": True}


def ids(message: Mapping[str, Any], kind: str, key: str) -> list[Any]:
    """List what the blocks of one kind in a message have under a key."""
    return [block.get(key) for block in as_blocks(message["content"]) if block["type"] == kind]


def _for_this_person_alone(path: str, flags: int) -> int:
    """Open a file that, if it is new, nobody else can read: people type secrets into a chat."""
    return os.open(path, flags, 0o600)


def nanoseconds(moment: datetime) -> int:
    """Give a moment as an mtime, exact to the microsecond."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1_000


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _end_last_line(path: Path) -> None:
    """Add the line end that a crash left out, so that the next message gets a line of its own."""
    with path.open("rb+") as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            file.write(b"" if file.read(1) == b"\n" else b"\n")

"""The transcript: a session as JSON lines, each message written the moment it
exists.

Every line names the one before it, so the conversation is the chain that leads
back from the last line to the first message, or to the newest summary; what
was taken back is not in it. A message that takes the place of the beginning,
with the newest messages kept beside it, names the first of these
(``keptFrom``): the chain leads on to that one, and ends there. Lines of type
``state`` are no part of the chain: the newest one says how the session stands.
Left out: reading it back (``resume``), and where messages are kept that are
off the record (``off_record``).
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memlab.agent.off_record import (
    drop_notes,
    hidden_session_file,
    placeholder,
    session_file,
    take_off_record,
    words_file,
)
from memlab.clock import Clock, to_nanoseconds
from memlab.memdir.folder import Folder
from memlab.text import as_blocks

STATE = "state"
HEAD_BYTES = 4_096
TIMES_BLOCK_BYTES = 65_536
TWO_WINDOWS = (
    "Another window writes to this session too. Resuming it later will bring"
    " back only the branch that was written last."
)


@dataclass(frozen=True)
class SessionState:
    """What of a session has to survive the program: a resumed session goes on
    with it.

    ``mode`` is how memory is switched, ``cursor`` the last message that
    extraction is done with. ``declined`` names the messages of which the
    person did not want something saved. ``notes_cursor`` is the last message
    that is in the session's notes.
    """

    mode: str = "full"
    cursor: str = ""
    declined: tuple[str, ...] = ()
    notes_cursor: str = ""

    def as_record(self) -> dict[str, Any]:
        """Return what is written of it; the cursor of notes only if there are
        any.
        """
        record = asdict(self)
        if not self.notes_cursor:
            del record["notes_cursor"]
        return record


class Transcript:
    """A session's file, added to message by message, and the document of the
    whole conversation.

    ``parent`` is the uuid of the message that the next one follows. While
    ``off_record`` is true, the words of new messages are kept apart;
    ``off_record_ids`` names all messages that are off the record. ``project``
    identifies the session's project in each state record. The document is
    written to ``document``, if given; when the session began is read from it,
    else from the transcript's first line. A disk error does not raise; it is
    described in ``problem``.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock,
        cwd: str,
        document: Path | None = None,
        parent: str | None = None,
        state: SessionState | None = None,
        project: Mapping[str, Any] | None = None,
        off_record_ids: Collection[str] = (),
    ) -> None:
        self.path, self.session, self.parent = path, path.stem, parent
        self.state = state
        self.off_record = False
        self.off_record_ids = set(off_record_ids)
        self.problem = ""
        self._clock, self._cwd, self._document = clock, cwd, document
        self._project = dict(project or {})
        Folder(path.parent).make()
        existing = session_file(path)
        self._created = (
            _found_in_head(document, "created_at")
            or _found_in_head(existing, "timestamp")
            or _stamp(clock.now())
        )
        if existing.exists():
            _end_last_line(existing)
        self._size = existing.stat().st_size if existing.exists() else 0
        self._state_is_due = state is not None and not existing.exists()

    def append(
        self,
        role: str,
        content: str | Sequence[Any],
        *,
        summary: bool = False,
        kept_from: str = "",
        uuid: str = "",
        thought_behind: str = "",
    ) -> str:
        """Write one message and give its uuid; a summary begins a new chain.

        A message that is written again, after a summary, keeps its ``uuid``.
        With ``kept_from``, this one takes the place of all messages before
        that one; those from there on stay, and are not written again.
        ``thought_behind`` is the fingerprint of the prefix behind which the
        model thought what the message contains.
        """
        self.parent = None if summary else self.parent
        off_record = self.off_record or uuid in self.off_record_ids
        file = self._file_to_write(off_record)
        if self._state_is_due:
            self._write_state(file)
        message: dict[str, Any] = {
            "message": {"role": role, "content": content}
        }
        if thought_behind:
            message["thoughtBehind"] = thought_behind
        if kept_from:
            message["keptFrom"] = kept_from
        line = self._line(role, message, uuid)
        if off_record:
            return self._add_off_record(file, line)
        return self._add(file, line)

    def take_back(
        self, parent: str | None, taken_back: Sequence[str] = ()
    ) -> None:
        """Go on from an earlier message; what came after it stays in the file,
        out of the chain.
        """
        self.parent = parent
        line = self._line("rewind", {"takenBack": list(taken_back)})
        self._add(session_file(self.path), line)

    def save_state(self, state: SessionState) -> None:
        """Record how the session stands; before the first message, that is
        done along with it.
        """
        if state == self.state:
            return
        self.state = state
        file = session_file(self.path)
        if file.exists():
            self._write_state(file)
        else:
            self._state_is_due = True

    def take_off_record(self, ids: Collection[str]) -> None:
        """Take the exchanges that these messages begin off the record, in the
        file as well.
        """
        self.off_record_ids.update(ids)
        try:
            self.off_record_ids |= take_off_record(self.path, ids)
        except FileNotFoundError:
            pass
        except OSError as error:
            self.problem = (
                f"The session cannot be changed on the disk: {error.strerror}."
            )

    def hide(self) -> None:
        """Take the file from among the transcripts, so that nobody finds the
        session there; the next message on the record brings it back.
        """
        hidden = hidden_session_file(self.path)
        try:
            drop_notes(self.path)
            Folder(hidden.parent).make()
            self.path.replace(hidden)
        except FileNotFoundError:  # nothing in it was on the record yet
            pass
        except OSError as error:
            self.problem = (
                f"The session cannot be changed on the disk: {error.strerror}."
            )

    def save_document(
        self, messages: Sequence[Any], model: str, title: str | None = None
    ) -> None:
        """Write the whole conversation to its document, all or nothing."""
        if self._document is None:
            return
        document: dict[str, Any] = {
            "id": self.session,
            "created_at": self._created,
            "updated_at": _stamp(self._clock.now()),
            "messages": list(messages),
            "model": model,
            "title": title,
            "working_dir": self._cwd,
        }
        if self.state is not None:
            document["state"] = self.state.as_record()
        Folder(self._document.parent).make()
        fresh = self._document.with_suffix(".tmp")
        if self._write(fresh, "wb", document):
            fresh.replace(self._document)

    def _file_to_write(self, off_record: bool) -> Path:
        """Return the session's file; the first message on the record brings it
        to the others.
        """
        hidden = hidden_session_file(self.path)
        if self.path.exists():
            return self.path
        if off_record:
            Folder(hidden.parent).make()
            return hidden
        if hidden.exists():
            hidden.replace(self.path)
        return self.path

    def _line(
        self, kind: str, more: Mapping[str, Any], uuid: str = ""
    ) -> dict[str, Any]:
        return {
            "type": kind,
            "uuid": uuid or self._clock.new_id(),
            "parentUuid": self.parent,
            "sessionId": self.session,
            "timestamp": _stamp(self._clock.now()),
            "cwd": self._cwd,
            "isSidechain": False,
            **more,
        }

    def _add(self, file: Path, line: Mapping[str, Any]) -> str:
        uuid = str(line["uuid"])
        if self._write(file, "ab", line):
            self.parent = uuid
        return uuid

    def _add_off_record(self, file: Path, line: Mapping[str, Any]) -> str:
        """Write the words to their own file first, then the line that refers
        to them.
        """
        uuid = str(line["uuid"])
        self.off_record_ids.add(uuid)
        words = words_file(self.path)
        Folder(words.parent).make()
        size = len(_encoded(line))
        if self._write(words, "ab", line):
            bare = placeholder(line, size)
            if self._write(file, "ab", bare, keep_time=True):
                self.parent = uuid
        return uuid

    def _write_state(self, file: Path) -> None:
        assert self.state is not None
        line = {
            "type": STATE,
            "uuid": None,
            "sessionId": self.session,
            "timestamp": _stamp(self._clock.now()),
            "cwd": self._cwd,
            **self._project,
            STATE: self.state.as_record(),
        }
        self._state_is_due = not self._write(file, "ab", line, keep_time=True)

    def _write(
        self,
        path: Path,
        mode: str,
        line: Mapping[str, Any],
        *,
        keep_time: bool = False,
    ) -> bool:
        """Write one line; with ``keep_time`` a file that exists keeps its
        modification time.
        """
        data = _encoded(line)
        try:
            with open(
                path, mode, buffering=0, opener=_for_this_person_alone
            ) as target:
                size = target.tell()
                before = os.fstat(target.fileno()).st_mtime_ns
                # a disk that gets full takes what it can
                if target.write(data) < len(data):
                    target.truncate(size)
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            moment = to_nanoseconds(self._clock.now())
            if keep_time and size:
                moment = before
            os.utime(path, ns=(moment, moment))
        except OSError as error:
            self.problem = (
                f"The session cannot be written down: {error.strerror}."
            )
            return False
        if path in (self.path, hidden_session_file(self.path)):
            if size != self._size and not self.problem:
                self.problem = TWO_WINDOWS
            self._size = size + len(data)
        return True


def unanswered(call: Any, why: str) -> dict[str, Any]:
    """Answer a tool call whose result there will never be."""
    return {
        "type": "tool_result",
        "tool_use_id": call,
        "content": why,
        "is_error": True,
    }


def ids(message: Mapping[str, Any], kind: str, key: str) -> list[Any]:
    """List what the blocks of one kind in a message have under a key."""
    return [
        block.get(key)
        for block in as_blocks(message["content"])
        if block["type"] == kind
    ]


def _for_this_person_alone(path: str, flags: int) -> int:
    """Open a file that, if it is new, nobody else can read: people type
    secrets into a chat.
    """
    return os.open(path, flags, 0o600)


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _encoded(line: Mapping[str, Any]) -> bytes:
    return (
        json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    )


def _found_in_head(file: Path | None, key: str) -> str:
    """Read the first time under a key from the head of a file; "" where there
    is none.
    """
    if file is not None:
        with suppress(OSError), file.open("rb") as opened:
            time = rf'"{key}":\s*"(\d{{4}}-[^"\\]+)"'.encode()
            found = re.search(time, opened.read(HEAD_BYTES))
            if found:
                return found[1].decode("utf-8", "replace")
    return ""


def _end_last_line(path: Path) -> None:
    """Add the line end that a crash left out, so that the next message gets a
    line of its own.
    """
    with path.open("rb+") as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            file.write(b"" if file.read(1) == b"\n" else b"\n")


class TranscriptTimes:
    """Tells when a message was written, by its uuid; reads a session's
    transcript as it grows.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0
        self._times: dict[str, datetime] = {}

    def __call__(self, uuid: str) -> datetime | None:
        """Return a message's time, or None if the transcript does not contain
        it.
        """
        if uuid not in self._times:
            with suppress(OSError), self._path.open("rb") as file:
                file.seek(self._read)
                while head := file.readline(HEAD_BYTES):
                    end = head
                    while end and not end.endswith(b"\n"):
                        end = file.readline(TIMES_BLOCK_BYTES)
                    if not end:
                        break  # the last line is still being written
                    self._read = file.tell()
                    self._take(head)
        return self._times.get(uuid)

    def _take(self, head: bytes) -> None:
        """Note a message's time from the head of its line, where its name and
        time are.
        """
        name = re.search(rb'"uuid":\s*"([^"\\]+)"', head)
        time = re.search(rb'"timestamp":\s*"([^"\\]+)"', head)
        if name and time:
            with suppress(ValueError):
                moment = datetime.fromisoformat(
                    time[1].decode("utf-8", "replace")
                )
                self._times.setdefault(
                    name[1].decode("utf-8", "replace"), moment
                )

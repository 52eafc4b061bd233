"""The transcript: a session as JSON lines, each message written the moment it
exists.

Every line names the one before it (``parentUuid``). A message that replaces
the beginning and keeps the newest messages names the first of those
(``keptFrom``). Lines of type ``state`` say how the session stands.

Of a message that is off the record, the line has no words. They are in another
file, outside every folder that a fork may read, and so is the transcript as
long as nothing in it is on the record. Messages go off the record by whole
exchanges, the person's message and everything up to their next one, because
answers and tool calls repeat the words.

The conversation is the chain of messages that leads back from the last line to
the first one, or to the newest summary. What was taken back is not in it, and
neither is what another program's side chains say. Left out: files that tools
had read, which may have changed and have to be read again.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import KW_ONLY, asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memlab.agent.compaction import is_summary
from memlab.clock import Clock, to_nanoseconds
from memlab.errors import MemlabError
from memlab.memdir.folder import Folder
from memlab.memdir.journal import exclusive
from memlab.memdir.places import notes_file
from memlab.text import persons_text, shorten

FOLDER = "off-the-record"
OFF_RECORD = "off_record"
STATE = "state"
# what a line keeps when its words go to another file
_KEPT = "uuid parentUuid sessionId timestamp cwd isSidechain keptFrom"
# what stands for an off-record message whose words somebody has deleted
_GONE = {"role": "user", "content": "(off the record)"}

Line = dict[str, Any]
Message = Mapping[str, Any]


class TranscriptError(MemlabError):
    """There is no such session, or it cannot be resumed here."""


@dataclass(frozen=True)
class SessionState:
    """What of a session has to survive the program.

    ``mode`` is how memory is switched, ``cursor`` the last message that
    extraction is done with. ``notes_cursor`` is the last message that is in
    the session's notes.
    """

    mode: str = "full"
    cursor: str = ""
    notes_cursor: str = ""


@dataclass
class Transcript:
    """A session's file, added to message by message, and the document of the
    whole conversation.

    ``parent`` is the uuid of the message that the next one follows. The state
    is recorded if ``project`` identifies the session's project. While
    ``off_record`` is true, the words of new messages are kept apart;
    ``off_record_ids`` names all messages that are off the record. ``times``
    says when each message was written, and ``title`` is what the person said
    first on the record, unless it is given. A disk error does not raise; it is
    described in ``problem``.
    """

    path: Path
    _: KW_ONLY
    clock: Clock
    cwd: str
    document: Path | None = None
    parent: str | None = None
    state: SessionState = field(default_factory=SessionState)
    project: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    off_record: bool = False
    problem: str = ""
    off_record_ids: set[str] = field(default_factory=set, init=False)
    times: dict[str, datetime] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.take_off_record(())

    @property
    def session(self) -> str:
        """The name of the session."""
        return self.path.stem

    def append(
        self,
        role: str,
        content: Any,
        kept_from: str | None = None,
        *,
        off_record: bool = False,
    ) -> str:
        """Write one message and give its uuid.

        With ``kept_from``, it takes the place of all messages before that one;
        those from there on stay, and are not written again. With "" it takes
        the place of all.
        """
        if kept_from == "":
            self.parent = None
        uuid = self.clock.new_id()
        if self.off_record or off_record:
            self.off_record_ids.add(uuid)
        message = {"role": role, "content": content}
        more = {"keptFrom": kept_from} if kept_from else {}
        line = self._line(role, uuid, message=message, **more)
        self._note(line)
        self._write(line)
        return uuid

    def take_back(
        self, parent: str | None, taken_back: Sequence[str] = ()
    ) -> None:
        """Go on from an earlier message; what came after it stays in the file,
        out of the chain.
        """
        self.parent = parent
        uuid = self.clock.new_id()
        self._write(self._line("rewind", uuid, takenBack=list(taken_back)))

    def save_state(self, state: SessionState) -> None:
        """Record how the session stands; before the first message, that is
        done along with it.
        """
        self.state = state
        if session_file(self.path).exists():
            self._write()

    def take_off_record(self, ids: Collection[str]) -> bool:
        """Take the exchanges that these messages begin off the record, and say
        whether that is done in the file as well.
        """
        self.off_record_ids.update(ids)
        with self._reported():
            for line in take_off_record(self.path, ids):
                self._note(line)
            return True
        return False

    def sweep(self) -> None:
        """Remove what writers of this or another session have left that were
        killed.
        """
        files = self.path, hidden_file(self.path), self.document or self.path
        with self._reported(), locked(self.path):
            for file in files:
                Folder(file.parent).sweep()

    def hide(self) -> None:
        """Take the file from among the transcripts, so that nobody finds the
        session there; the next message on the record brings it back.
        """
        with self._reported(), locked(self.path):
            drop_notes(self.path)
            if self.path.exists():
                self.path.replace(hidden_file(self.path))

    def save_document(self, messages: Sequence[Message], model: str) -> None:
        """Write the whole conversation to its document, all or nothing."""
        if self.document is None:
            return
        now = self.clock.now()
        document = {
            "id": self.session,
            "created_at": _stamp(min(self.times.values(), default=now)),
            "updated_at": _stamp(now),
            "messages": list(messages),
            "model": model,
            "title": self.title or None,
            "working_dir": self.cwd,
            STATE: asdict(self.state),
        }
        with self._reported(), locked(self.path):
            folder = Folder(self.document.parent, durable=False)
            data = _encoded([document])
            folder.write(self.document.name, data, to_nanoseconds(now))

    def _line(self, kind: str, uuid: str | None, **more: Any) -> Line:
        return {
            "type": kind,
            "uuid": uuid,
            "parentUuid": self.parent,
            "sessionId": self.session,
            "timestamp": _stamp(self.clock.now()),
            "cwd": self.cwd,
            "isSidechain": False,
            **more,
        }

    def _note(self, line: Line) -> None:
        """Learn from a line what is asked for later."""
        uuid, moment = line.get("uuid"), line.get("timestamp")
        if not uuid or not moment:
            return
        self.times[uuid] = datetime.fromisoformat(moment)
        if line["type"] == OFF_RECORD:
            self.off_record_ids.add(uuid)
        is_said = uuid not in self.off_record_ids
        if is_said and not self.title and begins_exchange(line):
            self.title = shorten(persons_text(line["message"]) or "", 60)

    def _write(self, line: Line | None = None) -> None:
        """Add a line to the session's file, behind the state if that is new;
        the words of a message that is off the record go to their file first.

        Only what is said on the record changes the time of the file, and
        brings a hidden one back.
        """
        new = [line] if line else []
        with self._reported(), locked(self.path):
            file = session_file(self.path)
            mtime = to_nanoseconds(self.clock.now())
            if line and line["uuid"] in self.off_record_ids:
                _add(words_file(self.path), new, mtime)
                new = [without_words(line)]
            is_said = bool(new) and "message" in new[0]
            if is_said and file != self.path:
                Folder(self.path.parent).make()
                with suppress(FileNotFoundError):
                    file.replace(self.path)
                file = self.path
            elif not is_said and file.exists():
                mtime = file.stat().st_mtime_ns
            if self.project and not (new and file.exists()):
                state = {**self.project, STATE: asdict(self.state)}
                new.insert(0, self._line(STATE, None, **state))
            _add(file, new, mtime)
            self.parent = line["uuid"] if line else self.parent

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Describe what goes wrong with the disk."""
        try:
            yield
        except OSError as error:
            why = error.strerror or error
            self.problem = f"The session cannot be written down: {why}."


def session_file(transcript: Path) -> Path:
    """Return the file in which a session is, whether or not anything in it is
    on the record.

    A session in which everything is off the record has no file among the
    transcripts, so that nobody finds one there and no gate counts it.
    """
    return transcript if transcript.exists() else hidden_file(transcript)


def hidden_file(transcript: Path) -> Path:
    """Return the place of a session file while everything in the session is
    off the record.
    """
    project, base = Path(os.path.abspath(transcript)).parents[0:3:2]
    return base / FOLDER / project.name / transcript.name


def words_file(transcript: Path) -> Path:
    """Return the file with the off-record messages of a session."""
    return hidden_file(transcript).with_suffix(".words.jsonl")


def locked(transcript: Path) -> AbstractContextManager[object]:
    """Keep others from adding to a session, or taking something out.

    Raises OSError if somebody else does so for long.
    """
    folder = hidden_file(transcript).parent
    Folder(folder).make()
    return exclusive(folder.parent / "guard.lock", 10)


def take_off_record(transcript: Path, ids: Collection[str]) -> list[Line]:
    """Take the exchanges that these messages begin off the record; give the
    lines of the session as they are then.

    Summaries that follow go as well, since they may repeat the words, and so
    do the notes of the session. The words are copied first; then the file is
    replaced in one step, and keeps its time, since nothing new was said. What
    was begun so and not finished is finished by every call, and a line that a
    crash has torn is removed. Raises OSError.
    """
    if not session_file(transcript).exists():
        return []
    with locked(transcript):
        file, ids = session_file(transcript), {*ids}
        is_torn = not file.read_bytes().endswith(b"\n")
        lines = read_lines(file)
        for line in lines:  # version 0.2 noted what was still to be done
            ids.update(line.get(STATE, {}).get("declined", ()))
        copied = _words(transcript)
        moved = list[Line]()
        is_inside = is_behind = False
        for place, line in enumerate(lines):
            goes_on = is_inside and not begins_exchange(line)
            is_inside = line.get("uuid") in ids or goes_on
            is_behind |= is_inside
            if not (is_behind or line.get("uuid") in copied):
                continue
            message = message_in(line)
            if message and (
                is_inside
                or (is_behind and is_summary(message))
                or copied.get(line["uuid"]) == line["message"]
            ):
                moved.append(line)
                lines[place] = without_words(line)
        if moved:
            drop_notes(transcript)
            words = words_file(transcript)
            # a line that a crash has torn ends here
            data = b"\n" + _encoded(moved)
            Folder(words.parent).append(words.name, data)
        if moved or is_torn:
            folder, mtime = Folder(file.parent), file.stat().st_mtime_ns
            folder.write(file.name, _encoded(filter(None, lines)), mtime)
    return lines


def drop_notes(transcript: Path) -> None:
    """Remove the notes of a session, because they may repeat what has gone off
    the record.
    """
    with suppress(FileNotFoundError):
        shutil.rmtree(notes_file(transcript.parent, transcript.stem).parent)


def read_lines(file: Path) -> list[Line]:
    """Read the lines of a session's file, {} for one that cannot be read."""
    lines = list[Line]()
    data = Folder(file.parent).read(file.name).data or b""
    for raw in filter(None, map(bytes.strip, data.split(b"\n"))):
        lines.append({})
        with suppress(ValueError, RecursionError):
            found = json.loads(raw)
            lines[-1] = found if isinstance(found, dict) else {}
    return lines


def load_transcript(path: Path) -> Loaded:
    """Read a conversation back, from the newest summary on.

    Raises TranscriptError for a file in which no line belongs to a session,
    and OSError.
    """
    file = session_file(path)
    lines = [line for line in read_lines(file) if not line.get("isSidechain")]
    if not any(line.get("uuid") or STATE in line for line in lines):
        raise TranscriptError("this is not a session", where=file)
    words = _words(path)
    for line in lines:
        message = words.get(line.get("uuid", ""))
        is_copied = message is not None and message == line.get("message")
        if is_copied or line.get("type") == OFF_RECORD:
            line |= {"type": OFF_RECORD, "message": message or _GONE}
    return Loaded(lines)


class Loaded:
    """A conversation read back; ``notes`` tell the person what is missing.

    ``state`` is how the session stood when that was recorded last, and
    ``project`` what the record says of its project. ``newest`` is the line
    that the next one follows. ``off_record`` names the messages that are off
    the record, and ``replaced`` has those that compactions have replaced.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        pairs = _pairs(_chain(lines))
        self.messages = tuple(message for _, message in pairs)
        self.uuids = tuple(uuid for uuid, _ in pairs)
        links = (line["uuid"] for line in reversed(lines) if line.get("uuid"))
        self.newest = next(links, None)
        off_record = [one for one in lines if one.get("type") == OFF_RECORD]
        self.off_record = frozenset(line["uuid"] for line in off_record)
        known = {*self.uuids}
        known.update(*(line.get("takenBack", ()) for line in lines))
        rest = (line for line in lines if line.get("uuid") not in known)
        others = dict(_pairs(rest))
        is_compacted = bool(pairs) and is_summary(pairs[0][1])
        self.replaced = tuple(others.items()) if is_compacted else ()
        self.notes = list[str]()
        if lines[-1] == {}:
            self.notes.append("the last line was torn, and is dropped")
        lost = lines[:-1].count({}) + (0 if is_compacted else len(others))
        if lost:
            said = f"lines of another branch, or that cannot be read: {lost}"
            self.notes.append(f"left out are {said}")
        states = [line for line in lines if STATE in line]
        self.project = states[-1] if states else Line()
        # where nothing was recorded, nobody knows what was switched off
        state = self.project.get(STATE, {"cursor": "".join(self.uuids[-1:])})
        known = state.keys() & vars(SessionState())
        self.state = SessionState(**{key: state[key] for key in known})


def _chain(lines: Sequence[Line]) -> list[Line]:
    """Follow the last line back to where the conversation begins; give the
    lines on the way, in the order of the conversation.
    """
    chain, first = list[Line](), list[Line]()
    taken_back = set[str]()
    kept_from = ""
    wanted: str | None = ""
    for line in reversed(lines):
        if not line.get("uuid") or wanted not in ("", line["uuid"]):
            continue
        taken_back.update(line.get("takenBack", ()))
        if "keptFrom" not in line and line["uuid"] not in taken_back:
            chain.append(line)
        elif "keptFrom" in line and not first:
            # it was written last, and comes first
            first, kept_from = [line], line["keptFrom"]
        wanted = line.get("parentUuid")
        if wanted is None or line["uuid"] == kept_from:
            break
    return [*first, *reversed(chain)]


def _pairs(lines: Iterable[Line]) -> list[tuple[str, Message]]:
    found = ((line.get("uuid", ""), message_in(line)) for line in lines)
    return [(uuid, message) for uuid, message in found if message]


def _words(transcript: Path) -> dict[str, Message]:
    found = filter(None, read_lines(words_file(transcript)))
    return {line["uuid"]: line["message"] for line in found}


def message_in(line: Line) -> Message | None:
    """Return the message in a line, None if there is none."""
    found = line.get("message")
    if not isinstance(found, dict) or not found.get("content"):
        return None
    return {"role": found["role"], "content": found["content"]}


def begins_exchange(line: Line) -> bool:
    """Tell whether a line has, or had, what the person typed."""
    message = message_in(line)
    if message is None or line.get("isSidechain"):
        return bool(line.get("said"))
    return persons_text(message) is not None


def without_words(line: Line) -> Line:
    """Return the line that takes the place of an off-record message."""
    bare = {key: line[key] for key in _KEPT.split() if key in line}
    return {"type": OFF_RECORD, **bare, "said": begins_exchange(line)}


def _encoded(lines: Iterable[Line]) -> bytes:
    texts = [json.dumps(line, ensure_ascii=False) for line in lines]
    return "".join(f"{text}\n" for text in texts).encode("utf-8", "replace")


def _add(file: Path, lines: Iterable[Line], mtime: int) -> None:
    folder = Folder(file.parent, durable=False)
    folder.append(file.name, _encoded(lines))
    folder.set_time(file.name, mtime)


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"

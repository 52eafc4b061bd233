"""The transcript: a session as JSON lines, each message written the moment it
exists.

Every line names the one before it (``parentUuid``), so the conversation is the
chain that leads back from the last line to the first message, or to the newest
summary. What was taken back is not in the chain. A message that replaces the
beginning and keeps the newest messages names the first of those
(``keptFrom``): the chain ends there. Lines of type ``state`` are not in the
chain; the newest one says how the session stands.

Of a message that is off the record, the line has no words. They are in another
file, outside every folder that a fork may read, and so is the transcript as
long as nothing in it is on the record.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import KW_ONLY, asdict, dataclass, field
from datetime import datetime
from itertools import accumulate
from pathlib import Path
from typing import Any

from memlab.agent.compaction import is_summary
from memlab.agent.request import has_thinking
from memlab.clock import Clock, to_nanoseconds
from memlab.errors import MemlabError
from memlab.memdir.folder import Folder, file_lock
from memlab.memdir.places import notes_file
from memlab.text import persons_text, shorten

FOLDER = "off-the-record"
OFF_RECORD = "off_record"
STATE = "state"
LOCK_SECONDS = 10
TITLE_LENGTH = 60
# what a line keeps when its words go to another file
_NOT_SAID = (
    *("uuid", "parentUuid", "sessionId", "timestamp", "cwd", "isSidechain"),
    *("keptFrom", "thoughtBehind"),
)

Message = Mapping[str, Any]
Line = Mapping[str, Any]


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


@dataclass(frozen=True)
class Loaded:
    """A conversation read back; ``notes`` tell the person what is missing.

    ``state`` is how the session stood when that was recorded last, and
    ``project`` what the record says of its project. ``newest`` is the line
    that the next one follows. ``off_record`` names the messages that are off
    the record, and ``replaced`` has those that compactions have replaced.
    ``thought_behind`` has the fingerprints of the prefixes behind which the
    model thought something; "" is among them where that is not known, or where
    the messages are not all there any more. ``times`` says when each message
    was written, and ``title`` is what the person said first on the record.
    """

    cwd: str
    messages: tuple[Message, ...]
    uuids: tuple[str, ...]
    notes: tuple[str, ...]
    state: SessionState
    project: Line
    newest: str | None
    off_record: frozenset[str]
    replaced: tuple[tuple[str, Message], ...]
    thought_behind: frozenset[str]
    times: Mapping[str, datetime]
    title: str


@dataclass
class Transcript:
    """A session's file, added to message by message, and the document of the
    whole conversation.

    ``parent`` is the uuid of the message that the next one follows. While
    ``off_record`` is true, the words of new messages are kept apart;
    ``off_record_ids`` names all messages that are off the record. ``times``
    says when each message was written, and ``title`` is what the person said
    first on the record. ``project`` identifies the session's project in each
    state record. With ``history``, the session goes on from there. A disk
    error does not raise; it is described in ``problem``.
    """

    path: Path
    _: KW_ONLY
    clock: Clock
    cwd: str
    document: Path | None = None
    history: Loaded | None = None
    parent: str | None = None
    state: SessionState | None = None
    project: Mapping[str, Any] = field(default_factory=dict)
    off_record_ids: set[str] = field(default_factory=set)
    off_record: bool = False
    times: dict[str, datetime] = field(default_factory=dict)
    title: str = ""
    problem: str = ""
    _recorded: SessionState | None = None
    _ends_torn: bool = False

    def __post_init__(self) -> None:
        if self.history:
            self.parent = self.history.newest
            self.state = self.history.state
            self.off_record_ids |= self.history.off_record
            self.times |= self.history.times
            self.title = self.history.title
        file = session_file(self.path)
        if file.exists():
            self._recorded = self.state
            self._ends_torn = file.read_bytes()[-1:] not in (b"", b"\n")

    @property
    def session(self) -> str:
        """The name of the session."""
        return self.path.stem

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
        if summary:
            self.parent = None
        message = {"role": role, "content": content}
        more = {"thoughtBehind": thought_behind, "keptFrom": kept_from}
        given = {key: value for key, value in more.items() if value}
        uuid = uuid or self.clock.new_id()
        if self.off_record:
            self.off_record_ids.add(uuid)
        if not self.title:
            self.title = _title([(uuid, message)], self.off_record_ids)
        self.times[uuid] = self.clock.now().replace(microsecond=0)
        self._write(self._line(role, uuid, message=message, **given))
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
        if state != self._recorded and session_file(self.path).exists():
            self._write()

    def take_off_record(self, ids: Collection[str]) -> None:
        """Take the exchanges that these messages begin off the record, in the
        file as well.
        """
        self.off_record_ids.update(ids)
        with self._reported():
            self.off_record_ids |= take_off_record(self.path, ids)

    def hide(self) -> None:
        """Take the file from among the transcripts, so that nobody finds the
        session there; the next message on the record brings it back.
        """
        with self._reported(), locked(self.path), suppress(FileNotFoundError):
            drop_notes(self.path)
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
            STATE: self.state and asdict(self.state),
        }
        with self._reported():
            folder = Folder(self.document.parent, durable=False)
            data = _encoded(document)
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

    def _write(self, *lines: Line) -> None:
        """Add lines to the session's file, behind the state if that is new;
        the words of a message that is off the record go to their file first.

        Only what is said on the record changes the time of the file, and
        brings a hidden one back.
        """
        off = [one for one in lines if one["uuid"] in self.off_record_ids]
        on = [one for one in lines if "message" in one and one not in off]
        with self._reported(), locked(self.path):
            file = session_file(self.path)
            if on and file != self.path:
                Folder(self.path.parent).make()
                file = file.replace(self.path)
            elif off and not file.exists():
                file = hidden_file(self.path)
            if off:
                _add(words_file(self.path), *off)
                lines = (*map(without_words, off),)
            if self.state and self.state != self._recorded:
                state = {**self.project, STATE: asdict(self.state)}
                lines = (self._line(STATE, None, **state), *lines)
            folder = Folder(file.parent, durable=False)
            before = folder.read(file.name, 0)
            if self._ends_torn:
                folder.append(file.name, b"\n")
            _add(file, *lines)
            now = to_nanoseconds(self.clock.now())
            is_new = bool(on) or before.data is None
            folder.set_time(file.name, now if is_new else before.mtime)
            self._recorded, self._ends_torn = self.state, False
            self.parent = lines[-1]["uuid"] or self.parent

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
    hidden = hidden_file(transcript)
    is_hidden = hidden.exists() and not transcript.exists()
    return hidden if is_hidden else transcript


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
    lock = file_lock(folder.parent / "guard.lock")
    return lock.acquire(timeout=LOCK_SECONDS, poll_interval=0.005)


def load_transcript(path: Path, *, cwd: str = "") -> Loaded:
    """Read a conversation back, from the newest summary on.

    Side chains and lines of a kind not known here are passed over. With
    ``cwd``, a start in another folder is noted. Raises TranscriptError for a
    file that cannot be read, or in which no line belongs to a session.
    """
    file, apart = session_file(path), words_file(path)
    try:
        lines = [_record(raw) for raw in _raw_lines(file) if raw.strip()]
        told = map(_record, _raw_lines(apart)) if apart.exists() else []
    except OSError as error:
        what = f"session {path.stem!r} cannot be read: {error.strerror}"
        raise TranscriptError(f"{what} ({file})") from error
    if not any(line.get("uuid") or STATE in line for line in lines):
        raise TranscriptError(
            f"session {path.stem!r} is damaged, because no line of {file} can"
            " be read as a part of it"
        )
    words = {line.get("uuid"): line for line in told}
    off_record = set[str]()
    for place, line in enumerate(lines):
        if line.get("type") == OFF_RECORD:
            off_record.add(line["uuid"])
            lines[place] = {**words.get(line["uuid"], _gone(line)), **line}

    chain = _chain(lines)
    said = [lines[place] for place in chain if message_in(lines[place])]
    pairs = _pairs(said)
    # anything else was replaced by the first message, or is in another branch
    known = {uuid for uuid, _ in pairs} | _taken_back(lines)
    begins = min(chain, default=0)
    is_compacted = bool(pairs) and is_summary(pairs[0][1])
    before = dict(_pairs(lines[:begins])) if is_compacted else {}
    replaced = [pair for pair in before.items() if pair[0] not in known]
    unknown = _pairs(one for one in lines[begins:] if "keptFrom" not in one)
    branches = [uuid for uuid, _ in unknown if uuid not in known]

    notes = []
    if not lines[-1]:
        notes.append("the last line was torn, and is dropped")
    if {} in lines[:-1]:
        notes.append(f"unreadable lines are left out: {lines[:-1].count({})}")
    if branches:
        notes.append(f"messages of a branch are left out: {len(branches)}")
    thoughts = [line for line in said if has_thinking([line["message"]])]
    behind = {str(line.get("thoughtBehind", "")) for line in thoughts}
    # it cannot be sent again behind another beginning
    if notes or (said and "keptFrom" in said[0]):
        behind.add("")
    begun = next((line["cwd"] for line in lines if line.get("cwd")), "")
    if cwd and begun not in ("", cwd):
        notes.append(f"the session was begun in {begun}")

    recorded = next((one for one in reversed(lines) if STATE in one), {})
    found = recorded.get(STATE, {})
    # where nothing was recorded, nobody knows what the person had switched off
    last = "" if recorded or not pairs else pairs[-1][0]
    state = SessionState(
        found.get("mode", "full"),
        found.get("cursor", last),
        found.get("notes_cursor", ""),
    )
    times = {
        line["uuid"]: datetime.fromisoformat(line["timestamp"])
        for line in lines
        if line.get("uuid") and line.get("timestamp")
    }
    return Loaded(
        cwd=begun,
        messages=tuple(message for _, message in pairs),
        uuids=tuple(uuid for uuid, _ in pairs),
        notes=tuple(notes),
        state=state,
        project=recorded,
        newest=lines[max(chain)]["uuid"] if chain else None,
        off_record=frozenset(off_record),
        replaced=tuple(replaced),
        thought_behind=frozenset(behind),
        times=times,
        title=_title((*replaced, *pairs), off_record),
    )


def take_off_record(transcript: Path, ids: Collection[str]) -> set[str]:
    """Take the exchanges that these messages begin off the record; give all
    messages that are off it then.

    Summaries that follow go as well, since they may repeat the words, and so
    do the notes of the session. The words are copied first; then the file is
    replaced in one step, and keeps its time, since nothing new was said. Doing
    this twice changes nothing. Raises OSError.
    """
    with locked(transcript):
        file = session_file(transcript)
        raws = _raw_lines(file) if file.exists() else []
        lines = [_record(raw) for raw in raws]
        numbers = list(accumulate(map(_begins_exchange, lines)))
        gone = {
            number
            for number, line in zip(numbers, lines, strict=True)
            if line.get("uuid") in ids
        }
        first = min(gone, default=len(lines))
        words = []
        for place, (number, line) in enumerate(
            zip(numbers, lines, strict=True)
        ):
            message = message_in(line)
            if message is None:
                # a torn line may have the words too
                raws[place] = (
                    b"" if number in gone and not line else raws[place]
                )
            elif number in gone or (number > first and is_summary(message)):
                words.append(line)
                lines[place] = without_words(line)
                raws[place] = _encoded(lines[place]).rstrip()
        if words:
            drop_notes(transcript)
            _add(words_file(transcript), *words, durable=True)
            mtime = file.stat().st_mtime_ns
            Folder(file.parent).write(file.name, b"\n".join(raws), mtime)
    return {line["uuid"] for line in lines if line.get("type") == OFF_RECORD}


def drop_notes(transcript: Path) -> None:
    """Remove the notes of a session, because they may repeat what has gone off
    the record.
    """
    with suppress(FileNotFoundError):
        shutil.rmtree(notes_file(transcript.parent, transcript.stem).parent)


def message_in(line: Line) -> Message | None:
    """Return the message in a line, None if there is none."""
    found = line.get("message")
    if not isinstance(found, dict) or line.get("isSidechain"):
        return None
    role, content = found.get("role"), found.get("content")
    if role not in ("user", "assistant") or not content:
        return None
    return {"role": role, "content": content}


def without_words(line: Line) -> Line:
    """Return the line that takes the place of an off-record message."""
    bare = {key: line[key] for key in _NOT_SAID if key in line}
    said = persons_text(line["message"]) is not None
    return {"type": OFF_RECORD, **bare, "said": said}


def _chain(lines: Sequence[Line]) -> list[int]:
    """Follow the last line back to where the conversation begins; give the
    places of the lines on the way, in the order of the conversation.
    """
    chain = list[int]()
    taken_back = _taken_back(lines)
    wanted: Any = ...  # the last line may have any name
    kept_from = ""
    for place in reversed(range(len(lines))):
        line = lines[place]
        uuid = line.get("uuid")
        if not uuid or line.get("isSidechain") or wanted not in (..., uuid):
            continue
        # behind what replaced the beginning, older replacements and what was
        # taken back are no part of the conversation
        if not kept_from or not ("keptFrom" in line or uuid in taken_back):
            chain.append(place)
        kept_from = kept_from or line.get("keptFrom", "")
        wanted = line.get("parentUuid", ...)
        if wanted is None or uuid == kept_from:
            break
    # it was written last, and comes first
    chain.sort(key=lambda place: ("keptFrom" not in lines[place], place))
    return chain


def _taken_back(lines: Sequence[Line]) -> set[str]:
    return {uuid for line in lines for uuid in line.get("takenBack") or ()}


def _gone(line: Line) -> Line:
    """Return what stands for an off-record message whose words were deleted."""
    role = "user" if line.get("said") else "assistant"
    return {"message": {"role": role, "content": "(off the record)"}}


def _pairs(lines: Iterable[Line]) -> list[tuple[str, Message]]:
    found = ((line.get("uuid", ""), message_in(line)) for line in lines)
    return [(uuid, message) for uuid, message in found if message]


def _title(
    pairs: Iterable[tuple[str, Message]], off_record: Collection[str]
) -> str:
    """Return what the person said first on the record, shortened."""
    said = (persons_text(one) for uuid, one in pairs if uuid not in off_record)
    return shorten(next(filter(None, said), ""), TITLE_LENGTH)


def _begins_exchange(line: Line) -> bool:
    message = message_in(line)
    if message is None:
        return bool(line.get("said"))
    return persons_text(message) is not None


def _raw_lines(file: Path) -> list[bytes]:
    return file.read_bytes().split(b"\n")


def _record(raw: bytes) -> Line:
    """Read the record in a line; {} if it is none."""
    with suppress(ValueError, RecursionError):
        found = json.loads(raw)
        return found if isinstance(found, dict) else {}
    return {}


def _encoded(line: Line) -> bytes:
    text = json.dumps(line, ensure_ascii=False)
    return text.encode("utf-8", "replace") + b"\n"


def _add(file: Path, *lines: Line, durable: bool = False) -> None:
    data = b"".join(map(_encoded, lines))
    Folder(file.parent, durable=durable).append(file.name, data)


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"

"""What is off the record: messages that a session can resume with and nothing
else ever reads.

Off the record is what a person says while saving is switched off, what they
declined to have saved, and what a forgotten memory came from. The words are in
a file apart from the transcripts, which is outside every folder that a fork
may read. The transcript keeps a line without words for each such message, so
that the chain of messages stays whole.

Messages go off the record by whole exchanges: the person's message and
everything up to their next one, because answers and tool calls repeat the
words. So may the notes of the session (``memlab.modes.session``): they are
removed, and written anew from what is left. Left out: deciding what goes off
the record.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from memlab.agent.compaction import is_summary
from memlab.agent.request import RequestPrefix, without_thinking
from memlab.memdir.folder import Folder
from memlab.memdir.places import notes_file
from memlab.text import persons_text

FOLDER = "off-the-record"
OFF_RECORD = "off_record"
Pairs = tuple[tuple[str, Mapping[str, Any]], ...]
_MOST_NEEDED = ("type", "uuid", "parentUuid", "keptFrom", "said")


def words_file(transcript: Path) -> Path:
    """Return the file with the off-record messages of a session, named by its
    transcript.
    """
    return _folder(transcript) / f"{transcript.stem}.words.jsonl"


def session_file(transcript: Path) -> Path:
    """Return the file in which a session is, whether or not anything in it is
    on the record.

    A session in which everything is off the record has no file among the
    transcripts, so that nobody finds one there and no gate counts it.
    """
    hidden = hidden_session_file(transcript)
    if not transcript.exists() and hidden.exists():
        return hidden
    return transcript


def hidden_session_file(transcript: Path) -> Path:
    """Return the place of a session file while everything in the session is
    off the record.
    """
    return _folder(transcript) / transcript.name


def placeholder(line: Mapping[str, Any], size: int) -> dict[str, Any]:
    """Return the line that takes the place of an off-record message of
    ``size`` bytes.
    """
    bare = {key: value for key, value in line.items() if key != "message"}
    said = persons_text(line["message"]) is not None
    return {**bare, "type": OFF_RECORD, "said": said, "bytes": size}


def take_off_record(transcript: Path, ids: Collection[str]) -> frozenset[str]:
    """Take the exchanges that these messages begin off the record; give all
    messages in them.

    Summaries that follow go as well, since they may repeat the words. What
    follows and is off the record already is given, too. The words are copied
    first. Then each line is overwritten in place by one of the same length, so
    that a session that is still being written is not disturbed. Doing this
    twice changes nothing. Raises OSError.
    """
    path = session_file(transcript)
    found: set[str] = set()
    moved: list[tuple[int, bytes, bytes]] = []
    for offset, raw, line in _exchange_lines(path, frozenset(ids)):
        found.add(str(line["uuid"]))
        if line.get("type") == OFF_RECORD:
            continue
        short = _same_length(placeholder(line, len(raw)), len(raw))
        if short is not None:
            moved.append((offset, raw, short))
    if moved:
        drop_notes(transcript)
        _copy([raw for _, raw, _ in moved], words_file(transcript))
        _overwrite(path, [(offset, short) for offset, _, short in moved])
    return frozenset(found)


def drop_notes(transcript: Path) -> None:
    """Remove the notes of a session, named by its transcript, because they may
    repeat what has gone off the record.
    """
    file = notes_file(transcript.parent, transcript.stem)
    file.unlink(missing_ok=True)
    drop_unfinished(file)


def drop_unfinished(notes: Path) -> None:
    """Remove what a write that was killed has left beside the notes."""
    for left in notes.parent.glob(f".{notes.name}.*.tmp"):
        left.unlink(missing_ok=True)


def without_exchanges(
    prefix: RequestPrefix, ids: Collection[str]
) -> RequestPrefix:
    """Return a conversation without every exchange of which a message is in
    ``ids``.

    The service refuses thinking behind which the conversation has changed, so
    that is left out along with an exchange.
    """
    if not ids or not prefix.uuids:
        return prefix
    pairs = tuple(zip(prefix.uuids, prefix.messages, strict=True))
    kept = _without(pairs, ids)
    prefix = replace(prefix, replaced=_without(prefix.replaced, ids))
    if kept == pairs:
        return prefix
    return replace(
        prefix,
        messages=without_thinking(message for _, message in kept),
        uuids=tuple(uuid for uuid, _ in kept),
    )


def _without(pairs: Pairs, ids: Collection[str]) -> Pairs:
    left_out: set[str] = set()
    for exchange in _exchanges(pairs):
        if not set(exchange).isdisjoint(ids):
            left_out.update(exchange)
    return tuple(pair for pair in pairs if pair[0] not in left_out)


def _exchanges(pairs: Pairs) -> Iterator[list[str]]:
    """Group a conversation's messages: each group begins with a message that
    the person typed.
    """
    group: list[str] = []
    for uuid, message in pairs:
        if group and persons_text(message) is not None:
            yield group
            group = []
        group.append(uuid)
    if group:
        yield group


def _exchange_lines(
    path: Path, ids: frozenset[str]
) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """Return offset, bytes and content of each line that goes with the
    messages named.
    """
    wanted = [uuid.encode() for uuid in ids]
    inside = seen = False
    offset = 0
    with path.open("rb") as lines:
        for raw in lines:
            begins, offset = offset, offset + len(raw)
            if not seen and not any(uuid in raw for uuid in wanted):
                continue
            line = _message_line(raw)
            if line is None:
                continue
            if line["uuid"] in ids:
                inside = seen = True
            elif _is_persons(line):
                inside = False
            # another session may have taken a summary off the record already
            is_off = line.get("type") == OFF_RECORD
            if inside or (seen and (is_off or _is_summary_line(line))):
                yield begins, raw, line


def _message_line(raw: bytes) -> dict[str, Any] | None:
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if (
        not isinstance(line, dict)
        or not line.get("uuid")
        or line.get("isSidechain")
    ):
        return None
    if line.get("type") == OFF_RECORD:
        return line
    message = line.get("message")
    whole = isinstance(message, dict) and {"role", "content"} <= message.keys()
    return line if whole else None


def _is_persons(line: Mapping[str, Any]) -> bool:
    if line.get("type") == OFF_RECORD:
        return bool(line.get("said"))
    # content of a form not known here
    with suppress(KeyError, TypeError, AttributeError):
        return persons_text(line["message"]) is not None
    return False


def _is_summary_line(line: Mapping[str, Any]) -> bool:
    with suppress(KeyError, TypeError, AttributeError):
        return is_summary(line["message"])
    return False


def _same_length(line: Mapping[str, Any], size: int) -> bytes | None:
    """Write a line in exactly so many bytes; None if it cannot be made that
    short.
    """
    shortest = {key: line[key] for key in _MOST_NEEDED if key in line}
    for form in (line, shortest):
        raw = json.dumps(form, ensure_ascii=False).encode("utf-8", "replace")
        if len(raw) < size:
            return raw.ljust(size - 1) + b"\n"
    return None


def _copy(lines: Sequence[bytes], target: Path) -> None:
    """Add lines to the file of words, and return when they are on the disk."""
    Folder(target.parent).make()
    opened = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with open(opened, "ab", buffering=0) as file:
        file.write(b"".join(raw.rstrip(b"\n") + b"\n" for raw in lines))
        os.fsync(file.fileno())


def _overwrite(path: Path, lines: Sequence[tuple[int, bytes]]) -> None:
    """Overwrite lines in place; the file keeps its time, since nothing new was
    said.
    """
    status = path.stat()
    with path.open("rb+", buffering=0) as file:
        for offset, raw in lines:
            file.seek(offset)
            file.write(raw)
        os.fsync(file.fileno())
    os.utime(path, ns=(status.st_mtime_ns, status.st_mtime_ns))


def _folder(transcript: Path) -> Path:
    whole = Path(os.path.abspath(transcript))
    return (
        whole.parents[min(2, len(whole.parents) - 1)]
        / FOLDER
        / whole.parent.name
    )

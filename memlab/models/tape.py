"""Tapes: the requests of one experiment and what a model answered, in a file
that anybody can read and replay.

A tape is a file of JSON lines. The first line names the model, the date and
the settings. A line ``{"text": …}`` has a long text once, and every other line
is an exchange, found again by a hash of what the request says. Headers,
addresses and keys are never written, and secrets in what is said are replaced
(``redact``). Also left out are the service's ids, cache marks and metadata,
because they change nothing about the answer.

While a tape is recorded, every answer goes to the tape first, and memlab gets
what the model really said. A replay gives the same, except for secrets: an
exchange whose reply had one is marked ``"redacted": true``, and its replay
says ``[removed]`` there, so memlab may then act otherwise than it did while
this was recorded. What is on the tape already is played from it and not asked
again: an interrupted recording goes on where it stopped, and a new one needs
a new file. Several processes may record on one tape.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote
from weakref import WeakValueDictionary

import httpx2

from memlab.clock import Clock, SystemClock
from memlab.errors import ModelError, TapeMiss
from memlab.memdir.folder import append_durably
from memlab.models.meter import (
    PURPOSE_HEADER,
    REPLAYED_HEADER,
    SECONDS_HEADER,
)
from memlab.models.redact import Redactor, without_address
from memlab.models.response import (
    is_count,
    is_message,
    json_response,
    message_response,
    nothing_at,
    token_count,
    unread,
)
from memlab.models.wire import error_json, read_stream
from memlab.runtime import SOURCE_HEADER
from memlab.service_errors import out_of_credit
from memlab.text import as_blocks, block_text, escape_hidden, shorten

REPEAT_HEADER = "x-memlab-repeat"
"""Which of several equal requests this is, counted from 1. Without it, equal
requests are counted as they come.
"""

FORM = 1
PARTS = ("model", "system", "tools", "messages", "options")
_IN_WORDS = {
    "model": "the name of the model",
    "system": "the system prompt",
    "tools": "the tools",
    "messages": "the messages",
    "options": "the options (length, schema and others)",
}
_PLURAL = ("tools", "messages", "options")
_NO_CONTENT = ("cache_control", "metadata", "stream", "diagnostics")
_FREE_FORM = ("input", "input_schema", "schema")
_LONG = 200  # characters from which a text is written once
_DIFF_LINES = 12
_BEGINNING = b'{"tape": '
_PATIENCE = 60.0  # seconds, for what takes a few milliseconds
_NOTHING_ALIKE = 4  # parts that differ
_DIFF_CHARACTERS = 160
_FINAL = (400, 413, 422)
"""Refusals that say something about the request; the others say only how the
service was at that moment.
"""


def hash_of(value: Any, digits: int = 12) -> str:
    """Return the first hex digits of a hash of a JSON value."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


@dataclass(frozen=True)
class Asked:
    """What a request says: its parts, without what changes nothing."""

    parts: Mapping[str, Any]

    @staticmethod
    def of(body: Mapping[str, Any], redactor: Redactor) -> Asked:
        """Read a request's body."""
        said = redactor.json(_bare(body))
        options = {
            name: value for name, value in said.items() if name not in PARTS
        }
        return Asked(
            {
                "model": said.get("model"),
                "system": as_blocks(said.get("system") or ()),
                "tools": list(said.get("tools") or ()),
                "messages": [
                    {**message, "content": as_blocks(message["content"])}
                    for message in said.get("messages") or ()
                ],
                "options": options,
            }
        )

    @cached_property
    def hashes(self) -> dict[str, str]:
        """A hash of each part."""
        return {name: hash_of(self.parts[name]) for name in PARTS}

    @cached_property
    def key(self) -> str:
        """A hash of the whole."""
        return hash_of(self.hashes, 16)

    def lines(self, part: str) -> list[str]:
        """Write a part as lines or sentences, so that a difference is small."""
        value = self.parts[part]
        if part == "system":
            text = "\n".join(map(block_text, value))
        elif part == "messages":
            text = "\n".join(
                f"{message['role']}: {block_text(block)}"
                for message in value
                for block in message["content"]
            )
        else:
            text = json.dumps(value, ensure_ascii=False, indent=1)
        return [line for line in _SENTENCES.split(text) if line.strip()]


_SENTENCES = re.compile(r"\n|(?<=[.!?]) ")


def _bare(value: Any) -> Any:
    """Return a request without marks and metadata."""
    if isinstance(value, Mapping):
        return {
            name: held if name in _FREE_FORM else _bare(held)
            for name, held in value.items()
            if name not in _NO_CONTENT
        }
    if isinstance(value, (list, tuple)):
        return [_bare(held) for held in value]
    return value


@dataclass(frozen=True)
class Exchange:
    """One recorded request and its reply, or the error that came instead.

    ``repeat`` counts equal requests from 1. ``seconds`` is how long the answer
    took when it was recorded. ``redacted`` says that a secret was removed from
    the reply or the error.
    """

    key: str
    repeat: int
    purpose: str
    parts: Mapping[str, str]
    seconds: float
    reply: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None
    redacted: bool = False


@dataclass(frozen=True)
class Header:
    """What a tape says about itself.

    ``model`` is what answered, as it names itself. ``command`` records the
    tape again, if that is known.
    """

    what: str
    model: str
    date: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    memlab: str = ""
    command: str = ""


class Tape:
    """A tape's header and exchanges, in the order in which they were
    recorded.
    """

    def __init__(self, path: Path, *, plan: Header | None = None) -> None:
        """Begin an empty tape; ``plan`` is the header that it will get."""
        self.path = path
        self.exchanges: list[Exchange] = []
        self._header: Header | None = None
        self._plan = plan
        self._texts: dict[str, Any] = {}
        self._requests: dict[str, Mapping[str, Any]] = {}
        self._found: dict[tuple[str, int], Exchange] = {}
        self._turn = threading.Lock()
        self._size = 0
        self._lines = 0

    @property
    def header(self) -> Header:
        """What the tape says about itself; raises ModelError for an empty
        tape.
        """
        if self._header is None:
            raise ModelError(
                "nothing is recorded on this tape yet", where=self.path
            )
        return self._header

    @property
    def asked(self) -> set[str]:
        """The names of the models that were asked."""
        return {
            str(request.get("model")) for request in self._requests.values()
        }

    @property
    def redacted(self) -> int:
        """How many exchanges had a secret removed from what was answered."""
        return sum(each.redacted for each in self.exchanges)

    @property
    def label(self) -> str:
        """Who answers when this tape is replayed."""
        return f"{self.header.model}, recorded {self.header.date}"

    @classmethod
    def read(cls, path: Path | str) -> Tape:
        """Read a tape; raises ModelError if there is none, and for a line
        that is damaged.

        A last line that was cut off while it was written is passed over.
        """
        tape = cls(Path(path))
        try:
            data = tape.path.read_bytes()
        except FileNotFoundError as error:
            raise ModelError(
                "there is no such tape",
                where=path,
                do="Record one, or give the path of another tape",
            ) from error
        except OSError as error:
            raise ModelError(
                f"this tape cannot be read: {error.strerror}", where=path
            ) from error
        tape._take_all(data)
        if tape._header is None:
            raise tape._no_tape()
        return tape

    @classmethod
    def open(cls, path: Path | str, plan: Header) -> Tape:
        """Return the tape to record on: one that is there is continued.

        In one process there is one tape per file, whatever the number of
        clients. Raises ModelError as ``read`` does.
        """
        place = Path(path).resolve()
        with _OPENING:
            size = place.stat().st_size if place.exists() else 0
            tape = _OPEN.get(place)
            if tape is None or tape._size != size:
                tape = cls(place)
            if size:
                with tape._turn, _alone(place):
                    tape._catch_up()
            _OPEN[place] = tape
            tape._plan = plan
        return tape

    def find(self, key: str, repeat: int) -> Exchange | None:
        """Return the exchange of a request, if it is on the tape."""
        return self._found.get((key, repeat))

    def refusal(self, asked: Asked) -> Exchange | None:
        """Return the refusal of a request's options, if the request is
        recorded under other options only.

        The first requests of a recording find out which options a model
        accepts. Which requests those are depends on how many run at once.
        """
        same = ("model", "system", "tools", "messages")
        recorded = any(
            all(each.parts[name] == asked.hashes[name] for name in same)
            for each in self.exchanges
        )
        if not recorded:
            return None
        refused = [
            each
            for each in self.exchanges
            if each.error
            and each.parts["options"] == asked.hashes["options"]
            and each.parts["model"] == asked.hashes["model"]
        ]
        return refused[0] if refused else None

    def request(self, exchange: Exchange) -> Asked:
        """Return what the request of an exchange said."""
        return Asked(self._expand(self._requests[exchange.key]))

    def add(self, asked: Asked, exchange: Exchange, model: str) -> Exchange:
        """Write an exchange, and return what the tape now has for this
        request: another one if somebody else has recorded it meanwhile.

        ``model`` is what answered, as it names itself. The line is on the disk
        when this returns.
        """
        with self._turn, _alone(self.path):
            self._catch_up()
            kept = self.find(exchange.key, exchange.repeat)
            if kept is not None:
                return kept
            lines: list[Mapping[str, Any]] = []
            header = self._header
            requests = dict(self._requests)
            texts = dict(self._texts)
            if self._header is None:
                self._header = self._new_header(model)
                lines.append({"tape": FORM, **asdict(self._header)})
            written = asdict(exchange)
            reply = written.pop("reply")
            error = written.pop("error")
            if exchange.key not in self._requests:
                folded = self._fold(asked.parts, lines)
                self._requests[exchange.key] = folded
                written["request"] = folded
            written |= {"reply": reply, "error": error}
            if not written["redacted"]:
                del written["redacted"]
            lines.append(
                {
                    name: value
                    for name, value in written.items()
                    if value is not None
                }
            )
            try:
                self._append(lines)
            except OSError:
                # what is not on the tape has to be written next time
                self._header = header
                self._requests = requests
                self._texts = texts
                raise
            self._keep(exchange)
            return exchange

    def _catch_up(self) -> None:
        """Read what is on the tape and not known yet: what was there before,
        and what other processes have added.

        A last line that was cut off is removed. Raises ModelError as ``read``
        does, and if another process has begun the tape with other models.
        """
        if not self.path.exists() and not self._size:
            return
        try:
            with self.path.open("r+b") as file:
                if os.fstat(file.fileno()).st_size < self._size:
                    raise FileNotFoundError
                file.seek(self._size)
                data = file.read()
                whole = data.rfind(b"\n") + 1
                begins = _BEGINNING.startswith(data[: len(_BEGINNING)])
                if not self._size and not begins:
                    raise self._no_tape()
                file.truncate(self._size + whole)
        except FileNotFoundError as error:
            raise ModelError(
                "this tape was removed or cut while it was recorded",
                where=self.path,
                do="Record it again, in a new file",
            ) from error
        alone = self._header is None
        self._take_all(data[:whole])
        self._size += whole
        if alone and self._header and self._plan:
            self._refuse_other_models(self._header, self._plan)

    def _refuse_other_models(self, recorded: Header, plan: Header) -> None:
        """Refuse what began while the tape was empty, and asks other models
        than those that somebody else has begun it with.
        """
        theirs = recorded.settings.get("models")
        ours = plan.settings.get("models")
        if theirs and ours and theirs != ours:
            raise ModelError(
                "another process has begun this tape, and asks other models",
                where=self.path,
                do="Choose another file for the new recording",
            )

    def _new_header(self, model: str) -> Header:
        plan = self._plan or Header("", "", "")
        return Header(
            what=plan.what,
            model=model,
            date=plan.date,
            settings=plan.settings,
            memlab=plan.memlab,
            command=plan.command,
        )

    def _append(self, lines: Iterable[Mapping[str, Any]]) -> None:
        text = "".join(
            escape_hidden(json.dumps(line, ensure_ascii=False)) + "\n"
            for line in lines
        )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # memories are on it, if they were sent
        private = partial(os.open, mode=0o600)
        with open(self.path, "ab", buffering=0, opener=private) as file:
            append_durably(file.fileno(), text.encode())
            self._size = os.fstat(file.fileno()).st_size
        self._lines += text.count("\n")

    def _take_all(self, data: bytes) -> None:
        """Read lines; one that has no end is passed over."""
        lines = data.split(b"\n")
        lines.pop()  # empty, or cut off
        for line in lines:
            self._lines += 1
            try:
                self._take(json.loads(line), self._lines)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                problem = str(error)
                if isinstance(error, KeyError):
                    problem = f"{error} is missing"
                raise ModelError(
                    f"this line of the tape is damaged ({problem})",
                    where=f"{self.path}:{self._lines}",
                    do="Get the file from where it came, or record it again",
                ) from error

    def _no_tape(self) -> ModelError:
        return ModelError(
            "this file is no tape: it has no first line that says so",
            where=self.path,
            do="Record one, or give the path of another tape",
        )

    def _take(self, line: Mapping[str, Any], number: int) -> None:
        if number == 1:
            if line["tape"] != FORM:
                raise ValueError(f"form {line['tape']!r} is not known")
            self._header = Header(
                **{
                    name: _typed(
                        line, name, dict if name == "settings" else str
                    )
                    for name in Header.__annotations__
                }
            )
        elif "text" in line:
            self._texts[line["text"]] = line["value"]
        else:
            if "request" in line:
                self._requests[line["key"]] = _typed(line, "request", dict)
            self._requests[line["key"]]  # each key has one
            answer = "error" if "error" in line else "reply"
            exchange = Exchange(
                key=_typed(line, "key", str),
                repeat=_typed(line, "repeat", int),
                purpose=_typed(line, "purpose", str),
                parts={
                    name: _typed(line["parts"], name, str) for name in PARTS
                },
                seconds=_typed(line, "seconds", (int, float)),
                redacted=_typed({"redacted": False, **line}, "redacted", bool),
                **{answer: _typed(line, answer, dict)},
            )
            if answer == "error":
                _typed(exchange.error or {}, "status", int)
            self._keep(exchange)

    def _keep(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)
        self._found.setdefault((exchange.key, exchange.repeat), exchange)

    def _fold(self, value: Any, lines: list[Mapping[str, Any]]) -> Any:
        """Replace long texts by a reference, and add the new ones to the
        lines.
        """
        if isinstance(value, str) and len(value) >= _LONG:
            name = hash_of(value)
            if name not in self._texts:
                self._texts[name] = value
                lines.append({"text": name, "value": value})
            return {"$text": name}
        if isinstance(value, Mapping):
            return {
                name: self._fold(held, lines) for name, held in value.items()
            }
        if isinstance(value, list):
            return [self._fold(held, lines) for held in value]
        return value

    def _expand(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            if list(value) == ["$text"]:
                return self._texts[value["$text"]]
            return {name: self._expand(held) for name, held in value.items()}
        if isinstance(value, list):
            return [self._expand(held) for held in value]
        return value

    def miss(
        self, asked: Asked, repeat: int, purpose: str, command: str
    ) -> TapeMiss:
        """Say why a request is not on this tape: what differs from the
        nearest recorded one, and how to record it.
        """
        command = command or self.header.command or self._general_command()
        do = f"To record it, run:\n  {command}"
        recorded = max(
            (each.repeat for each in self.exchanges if each.key == asked.key),
            default=0,
        )
        if recorded:
            times = f"{recorded} time{'s' if recorded > 1 else ''}"
            return TapeMiss(
                f"this request ({purpose}) is recorded {times} only, and it"
                f" is asked for the {_ordinal(repeat)} time",
                tape=self.path,
                purpose=purpose,
                do=do,
            )
        nearest = self._nearest(asked, purpose)
        if nearest is None:
            what = f"this request ({purpose}) is not on the tape"
            return TapeMiss(what, tape=self.path, purpose=purpose, do=do)
        changed = tuple(
            name for name in PARTS if nearest.parts[name] != asked.hashes[name]
        )
        if len(changed) >= _NOTHING_ALIKE:
            return TapeMiss(
                f"this request ({purpose}) is not on the tape, and none on it"
                " is like it",
                tape=self.path,
                purpose=purpose,
                changed=changed,
                do=do,
            )
        diff = _diff(self.request(nearest), asked, _most_telling(changed))
        *before, last = [_IN_WORDS[name] for name in changed]
        named = " and ".join([", ".join(before), last] if before else [last])
        verb = "differ" if before or changed[-1] in _PLURAL else "differs"
        return TapeMiss(
            f"this request ({purpose}) is not on the tape. Compared with the"
            f" nearest recorded request, {named} {verb}"
            " (- recorded, + now)",
            tape=self.path,
            purpose=purpose,
            changed=changed,
            diff=diff,
            do=do,
        )

    def _general_command(self) -> str:
        return (
            f"MEMLAB_MODEL=record MEMLAB_TAPE={self.path} and the same command"
            " as now"
        )

    def _nearest(self, asked: Asked, purpose: str) -> Exchange | None:
        """Return the recorded exchange with the most equal parts, and among
        several the one whose messages begin and end most alike.
        """

        def equal(each: Exchange) -> int:
            return sum(
                each.parts[name] == asked.hashes[name] for name in PARTS
            )

        same = [each for each in self.exchanges if each.purpose == purpose]
        candidates = same or self.exchanges
        most = max(map(equal, candidates), default=0)
        said = "\n".join(asked.lines("messages"))
        return max(
            (each for each in candidates if equal(each) == most),
            key=lambda each: _alike(
                "\n".join(self.request(each).lines("messages")), said
            ),
            default=None,
        )


_OPEN: WeakValueDictionary[Path, Tape] = WeakValueDictionary()
_OPENING = threading.Lock()


def new_header(
    what: str = "",
    *,
    settings: Mapping[str, Any] | None = None,
    command: str = "",
    clock: Clock | None = None,
) -> Header:
    """Return the header of a tape that is recorded now, with this memlab."""
    # importing it by name would lead up the layers
    version = str(sys.modules["memlab"].__version__)
    now = clock.now() if clock else datetime.now(UTC)
    date = f"{now:%Y-%m-%d}"
    return Header(what, "", date, settings or {}, version, command)


def _typed(
    line: Mapping[str, Any], name: str, kind: type | tuple[type, ...]
) -> Any:
    """Return a value of a line; raises KeyError without one, and TypeError for
    one of the wrong kind.
    """
    value = line[name]
    if not isinstance(value, kind):
        raise TypeError(f"{name} has the wrong type")
    return value


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other processes from writing on a tape; raises OSError if one
    writes for very long.
    """
    from filelock import FileLock

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f".{path.name}.lock")
    with FileLock(lock, timeout=_PATIENCE):
        yield


def _ordinal(number: int) -> str:
    names = {1: "first", 2: "second", 3: "third"}
    return names.get(number, f"{number}th")


def _alike(one: str, other: str) -> int:
    """Count the characters that two texts have in common at both ends."""
    return _begin_alike(one, other) + _begin_alike(one[::-1], other[::-1])


def _begin_alike(one: str, other: str) -> int:
    """Count the characters up to the first that differs."""
    for place, (ours, theirs) in enumerate(zip(one, other, strict=False)):
        if ours != theirs:
            return place
    return min(len(one), len(other))


def _most_telling(changed: Sequence[str]) -> str:
    order = ("system", "messages", "options", "tools", "model")
    return next(name for name in order if name in changed)


def _diff(recorded: Asked, asked: Asked, part: str) -> str:
    """Show the lines that differ, each around its first difference.

    A line that is changed several times, as a prompt that is sent with each of
    several examples, is shown once.
    """
    before, after = recorded.lines(part), asked.lines(part)
    changed = [
        line
        for line in difflib.unified_diff(before, after, n=0, lineterm="")
        if line[:2] not in ("@@",) and line[:3] not in ("---", "+++")
    ]
    lines = list(dict.fromkeys(changed))
    shown = [
        f"  {line[0]} {_around(line[1:], lines)}"
        for line in lines[:_DIFF_LINES]
    ]
    if len(lines) > _DIFF_LINES:
        shown.append(f"  … and {len(lines) - _DIFF_LINES} more lines")
    return "\n".join(shown)


def _around(line: str, lines: Sequence[str]) -> str:
    """Shorten a long line to where it first differs from a line opposite."""
    if len(line) <= _DIFF_CHARACTERS:
        return line
    others = [each[1:] for each in lines if each[1:] != line]
    start = max(
        (_begin_alike(line, other) for other in others),
        default=0,
    )
    begin = max(0, start - _DIFF_CHARACTERS // 3)
    return ("…" if begin else "") + shorten(line[begin:], _DIFF_CHARACTERS)


class _Played:
    """What both transports do: find a request on the tape, and answer it from
    there.
    """

    def __init__(
        self, tape: Tape, environ: Mapping[str, str] | None, command: str
    ) -> None:
        self.tape = tape
        self._environ = environ
        self._command = command
        self._counts: Counter[str] = Counter()

    def call(self, request: httpx2.Request, content: bytes) -> _Call:
        """Read a request, and count it unless it says which repeat it is."""
        redactor = Redactor.in_use(self._environ, request)
        body = json.loads(content)
        asked = Asked.of(body, redactor)
        named = request.headers.get(REPEAT_HEADER, "")
        if not named:
            self._counts[asked.key] += 1
        return _Call(
            asked=asked,
            repeat=int(named) if named else self._counts[asked.key],
            counted=not named,
            purpose=request.headers.get(PURPOSE_HEADER, "main"),
            stream=bool(body.get("stream")),
            redactor=redactor,
        )

    def forget(self, call: _Call) -> None:
        """Take back the count of a call that came to nothing."""
        if call.counted:
            self._counts[call.asked.key] -= 1

    def found(self, call: _Call) -> httpx2.Response | None:
        """Answer from the tape, if the request is there."""
        exchange = self.tape.find(call.asked.key, call.repeat)
        if exchange is None:
            return None
        return self.answer(exchange, stream=call.stream, replayed=True)

    def found_or_miss(self, call: _Call) -> httpx2.Response:
        """Answer from the tape; raises TapeMiss."""
        answer = self.found(call)
        if answer is not None:
            return answer
        refusal = self.tape.refusal(call.asked)
        if refusal is not None:
            return self.answer(refusal, stream=False, replayed=True)
        raise self.tape.miss(
            call.asked, call.repeat, call.purpose, self._command
        )

    def answer(
        self, exchange: Exchange, *, stream: bool, replayed: bool = False
    ) -> httpx2.Response:
        """Make the response for an exchange; ``replayed`` says that nobody was
        asked for it now.
        """
        headers = {
            SOURCE_HEADER: quote(self.tape.label),
            SECONDS_HEADER: f"{exchange.seconds:.3f}",
            "request-id": f"req_tape_{exchange.key}",
        }
        if replayed:
            headers[REPLAYED_HEADER] = "1"
        if exchange.error is not None:
            error = exchange.error
            body = error_json(str(error["type"]), str(error["message"]))
            return json_response(int(error["status"]), body, headers)
        message_id = f"msg_tape_{exchange.key}_{exchange.repeat}"
        return message_response(
            exchange.reply or {}, message_id, stream=stream, headers=headers
        )


@dataclass(frozen=True)
class _Call:
    asked: Asked
    repeat: int
    counted: bool
    purpose: str
    stream: bool
    redactor: Redactor


class ReplayTransport(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """Answers from a tape, for both clients, and raises TapeMiss for a request
    that is not on it.
    """

    def __init__(
        self,
        tape: Tape,
        *,
        environ: Mapping[str, str] | None = None,
        command: str = "",
    ) -> None:
        self._played = _Played(tape, environ, command)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request."""
        return self._answer(request, request.read())

    async def handle_async_request(
        self, request: httpx2.Request
    ) -> httpx2.Response:
        """Answer one request."""
        return self._answer(request, await request.aread())

    def _answer(
        self, request: httpx2.Request, content: bytes
    ) -> httpx2.Response:
        if is_count(request):
            return json_response(200, token_count(content))
        if not is_message(request):
            return nothing_at(request)
        return self._played.found_or_miss(self._played.call(request, content))


class RecordTransport(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """Answers from a tape; what is not on it is asked of ``inner`` first, a
    transport for the same kind of client, and recorded.

    Busy and failing services, an account without credit, and streams that
    break off are passed on and not recorded.
    """

    def __init__(
        self,
        inner: httpx2.BaseTransport | httpx2.AsyncBaseTransport,
        tape: Tape,
        *,
        clock: Clock | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._inner = inner
        self._clock = clock or SystemClock()
        self._played = _Played(tape, environ, "")

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request."""
        assert isinstance(self._inner, httpx2.BaseTransport)
        if not is_message(request):
            return self._inner.handle_request(request)
        call = self._played.call(request, request.read())
        kept = self._played.found(call)
        if kept is not None:
            return kept
        began = self._clock.now()
        try:
            response = self._inner.handle_request(request)
            data = response.read()
        except BaseException:
            self._played.forget(call)
            raise
        response.close()
        return self._record(call, request, response, data, began)

    async def handle_async_request(
        self, request: httpx2.Request
    ) -> httpx2.Response:
        """Answer one request."""
        assert isinstance(self._inner, httpx2.AsyncBaseTransport)
        if not is_message(request):
            return await self._inner.handle_async_request(request)
        call = self._played.call(request, await request.aread())
        kept = self._played.found(call)
        if kept is not None:
            return kept
        began = self._clock.now()
        try:
            response = await self._inner.handle_async_request(request)
            data = await response.aread()
        except BaseException:
            self._played.forget(call)
            raise
        await response.aclose()
        return self._record(call, request, response, data, began)

    def close(self) -> None:
        """Close the inner transport."""
        if isinstance(self._inner, httpx2.BaseTransport):
            self._inner.close()

    async def aclose(self) -> None:
        """Close the inner transport."""
        if isinstance(self._inner, httpx2.AsyncBaseTransport):
            await self._inner.aclose()

    def _record(
        self,
        call: _Call,
        request: httpx2.Request,
        response: httpx2.Response,
        data: bytes,
        began: datetime,
    ) -> httpx2.Response:
        seconds = round((self._clock.now() - began).total_seconds(), 3)
        # without the wait for the model's turn, if the transport knows it
        seconds = float(response.headers.get(SECONDS_HEADER) or seconds)
        reply, error = _outcome(response, data)
        if reply is None and error is None:
            self._played.forget(call)
            return _unchanged(response, data)
        if error is not None:
            error["message"] = without_address(error["message"], request)
        asked = call.asked
        answered = Exchange(
            key=asked.key,
            repeat=call.repeat,
            purpose=call.purpose,
            parts=asked.hashes,
            seconds=seconds,
            reply=reply,
            error=error,
        )
        written = replace(
            answered,
            reply=call.redactor.json(reply) if reply is not None else None,
            error=call.redactor.json(error) if error is not None else None,
        )
        if (written.reply, written.error) != (reply, error):
            written = replace(written, redacted=True)
        model = str((reply or {}).get("model") or asked.parts["model"])
        try:
            kept = self._played.tape.add(asked, written, model)
        except (OSError, ModelError):
            self._played.forget(call)
            raise
        # another client may have recorded the same request meanwhile
        now = answered if kept is written else kept
        return self._played.answer(now, stream=call.stream)


def _outcome(
    response: httpx2.Response, data: bytes
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Read a reply or a final refusal; both are None for anything else."""
    streams = "event-stream" in response.headers.get("content-type", "")
    try:
        body = read_stream(data) if streams else json.loads(data)
    except (ValueError, KeyError, IndexError, TypeError):
        body = None
    if response.status_code in _FINAL:
        refusal = _refusal(response.status_code, body, data)
        if out_of_credit(refusal["status"], refusal["message"]):
            return None, None
        return None, refusal
    if response.status_code != 200 or not isinstance(body, dict):
        return None, None
    if body.get("type") != "message":
        return None, None
    dropped = ("id", "container", "diagnostics")
    return {
        name: value for name, value in body.items() if name not in dropped
    }, None


def _refusal(status: int, body: Any, data: bytes) -> dict[str, Any]:
    details = body.get("error") if isinstance(body, dict) else None
    if not isinstance(details, Mapping):
        text = (
            details
            if isinstance(details, str)
            else data.decode("utf-8", "replace")
        )
        details = {"message": text}
    return {
        "status": status,
        "type": str(details.get("type") or "invalid_request_error"),
        "message": str(details.get("message") or ""),
    }


def _unchanged(response: httpx2.Response, data: bytes) -> httpx2.Response:
    """Return a response that was read, as it came."""
    framing = ("content-encoding", "content-length", "transfer-encoding")
    headers = [
        (name, value)
        for name, value in response.headers.multi_items()
        if name.lower() not in framing
    ]
    return httpx2.Response(
        response.status_code, headers=headers, stream=unread(data)
    )

"""Tapes: the requests of one experiment and what a model answered, in a file
that anybody can read and replay.

A tape is a file of JSON lines. The first line says what the tape is for, and
names the models that were asked; a ``label`` there says who answered, where
the model's name and the date would not. A line ``{"piece": …}`` has a system
prompt, a list of tools or a message, each once, and every other line is an
exchange: the pieces of a request, and the reply. The secrets in what is said
are replaced (``redact``); headers, addresses and keys are never written. Left
out are the service's ids, cache marks and metadata, because they change
nothing about the answer.

What is on a tape already is played from it while recording, so an interrupted
recording goes on where it stopped. memlab gets what the model really said. A
replay gives the same, except for secrets: there it says ``[removed]``, and the
exchange is marked ``"redacted": true``.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2

from memlab.clock import Clock
from memlab.errors import ModelError, TapeMiss
from memlab.memdir.folder import append_durably
from memlab.models.redact import Redactor
from memlab.models.wire import (
    PURPOSE_HEADER,
    REPLAYED_HEADER,
    json_object,
    json_response,
    stream_events,
)
from memlab.runtime import SOURCE_HEADER
from memlab.text import (
    as_blocks,
    block_text,
    escape_hidden,
    request_tokens,
    shorten,
)

REPEAT_HEADER = "x-memlab-repeat"
"""Which of several equal requests this is, counted from 1. Without it, equal
requests are counted as they come.
"""
FORM = 2
PARTS = {
    "model": "the name of the model differs",
    "system": "the system prompt differs",
    "tools": "the tools differ",
    "messages": "the messages differ",
    "options": "the options (length, schema and others) differ",
}
_NO_CONTENT = ("cache_control", "metadata", "stream", "diagnostics")
_FREE_FORM = ("input", "input_schema", "schema")
_SENTENCES = re.compile(r"\n|(?<=[.!?]) ")
_SHOWN = 12  # lines of a difference
_CHARACTERS = 160
_PATIENCE = 3600.0  # seconds: an answer may be handed over by a person
_UNSAID = ("id", "container", "diagnostics")


class Asked:
    """What a request says: its parts, without what changes nothing, and the
    pieces that they name by a hash.
    """

    def __init__(self, body: Mapping[str, Any], redactor: Redactor) -> None:
        said = redactor.json(_bare(body))
        self.pieces: dict[str, Any] = {}
        self.parts = {
            "model": said.pop("model"),
            "system": self._piece(as_blocks(said.pop("system", []))),
            "tools": self._piece(said.pop("tools", [])),
            "messages": [
                self._piece({**one, "content": as_blocks(one["content"])})
                for one in said.pop("messages")
            ],
            "options": said,
        }
        self.key = _hash(self.parts)

    def _piece(self, value: Any) -> str:
        name = _hash(value)
        self.pieces[name] = value
        return name


def _bare(value: Any) -> Any:
    """Return a request without marks and metadata."""
    if isinstance(value, Mapping):
        return {
            name: held if name in _FREE_FORM else _bare(held)
            for name, held in value.items()
            if name not in _NO_CONTENT
        }
    return [*map(_bare, value)] if isinstance(value, list) else value


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@dataclass
class Tape:
    """What is on a tape: its first line, its pieces, and its exchanges by key
    and repeat, in the order in which they were recorded.
    """

    path: Path
    header: dict[str, Any] = field(default_factory=dict)
    pieces: dict[str, Any] = field(default_factory=dict)
    exchanges: dict[tuple[str, int], dict[str, Any]] = field(
        default_factory=dict
    )

    @property
    def model(self) -> str:
        """What answered, as it names itself."""
        replies = [one["reply"] for one in self.exchanges.values()]
        return next((one["model"] for one in replies if "model" in one), "")

    @property
    def label(self) -> str:
        """Who answers when this tape is replayed."""
        usual = f"{self.model}, recorded {self.header['date']}"
        return str(self.header.get("label") or usual)

    @classmethod
    def read(cls, path: Path | str) -> Tape:
        """Read a tape; raises ModelError if there is none, and for a line
        that is damaged.

        A last line that was cut off while it was written is passed over.
        """
        tape = cls(Path(path))
        try:
            data = tape.path.read_bytes()
        except OSError as error:
            raise ModelError(
                f"this tape cannot be read: {error.strerror}",
                where=path,
                do="Record one, or give the path of another tape",
            ) from error
        for number, text in enumerate(data.split(b"\n")[:-1], 1):
            line = json_object(text)
            if line.get("tape") == FORM:
                tape.header = line
            elif tape.header and "piece" in line:
                tape.pieces[line["piece"]] = line["value"]
            elif tape.header and {"key", "repeat", "reply"} <= line.keys():
                place = line["key"], line["repeat"]
                tape.exchanges.setdefault(place, line)
            else:
                raise ModelError(
                    "this line is damaged, or this is no tape",
                    where=f"{path}:{number}",
                    do="Get the file from where it came, or record it again",
                )
        if not tape.header:
            raise ModelError("this file is no tape", where=path)
        return tape

    @classmethod
    def begin(
        cls, path: Path, header: Mapping[str, Any], clock: Clock
    ) -> Tape:
        """Return the tape to record on: one that is there is continued, and
        may not be recorded for other models. Raises ModelError as ``read``
        does.
        """
        if path.exists() and path.stat().st_size:
            tape = cls.read(path)
            if tape.header["models"] != header["models"]:
                raise ModelError(
                    "the answers on this tape are those of other models",
                    where=path,
                    do="Choose another file for the new recording",
                )
            os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
            return tape
        tape = cls(path)
        date = f"{clock.now():%Y-%m-%d}"
        version = sys.modules["memlab"].__version__
        tape.header = {"tape": FORM, "date": date, "memlab": version, **header}
        return tape

    def add(self, asked: Asked, exchange: dict[str, Any]) -> None:
        """Write an exchange; it is on the disk when this returns."""
        pieces = [
            {"piece": name, "value": value}
            for name, value in asked.pieces.items()
            if name not in self.pieces
        ]
        first = [] if self.exchanges else [self.header]
        self.append(*first, *pieces, exchange)
        self.pieces |= asked.pieces
        self.exchanges[exchange["key"], exchange["repeat"]] = exchange

    def append(self, *lines: Mapping[str, Any]) -> None:
        """Write lines at the end, all of them or none."""
        from filelock import FileLock

        said = [json.dumps(line, ensure_ascii=False) for line in lines]
        text = "".join(escape_hidden(line) + "\n" for line in said)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lock = self.path.with_name(f".{self.path.name}.lock")
        # memories are on it, if they were sent
        private = partial(os.open, mode=0o600)
        with FileLock(lock), open(self.path, "ab", opener=private) as file:
            append_durably(file.fileno(), text.encode())

    def miss(self, asked: Asked, repeat: int, purpose: str) -> TapeMiss:
        """Say what differs from the nearest recorded request, and how to
        record this one.
        """
        usual = f"MEMLAB_MODEL=record MEMLAB_TAPE={self.path} and the same command as now"
        what = f"this request ({purpose}) is not on the tape"
        diff = ""
        parts = self._nearest(asked, purpose)
        changed = tuple(
            name for name in parts if parts[name] != asked.parts[name]
        )
        if changed:
            said = " and ".join(PARTS[name] for name in changed)
            what += (
                f". Compared with the nearest recorded request, {said}"
                " (- recorded, + now)"
            )
            before = _lines(parts, self.pieces)
            diff = _difference(before, _lines(asked.parts, asked.pieces))
        elif parts:
            what += f" so often: it was recorded fewer than {repeat} times"
        return TapeMiss(
            what,
            tape=self.path,
            purpose=purpose,
            changed=changed,
            diff=diff,
            do=f"To record it, run:\n  {self.header.get('command') or usual}",
        )

    def _nearest(self, asked: Asked, purpose: str) -> dict[str, Any]:
        """Return the recorded request with the most equal parts, and among
        several the one that begins and ends most alike; {} if there is none.
        """
        now = "\n".join(_lines(asked.parts, asked.pieces))

        def likeness(parts: dict[str, Any]) -> tuple[int, int]:
            equal = sum(parts[name] == asked.parts[name] for name in PARTS)
            then = "\n".join(_lines(parts, self.pieces))
            return equal, _common(then, now) + _common(then[::-1], now[::-1])

        every = list(self.exchanges.values())
        same = [one for one in every if one["purpose"] == purpose]
        requests = [one["request"] for one in same or every]
        return max(requests, key=likeness, default={})


def _lines(parts: Mapping[str, Any], pieces: Mapping[str, Any]) -> list[str]:
    """Write a request as lines and sentences, so that a difference is small."""
    said = [parts["model"], *map(block_text, pieces[parts["system"]])]
    for value in (pieces[parts["tools"]], parts["options"]):
        said.append(json.dumps(value, ensure_ascii=False, indent=1))
    for name in parts["messages"]:
        role = pieces[name]["role"]
        texts = map(block_text, pieces[name]["content"])
        said += [f"{role}: {text}" for text in texts]
    return [line for text in said for line in _SENTENCES.split(text) if line]


def _common(one: str, other: str) -> int:
    """Count the characters up to the first that differs."""
    pairs = enumerate(zip(one, other, strict=False))
    shorter = min(len(one), len(other))
    return next((at for at, (a, b) in pairs if a != b), shorter)


def _difference(before: Sequence[str], now: Sequence[str]) -> str:
    changed = [
        f"  {line[0]} {shorten(line[1:], _CHARACTERS)}"
        for line in difflib.unified_diff(before, now, n=0, lineterm="")
        if not line.startswith(("@@", "---", "+++"))
    ]
    lines = list(dict.fromkeys(changed))
    more = [f"  … and {len(lines) - _SHOWN} more lines"]
    return "\n".join(lines[:_SHOWN] + more * (len(lines) > _SHOWN))


class TapeTransport(httpx2.AsyncBaseTransport):
    """Answers from a tape.

    What is not there is asked of ``inner`` and recorded; without ``inner``,
    it raises TapeMiss. A refusal is passed on and not recorded: most say only
    how the service was at that moment.
    """

    def __init__(
        self,
        tape: Tape,
        clock: Clock,
        inner: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self.tape, self._clock, self._inner = tape, clock, inner
        self._counts: Counter[str] = Counter()

    async def handle_async_request(
        self, request: httpx2.Request
    ) -> httpx2.Response:
        """Answer one request."""
        body = json.loads(await request.aread())
        if not request.url.path.endswith("/v1/messages"):
            if self._inner is not None:
                return await self._inner.handle_async_request(request)
            return json_response(200, {"input_tokens": request_tokens(body)})
        redactor = Redactor(str(request.url))
        asked = Asked(body, redactor)
        named = request.headers.get(REPEAT_HEADER)
        repeat = int(named or self._counts[asked.key] + 1)
        purpose = request.headers.get(PURPOSE_HEADER, "main")
        exchange = self.tape.exchanges.get((asked.key, repeat))
        headers = {}
        if exchange is not None:
            headers[REPLAYED_HEADER] = str(exchange.get("seconds", 0))
        elif self._inner is None:
            raise self.tape.miss(asked, repeat, purpose)
        else:
            began = self._clock.now()
            response = await self._inner.handle_async_request(
                _in_one_piece(request, body)
            )
            data = await response.aread()
            await response.aclose()
            reply = json_object(data)
            if reply.get("type") != "message":
                stream = httpx2.ByteStream(data)
                return httpx2.Response(response.status_code, stream=stream)
            exchange = {
                "key": asked.key,
                "repeat": repeat,
                "purpose": purpose,
                "request": asked.parts,
                "reply": {k: v for k, v in reply.items() if k not in _UNSAID},
            }
            if reply["usage"].get("input_tokens"):
                took = self._clock.now() - began
                exchange["seconds"] = round(took.total_seconds(), 3)
            kept = redactor.json(exchange["reply"])
            if kept == exchange["reply"]:
                self.tape.add(asked, exchange)
            else:
                marked = {**exchange, "redacted": True, "reply": kept}
                self.tape.add(asked, marked)
        self._counts[asked.key] += not named
        name = f"msg_tape_{asked.key}_{repeat}"
        message = {**exchange["reply"], "id": name}
        headers[SOURCE_HEADER] = quote(self.tape.label)
        if not body.get("stream"):
            return json_response(200, message, **headers)
        headers["content-type"] = "text/event-stream"
        events = b"".join(event for _, event in stream_events(message))
        stream = httpx2.ByteStream(events)
        return httpx2.Response(200, headers=headers, stream=stream)

    async def aclose(self) -> None:
        """Close the inner transport."""
        if self._inner is not None:
            await self._inner.aclose()


def _in_one_piece(
    request: httpx2.Request, body: Mapping[str, Any]
) -> httpx2.Request:
    """Ask for the answer as one message, however long that takes."""
    headers = request.headers.copy()
    del headers["content-length"]
    limits = {**request.extensions["timeout"], "read": _PATIENCE}
    return httpx2.Request(
        request.method,
        request.url,
        headers=headers,
        json={**body, "stream": False},
        extensions={**request.extensions, "timeout": limits},
    )

"""Tapes: the requests of one experiment and what a model answered, in a file
that anybody can read and replay.

A tape is a file of JSON lines. The first line says what the tape is for, and
names the models that were asked; a ``label`` there says who answered, where
the model's name and the date would not. A line ``{"piece": …}`` has a system
prompt, a list of tools or a message, each once, and every other line is an
exchange: the pieces of a request, and the reply, or what the service said when
it refused the request for what is in it. The secrets in what is said are
replaced; headers, addresses and keys are never written. Left out are the
service's ids, cache marks and metadata, because they change nothing about the
answer.

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
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2

from memlab.clock import Clock
from memlab.errors import ModelError, TapeMiss
from memlab.memdir.folder import PRIVATE_FILE, append_durably, plain
from memlab.memdir.secrets import REMOVED, find_secrets, remove_secrets
from memlab.models.wire import (
    PURPOSE_HEADER,
    REPLAYED_HEADER,
    SECONDS_HEADER,
    json_object,
    json_response,
    message_response,
)
from memlab.runtime import SOURCE_HEADER
from memlab.service_errors import out_of_credit
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
PARTS = {
    "model": "the name of the model differs",
    "system": "the system prompt differs",
    "tools": "the tools differ",
    "messages": "the messages differ",
    "options": "the options (length, schema and others) differ",
}
_FORM = 2
_EXCHANGE = {"key", "repeat", "purpose", "request", "reply"}
_FINAL = (400, 413, 422)
"""Refusals that say something about the request; the others say only how the
service was at that moment.
"""
_NO_CONTENT = ("cache_control", "metadata", "stream")
_UNSAID = ("id", "container")
_SENTENCES = re.compile(r"\n|(?<=[.!?]) ")
_SHOWN = 12  # lines of a difference
_CHARACTERS = 160
_PATIENCE = 86_400.0  # seconds: an answer may be handed over by a person

SHORTEST = 12
"""Characters from which a value is taken for a secret; a shorter one is a word
like ``test``, which texts have for other reasons.
"""
_NAMED = 200  # characters up to which a value is looked at with its name
_PLAIN = re.compile(
    r"accept|anthropic-(beta|version)|connection|content-|host|transfer-"
    r"|user-agent|x-stainless-|x-memlab-"
)
# the same prompts come again and again
_without_found = lru_cache(maxsize=512)(remove_secrets)


class Redactor:
    """Replaces secrets in texts and in JSON by ``[removed]``: those that are
    found, the values of the ``ANTHROPIC_…`` variables, but for names of
    models, and those in the headers and the address of a request.

    Left out: a value that was changed before it came back, for example
    encrypted or cut in the middle.
    """

    def __init__(self, request: httpx2.Request | None = None) -> None:
        values: list[str] = []
        for name, value in os.environ.items():
            if name.startswith("ANTHROPIC_") and not name.endswith("MODEL"):
                lines = value.splitlines()  # each can be a header
                values += [value, *(line.partition(":")[2] for line in lines)]
        if request is not None:
            url = request.url
            values += [url.username, url.password, *url.params.values()]
            values += url.path.split("/")
            for name, value in request.headers.items():
                if not _PLAIN.match(name):  # such as "Bearer KEY"
                    values += [value, value.rpartition(" ")[2]]
        known = {value.strip() for value in values}
        known |= {quote(value, safe="") for value in known}
        long = [value for value in known if len(value) >= SHORTEST]
        self._values = sorted(long, key=len, reverse=True)

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        for value in self._values:
            text = text.replace(value, REMOVED)
        return _without_found(text)

    def json(self, value: Any) -> Any:
        """Return a JSON value without secrets in its texts and names.

        A value whose name says that it is a secret is removed too, as in
        ``{"password": "…"}``.
        """
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {
                self.text(name): REMOVED
                if _is_named_secret(name, held)
                else self.json(held)
                for name, held in value.items()
            }
        return [*map(self.json, value)] if isinstance(value, list) else value


def _is_named_secret(name: str, value: Any) -> bool:
    if not isinstance(value, str) or len(value) > _NAMED:
        return False
    found = find_secrets(f"{name}: {value}")
    return any(secret.offset < len(name) for secret in found)


def parts_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Take a request apart by ``PARTS``, without what changes nothing about
    its answer.
    """
    said = {k: v for k, v in body.items() if k not in _NO_CONTENT}
    return {
        "model": said.pop("model"),
        "system": _bare(said.pop("system", [])),
        "tools": _bare(said.pop("tools", [])),
        "messages": [
            {**one, "content": _bare(one["content"])}
            for one in said.pop("messages")
        ],
        "options": said,
    }


def _bare(content: Any) -> list[dict[str, Any]]:
    """Return blocks or tools without cache marks."""
    blocks = [dict(block) for block in as_blocks(content)]
    for block in blocks:
        block.pop("cache_control", None)
    return blocks


def hash_of(part: Any) -> str:
    """Return the name of a part of a request, or of a message."""
    text = json.dumps(part, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


class Asked:
    """A request as it is on a tape: its parts, without secrets, of which the
    long ones are only named, and these ``pieces`` by name.
    """

    def __init__(self, body: Mapping[str, Any], redactor: Redactor) -> None:
        said = redactor.json(parts_of(body))
        pieces = [said["system"], said["tools"], *said["messages"]]
        self.pieces = {hash_of(piece): piece for piece in pieces}
        system, tools, *messages = map(hash_of, pieces)
        named = {"system": system, "tools": tools, "messages": messages}
        self.parts: dict[str, Any] = {**said, **named}
        self.key = hash_of(self.parts)


class Tape:
    """What is on a tape: its first line, its pieces, and its exchanges by key
    and repeat, in the order in which they were recorded.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.header: dict[str, Any] = {
            "tape": _FORM,
            "date": "",
            "command": "",
            "models": {},
        }
        self.pieces: dict[str, Any] = {}
        self.exchanges: dict[tuple[str, int], dict[str, Any]] = {}

    @property
    def model(self) -> str:
        """What answered, as it names itself."""
        replies = [one.get("reply", {}) for one in self.exchanges.values()]
        return next((one["model"] for one in replies if "model" in one), "")

    @property
    def label(self) -> str:
        """Who answers when this tape is replayed."""
        usual = f"{self.model}, recorded {self.header['date']}"
        return str(self.header.get("label") or usual)

    @classmethod
    def read(cls, path: Path | str) -> Tape:
        """Read a tape; raises ModelError if there is none, for one of memlab
        0.2, and for a line that is damaged.

        A last line that was cut off while it was written is passed over.
        """
        try:
            with open(path, "rb", opener=plain) as file:
                lines = file.read().split(b"\n")[:-1]
        except OSError as error:
            raise ModelError(
                f"this tape cannot be read: {error.strerror}",
                where=path,
                do="Record one, or give the path of another tape",
            ) from error
        tape = cls(path)
        for number, line in enumerate(map(json_object, lines), 1):
            if line.get("tape") == _FORM:  # each recording begins with one
                tape.header |= line
            elif "piece" in line and number > 1:
                tape.pieces[line["piece"]] = line.get("value")
            elif line.keys() >= _EXCHANGE and number > 1:
                place = line["key"], line["repeat"]
                tape.exchanges.setdefault(place, line)
            else:
                raise _unreadable(f"{path}:{number}", line)
        if not lines:
            raise _unreadable(path, {})
        return tape

    @classmethod
    def begin(cls, path: Path, header: Mapping[str, Any]) -> Tape:
        """Return the tape to record on: one that is there is continued, and
        may not be recorded for other models. Raises ModelError as ``read``
        does.
        """
        tape = cls(path)
        tape.header |= header
        if path.exists() and (path.stat().st_size or not path.is_file()):
            tape = cls.read(path)
            os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
        if tape.header["models"] != header["models"]:
            raise ModelError(
                "the answers on this tape are those of other models",
                where=path,
                do="Choose another file for the new recording",
            )
        return tape

    def add(self, asked: Asked, exchange: dict[str, Any]) -> None:
        """Write an exchange; it is on the disk when this returns."""
        from filelock import FileLock

        lines = [] if self.exchanges else [self.header]
        for name, value in asked.pieces.items():
            if name not in self.pieces:
                lines.append({"piece": name, "value": value})
        said = [
            json.dumps(one, ensure_ascii=False) for one in [*lines, exchange]
        ]
        text = "".join(escape_hidden(line) + "\n" for line in said)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lock = self.path.with_name(f".{self.path.name}.lock")
        # memories are on it, if they were sent
        guard = FileLock(lock, mode=PRIVATE_FILE)
        with guard, open(self.path, "ab", opener=plain) as file:
            append_durably(file.fileno(), text.encode())
        self.pieces |= asked.pieces
        self.exchanges[exchange["key"], exchange["repeat"]] = exchange

    def miss(self, asked: Asked, repeat: int, purpose: str) -> TapeMiss:
        """Say what differs from the nearest recorded request, and how to
        record this one.
        """

        def likeness(parts: Mapping[str, Any]) -> tuple[int, int]:
            equal = [parts[name] == asked.parts[name] for name in PARTS]
            both = {*parts["messages"]}.intersection(asked.parts["messages"])
            return sum(equal), len(both)

        what, diff = f"this request ({purpose}) is not on the tape", ""
        every = self.exchanges.values()
        same = [one for one in every if one["purpose"] == purpose]
        requests = [one["request"] for one in same or every]
        nearest: dict[str, Any] = max(requests, key=likeness, default={})
        changed = tuple(n for n in nearest if nearest[n] != asked.parts[n])
        if changed:
            said = " and ".join(PARTS[name] for name in changed)
            what += (
                f". Compared with the nearest recorded request, {said}"
                " (- recorded, + now)"
            )
            pieces = self.pieces | asked.pieces
            diff = _difference(
                _lines(nearest, pieces), _lines(asked.parts, pieces)
            )
        elif nearest:
            what += f" so often: it was recorded fewer than {repeat} times"
        how = self.header["command"] or (
            f"MEMLAB_MODEL=record MEMLAB_TAPE={self.path} and the same command"
            " as now"
        )
        return TapeMiss(
            what,
            tape=self.path,
            purpose=purpose,
            changed=changed,
            diff=diff,
            do=f"To record it, run:\n  {how}",
        )


def _unreadable(where: object, line: Mapping[str, Any]) -> ModelError:
    what = "this line is damaged, or this is no tape"
    do = "Get the file again from its source, or make a new recording"
    if line.get("tape") == 1:
        what = "this tape was recorded by memlab 0.2, in another form"
        do = "Move it away, and record a new one"
        if line.get("command"):
            do += f" with:\n  {line['command']}"
    return ModelError(what, where=where, do=do)


def _lines(parts: Mapping[str, Any], pieces: Mapping[str, Any]) -> list[str]:
    """Write a request as lines and sentences, so that a difference is small."""
    said = [parts["model"], *map(block_text, pieces[parts["system"]])]
    for value in (pieces[parts["tools"]], parts["options"]):
        said.append(json.dumps(value, ensure_ascii=False, indent=1))
    for message in map(pieces.__getitem__, parts["messages"]):
        texts = map(block_text, message["content"])
        said += [f"{message['role']}: {text}" for text in texts]
    return [line for text in said for line in _SENTENCES.split(text) if line]


def _difference(before: list[str], now: list[str]) -> str:
    diff = [*difflib.unified_diff(before, now, n=0, lineterm="")]
    changed = [line for line in diff[2:] if not line.startswith("@@")]
    shown = dict.fromkeys(
        f"  {line[0]} {shorten(line[1:], _CHARACTERS)}" for line in changed
    )
    return "\n".join(list(shown)[:_SHOWN])


class TapeTransport(httpx2.AsyncBaseTransport):
    """Answers from a tape.

    What is not there is asked of ``inner`` and recorded; without ``inner``,
    it raises TapeMiss.
    """

    def __init__(
        self,
        tape: Tape,
        clock: Clock,
        inner: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._tape, self._clock, self._inner = tape, clock, inner
        self._counts: Counter[str] = Counter()

    async def handle_async_request(
        self, request: httpx2.Request
    ) -> httpx2.Response:
        """Answer one request."""
        body = json.loads(await request.aread())
        if not request.url.path.endswith("/v1/messages"):
            return json_response(200, {"input_tokens": request_tokens(body)})
        redactor = Redactor(request)
        asked = Asked(body, redactor)
        named = request.headers.get(REPEAT_HEADER)
        self._counts[asked.key] += not named
        repeat = int(named or self._counts[asked.key])
        purpose = request.headers.get(PURPOSE_HEADER, "main")
        recorded = self._tape.exchanges.get((asked.key, repeat))
        if recorded is not None:
            return self._play(recorded, body, **{REPLAYED_HEADER: "1"})
        if self._inner is None:
            raise self._tape.miss(asked, repeat, purpose)
        exchange: dict[str, Any] = {
            "key": asked.key,
            "repeat": repeat,
            "purpose": purpose,
            "request": asked.parts,
        }
        try:
            began = self._clock.now()
            response = await self._inner.handle_async_request(
                in_one_piece(request, body)
            )
            data = await response.aread()
            await response.aclose()
            reply = _reply(response.status_code, data)
            if not reply:  # it is passed on
                again = [
                    h for h in response.headers.items() if "retry" in h[0]
                ]
                stream = httpx2.ByteStream(data)
                status = response.status_code
                return httpx2.Response(status, headers=again, stream=stream)
            if not response.is_success:
                exchange["status"] = response.status_code
            elif reply["usage"].get("input_tokens"):  # a model's, no person's
                took = (self._clock.now() - began).total_seconds()
                exchange["seconds"] = round(took, 3)
            kept = redactor.json(reply)
            marked = {"redacted": True} if kept != reply else {}
            self._tape.add(asked, {**exchange, **marked, "reply": kept})
            return self._play({**exchange, "reply": reply}, body)
        finally:
            if (asked.key, repeat) not in self._tape.exchanges:
                self._counts[asked.key] -= not named

    def _play(
        self,
        exchange: Mapping[str, Any],
        body: Mapping[str, Any],
        **headers: str,
    ) -> httpx2.Response:
        if "status" in exchange:
            return json_response(exchange["status"], exchange["reply"])
        headers[SOURCE_HEADER] = quote(self._tape.label)
        headers[SECONDS_HEADER] = str(exchange.get("seconds", 0))
        name = f"msg_tape_{exchange['key']}_{exchange['repeat']}"
        message = {**exchange["reply"], "id": name}
        return message_response(message, body.get("stream", False), headers)

    async def aclose(self) -> None:
        """Close the inner transport."""
        if self._inner is not None:
            await self._inner.aclose()


def _reply(status: int, data: bytes) -> dict[str, Any]:
    """Return what is recorded of an answer: a message, a refusal that says
    something about the request, or {}.
    """
    reply = json_object(data)
    if reply.get("type") == "message":
        said = {k: v for k, v in reply.items() if k not in _UNSAID}
        return {"usage": {}, **said}
    text = data.decode("utf-8", "replace")
    is_final = status in _FINAL and not out_of_credit(status, text)
    return reply if is_final else {}


def in_one_piece(
    request: httpx2.Request, body: Mapping[str, Any]
) -> httpx2.Request:
    """Ask for the answer as one message, however long that takes."""
    headers = request.headers.copy()
    del headers["content-length"]
    limits = {**request.extensions["timeout"], "read": _PATIENCE}
    parts: dict[str, Any] = {
        "headers": headers,
        "json": {**body, "stream": False},
    }
    parts["extensions"] = {"timeout": limits}
    return httpx2.Request(request.method, request.url, **parts)

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
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2

from memlab.clock import Clock
from memlab.errors import ModelError, TapeMiss
from memlab.memdir.folder import append_durably
from memlab.memdir.secrets import REMOVED, find_secrets, remove_secrets
from memlab.models.wire import (
    PURPOSE_HEADER,
    REPLAYED_HEADER,
    SECONDS_HEADER,
    json_object,
    json_response,
    stream_events,
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
_EXCHANGE = {"key", "repeat", "purpose", "request"}
_FINAL = (400, 413, 422)
"""Refusals that say something about the request; the others say only how the
service was at that moment.
"""
_NO_CONTENT = ("cache_control", "metadata", "stream")
_UNSAID = ("id", "container")
_SENTENCES = re.compile(r"\n|(?<=[.!?]) ")
_SHOWN = 12  # lines of a difference
_CHARACTERS = 160
_PATIENCE = 3600.0  # seconds: an answer may be handed over by a person

SHORTEST_KEY = 12
"""Characters from which a key or a variable is removed from what is kept."""
SHORTEST = 8
"""The same, for what else a request has that may be secret."""
_SEGMENT = 16  # characters from which a part of a path may be a key
_PAIRED = 200  # characters up to which a value is looked at with its name
_PLAIN = re.compile(
    r"accept|anthropic-(beta|version)|connection|content-|host|transfer-"
    r"|user-agent|x-stainless-|x-memlab-"
)
_KEYS = ("authorization", "cookie", "proxy-authorization", "x-api-key")


class Redactor:
    """Replaces secrets in texts and in JSON by ``[removed]``: those that are
    found, the values of the ``ANTHROPIC_…`` variables, but for names of
    models, and those in the headers and the address of a request.

    Left out: a value that was changed before it came back, for example
    encrypted or cut in the middle, and short keys: such a key is a word like
    ``test``, which a server on this machine accepts and which texts have for
    other reasons.
    """

    def __init__(self, request: httpx2.Request | None = None) -> None:
        keys: list[str] = []
        others: list[str] = []
        for name, value in os.environ.items():
            if name.startswith("ANTHROPIC_") and not name.endswith("MODEL"):
                lines = value.splitlines()
                keys += [value, *(line.partition(":")[2] for line in lines)]
        for name, value in request.headers.items() if request else ():
            if not _PLAIN.match(name):
                kind = keys if name in _KEYS else others
                kind += [value, value.rpartition(" ")[2]]
        if request is not None:
            url = request.url
            path = url.path.split("/")
            others += [url.username, url.password, *url.params.values()]
            others += [part for part in path if len(part) >= _SEGMENT]
        known = {
            key.strip() for key in keys if len(key.strip()) >= SHORTEST_KEY
        }
        known |= {value for value in others if len(value) >= SHORTEST}
        known |= {quote(value, safe="") for value in known}
        self._values = sorted(known, key=len, reverse=True)

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


@lru_cache(maxsize=512)
def _without_found(text: str) -> str:
    """Look for secrets once per text; the same prompts come again and again."""
    return remove_secrets(text)


def _is_named_secret(name: str, value: Any) -> bool:
    if not isinstance(value, str) or len(value) > _PAIRED:
        return False
    found = find_secrets(f"{name}: {value}")
    return any(secret.offset < len(name) for secret in found)


class Asked:
    """What a request says: its parts, without what changes nothing, and the
    pieces that they name by a hash.
    """

    def __init__(self, body: Mapping[str, Any], redactor: Redactor) -> None:
        said = {k: v for k, v in body.items() if k not in _NO_CONTENT}
        self._redactor = redactor
        self.pieces: dict[str, Any] = {}
        self.parts = {
            "model": said.pop("model"),
            "system": self._piece(_bare(said.pop("system", []))),
            "tools": self._piece(_bare(said.pop("tools", []))),
            "messages": [
                self._piece({**one, "content": _bare(one["content"])})
                for one in said.pop("messages")
            ],
            "options": redactor.json(said),
        }
        self.key = _hash(self.parts)

    def _piece(self, value: Any) -> str:
        kept = self._redactor.json(value)
        name = _hash(kept)
        self.pieces[name] = kept
        return name


def _bare(content: Any) -> list[dict[str, Any]]:
    """Return blocks or tools without cache marks."""
    blocks = [dict(block) for block in as_blocks(content)]
    for block in blocks:
        block.pop("cache_control", None)
    return blocks


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


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
            lines = Path(path).read_bytes().split(b"\n")[:-1]
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
        if path.exists() and path.stat().st_size:
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
        private = partial(os.open, mode=0o600)
        with FileLock(lock), open(self.path, "ab", opener=private) as file:
            append_durably(file.fileno(), text.encode())
        self.pieces |= asked.pieces
        self.exchanges[exchange["key"], exchange["repeat"]] = exchange

    def miss(self, asked: Asked, repeat: int, purpose: str) -> TapeMiss:
        """Say what differs from the nearest recorded request, and how to
        record this one.
        """
        what, diff = f"this request ({purpose}) is not on the tape", ""
        pieces = self.pieces | asked.pieces
        now = _lines(asked.parts, pieces)

        def likeness(parts: Mapping[str, Any]) -> float:
            equal: int = sum(
                parts[name] == asked.parts[name] for name in PARTS
            )
            then = _lines(parts, pieces)
            return equal + difflib.SequenceMatcher(None, then, now).ratio()

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
            diff = _difference(_lines(nearest, pieces), now)
        elif nearest:
            what += f" so often: it was recorded fewer than {repeat} times"
        how = (
            f"MEMLAB_MODEL=record MEMLAB_TAPE={self.path} and the same command"
        )
        return TapeMiss(
            what,
            tape=self.path,
            purpose=purpose,
            changed=changed,
            diff=diff,
            do=f"To record it, run:\n  {self.header['command'] or how + ' as now'}",
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
    diff = difflib.unified_diff(before, now, n=0, lineterm="")
    changed = [
        line for line in diff if not line.startswith(("@@", "---", "+++"))
    ]
    shown = [f"  {one[0]} {shorten(one[1:], _CHARACTERS)}" for one in changed]
    lines = list(dict.fromkeys(shown))
    more = [f"  … and {len(lines) - _SHOWN} more lines"]
    return "\n".join(lines[:_SHOWN] + more * (len(lines) > _SHOWN))


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
        answer: dict[str, Any] = {}
        try:
            began = self._clock.now()
            response = await self._inner.handle_async_request(
                _in_one_piece(request, body)
            )
            data = await response.aread()
            await response.aclose()
            answer = _answer(response, data, request)
            if not answer:
                again = {
                    name: value
                    for name, value in response.headers.items()
                    if name.startswith("retry")
                }
                return httpx2.Response(
                    response.status_code,
                    headers=again,
                    stream=httpx2.ByteStream(data),
                )
            took = (self._clock.now() - began).total_seconds()
            if answer.get("reply", {}).get("usage", {}).get("input_tokens"):
                exchange["seconds"] = round(took, 3)
            kept = redactor.json(answer)
            marked = {"redacted": True} if kept != answer else {}
            self._tape.add(asked, exchange | marked | kept)
            return self._play(exchange | answer, body)
        finally:
            if (asked.key, repeat) not in self._tape.exchanges:
                self._counts[asked.key] -= not named

    def _play(
        self,
        exchange: Mapping[str, Any],
        body: Mapping[str, Any],
        **headers: str,
    ) -> httpx2.Response:
        if "refusal" in exchange:
            said = httpx2.ByteStream(exchange["refusal"].encode())
            return httpx2.Response(exchange["status"], stream=said)
        headers[SOURCE_HEADER] = quote(self._tape.label)
        headers[SECONDS_HEADER] = str(exchange.get("seconds", 0))
        name = f"msg_tape_{exchange['key']}_{exchange['repeat']}"
        message = {**exchange["reply"], "id": name}
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


def _answer(
    response: httpx2.Response, data: bytes, request: httpx2.Request
) -> dict[str, Any]:
    """Return what is recorded of an answer: a reply, a refusal that says
    something about the request, or {}.
    """
    status, reply = response.status_code, json_object(data)
    if reply.get("type") == "message":
        said = {k: v for k, v in reply.items() if k not in _UNSAID}
        return {"reply": {"usage": {}, **said}}
    text = data.decode("utf-8", "replace")
    if status not in _FINAL or out_of_credit(status, text):
        return {}
    host = request.url.netloc.decode()
    return {"status": status, "refusal": text.replace(host, REMOVED)}


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

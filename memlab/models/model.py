"""The offline model: one request in, one answer out, with cache, latency and
faults.

Left out: HTTP. ``transport`` plays an answer inside the client, ``server``
over a socket.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memlab.clock import Clock, CourseClock, SystemClock
from memlab.models.cache import Account, PromptCache
from memlab.models.faults import HTTP_FAULTS, FaultScript, check_fault
from memlab.models.request import ModelRequest, find_fault
from memlab.models.standin.answer import Answered, answer
from memlab.models.standin.scripts import Script
from memlab.models.standin.task import MissingBlockError
from memlab.models.wire import (
    Envelope,
    Reply,
    error_json,
    message_json,
    say,
    sse,
    stream_events,
)
from memlab.settings import Settings
from memlab.text import request_tokens

PURPOSE_HEADER = "x-memlab-purpose"
FAULT_HEADER = "x-memlab-fault"

Role = Callable[[ModelRequest], Reply]
"""Answers the calls of a purpose."""


@dataclass(frozen=True)
class Latency:
    """Pretended time in seconds: until the first token, and for each token
    after it.
    """

    first: float
    per_token: float


STORY_LATENCY: Mapping[str, Latency] = {
    "main": Latency(1.2, 0.02),
    "select": Latency(0.4, 0.01),
}
NO_LATENCY = Latency(0.0, 0.0)


@dataclass(frozen=True)
class Exchange:
    """One request that was answered: when it came, what it held, how its
    tokens were billed.

    ``source`` labels the answer: ``script: <title>``, ``fallback rules`` or
    ``plain reply``.
    """

    at: datetime
    purpose: str
    body: Mapping[str, Any]
    account: Account
    reply: Reply | None
    fault: str
    source: str = ""


@dataclass(frozen=True)
class Answer:
    """What goes back over the wire: a body or stream events, each part with
    the seconds before it.

    ``fault`` is ``timeout``, ``connect_error`` or ``cut_stream`` where the
    wire itself must fail.
    """

    status: int
    parts: Sequence[tuple[float, bytes]]
    stream: bool = False
    fault: str = ""
    source: str = ""
    begins: Callable[[], None] = field(default=lambda: None)


class OfflineModel:
    """The stand-in behind the SDK; remembers every exchange in ``requests``,
    newest last.

    A function in ``roles`` answers the calls of a purpose instead of the
    stand-in's layers, of which ``scripts`` are the first; ``chat`` says that a person
    outside the course reads the plain reply.

    ``latency`` gives the pretended seconds by purpose. Without it the story's
    are used on a course clock, and none on a real one: nothing here ever waits
    for real time.
    """

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        settings: Settings | None = None,
        latency: Mapping[str, Latency] | None = None,
        scripts: Sequence[Script] = (),
        chat: bool = False,
    ) -> None:
        self.clock = clock or SystemClock()
        self.settings = settings or Settings()
        self.scripts = list(scripts)
        self.chat = chat
        self.cache = PromptCache(settings)
        self.faults = FaultScript()
        self.roles: dict[str, Role] = {}
        self.requests: list[Exchange] = []
        on_course = isinstance(self.clock, CourseClock)
        self.latency = dict(
            latency
            if latency is not None
            else STORY_LATENCY
            if on_course
            else {}
        )
        self._answered = 0

    def respond(
        self, path: str, headers: Mapping[str, str], raw: bytes
    ) -> Answer:
        """Answer one HTTP request; ``headers`` by lower-case name."""
        try:
            body = json.loads(raw or b"{}")
        except ValueError as error:
            return _error(
                400, "invalid_request_error", f"the body is not JSON: {error}"
            )
        if path.endswith("/v1/messages/count_tokens"):
            return _plain({"input_tokens": request_tokens(body)})
        if not path.endswith("/v1/messages"):
            return _nothing_at(path)
        if fault := find_fault(body) or _too_many_marks(
            body, self.cache.max_breakpoints
        ):
            return _error(400, "invalid_request_error", fault)
        purpose = headers.get(PURPOSE_HEADER, "main")
        fault = headers.get(FAULT_HEADER) or self.faults.take(purpose)
        if fault:
            check_fault(fault)
        return self._answer(ModelRequest(purpose, body), fault)

    def _said(self, request: ModelRequest) -> Answered:
        """Choose who answers: the one place in which that is decided."""
        role = self.roles.get(request.purpose)
        if role is not None:
            return Answered(
                role(request), "a function of the notebook or test"
            )
        return answer(request, self.scripts, self.settings, chat=self.chat)

    def _answer(self, request: ModelRequest, fault: str) -> Answer:
        now, body = self.clock.now(), request.body
        pause = (
            self.latency.get(request.purpose)
            or self.latency.get("main")
            or NO_LATENCY
        )
        asked = body.get("diagnostics") or {}
        previous = str(asked.get("previous_message_id") or "")
        account = self.cache.account(body, now, previous)
        failed = fault in HTTP_FAULTS or fault in ("timeout", "connect_error")
        try:
            answered = None if failed else self._said(request)
        except MissingBlockError as error:
            self.requests.append(
                Exchange(now, request.purpose, body, account, None, str(error))
            )
            return _error(400, "invalid_request_error", str(error))
        reply = _spoil(answered.reply, fault, body) if answered else None
        source = answered.source if answered else ""
        self.requests.append(
            Exchange(now, request.purpose, body, account, reply, fault, source)
        )
        if fault in HTTP_FAULTS:
            status, kind = HTTP_FAULTS[fault]
            return _error(status, kind, "scripted fault", pause.first)
        if reply is None:
            return Answer(0, (), fault=fault)
        self._answered += 1
        message_id = f"msg_offline_{self._answered:04d}"
        envelope = Envelope(
            message_id,
            request.model,
            _usage(account),
            (
                {"cache_miss_reason": missed}
                if previous
                and (missed := self.cache.difference(body, previous))
                else None
            ),
        )

        def begins() -> None:
            self.cache.keep(body, self.clock.now(), message_id)

        if not body.get("stream"):
            text = json.dumps(
                message_json(reply, envelope), ensure_ascii=False
            ).encode()
            wait = pause.first + pause.per_token * reply.tokens
            return Answer(
                200, [(wait, text)], fault=fault, source=source, begins=begins
            )
        parts = [
            (pause.per_token * n, data)
            for n, data in stream_events(reply, envelope)
        ]
        parts[0] = (pause.first, parts[0][1])
        if fault in ("cut_stream", "stream_error"):
            parts = parts[: max(2, len(parts) // 2)]
        if fault == "stream_error":
            overloaded = error_json("overloaded_error", "scripted fault")[
                "error"
            ]
            parts.append((0, sse("error", error=overloaded)))
        return Answer(
            200, parts, stream=True, fault=fault, source=source, begins=begins
        )


def _spoil(reply: Reply, fault: str, body: Mapping[str, Any]) -> Reply:
    if fault == "refusal":
        details = {
            "type": "refusal",
            "category": None,
            "explanation": "scripted fault",
        }
        return Reply([], "refusal", details)
    if fault == "bad_json":
        return Reply(
            [
                say(
                    "Here are the notes that I would choose: the first and the"
                    " third."
                )
            ]
        )
    reply = _end_at(reply, body.get("stop_sequences") or ())
    if fault == "truncated":
        return _cut(reply, max(1, reply.tokens // 2))
    return (
        _cut(reply, body["max_tokens"])
        if reply.tokens > body["max_tokens"]
        else reply
    )


def _end_at(reply: Reply, sequences: Sequence[str]) -> Reply:
    """End a reply before the first of these texts that it contains."""
    kept: list[Mapping[str, Any]] = []
    for block in reply.blocks:
        text = block["text"] if block["type"] == "text" else ""
        places = {
            text.index(sequence): sequence
            for sequence in sequences
            if sequence in text
        }
        if places:
            place = min(places)
            kept += [say(text[:place])] if place else []
            return Reply(kept, "stop_sequence", stop_sequence=places[place])
        kept.append(block)
    return reply


def _cut(reply: Reply, tokens: int) -> Reply:
    blocks, left = [], tokens * 4
    for block in reply.blocks:
        if block["type"] != "text" or left <= 0:
            break
        blocks.append(say(block["text"][:left]))
        left -= len(block["text"])
    return Reply(blocks, "max_tokens")


def _usage(account: Account) -> dict[str, Any]:
    short = account.created - account.created_long
    return account.as_usage() | {
        "cache_creation": {
            "ephemeral_5m_input_tokens": short,
            "ephemeral_1h_input_tokens": account.created_long,
        },
    }


def _too_many_marks(body: Mapping[str, Any], most: int) -> str:
    marks = json.dumps(body).count('"cache_control"')
    return (
        f"at most {most} blocks may have cache_control, found {marks}"
        if marks > most
        else ""
    )


def _nothing_at(path: str) -> Answer:
    return _error(404, "not_found_error", f"there is nothing at {path}")


def _plain(body: Mapping[str, Any]) -> Answer:
    return Answer(200, [(0.0, json.dumps(body).encode())])


def _error(status: int, kind: str, message: str, wait: float = 0.0) -> Answer:
    return Answer(
        status, [(wait, json.dumps(error_json(kind, message)).encode())]
    )

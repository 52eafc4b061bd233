"""The offline model below the SDK: one request in, one answer out, with cache,
latency and faults on demand. No request reaches a socket.

A fault happens when it was asked for, as often as it was asked for. What the
answer says is decided in ``standin``. Left out: everything else HTTP can do;
only the Messages API's two addresses are answered.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

import httpx2

from memlab.clock import Clock, CourseClock, SystemClock
from memlab.errors import ModelError
from memlab.models.cache import Account, PromptCache
from memlab.models.request import ModelRequest, find_fault
from memlab.models.standin.answer import Answered, answer
from memlab.models.standin.scripts import Script
from memlab.models.standin.task import MissingBlockError
from memlab.models.wire import (
    PURPOSE_HEADER,
    Reply,
    error_json,
    json_response,
    message_json,
    say,
    sse,
    stream_events,
)
from memlab.runtime import SOURCE_HEADER
from memlab.settings import Settings
from memlab.text import request_tokens

FAULTS: Mapping[str, tuple[int, str]] = {
    "rate_limited": (429, "rate_limit_error"),
    "overloaded": (529, "overloaded_error"),
    "server_error": (500, "api_error"),
    "bad_request": (400, "invalid_request_error"),
    "timeout": (0, "no answer within the client's time limit"),
    "connect_error": (0, "no connection at all"),
    "cut_stream": (200, "the connection ends in the middle of the answer"),
    "stream_error": (200, "an error event in a stream that began well"),
    "refusal": (200, "a well-formed answer whose stop reason is refusal"),
    "truncated": (200, "half an answer, with stop reason max_tokens"),
    "bad_json": (200, "prose where JSON was asked for"),
}
"""What can go wrong: the HTTP status, and the service's name for a refusal, or
what happens.
"""
_NOBODY = Answered(Reply([]), "")
_CUT = "peer closed connection without sending complete message body"
_PROSE = "Here are the notes that I would choose: the first and the third."


class FaultScript(list[tuple[str, str]]):
    """The faults still to come, each with its purpose; "" means any call."""

    def add(self, fault: str, *, purpose: str = "", times: int = 1) -> None:
        """Plan a fault for the next ``times`` calls of a purpose.

        Raises ModelError for a fault that does not exist.
        """
        if fault not in FAULTS:
            raise ModelError(
                f"no fault is called {fault!r}",
                do=f"Choose from: {', '.join(FAULTS)}",
            )
        self += [(fault, purpose)] * times

    def take(self, purpose: str) -> str:
        """Give the fault planned for a call of this purpose, and use it up;
        "" when none is.
        """
        for planned in self:
            if planned[1] in ("", purpose):
                self.remove(planned)
                return planned[0]
        return ""


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


@dataclass(frozen=True)
class Exchange:
    """One request that was answered: when it came, what it held, and how its
    tokens were billed.

    ``source`` labels the answer: ``script: <title>``, ``fallback rules`` or
    ``plain reply``.
    """

    at: datetime
    purpose: str
    body: Mapping[str, Any]
    account: Account
    fault: str
    source: str


def refused(status: int, kind: str, message: str) -> httpx2.Response:
    """Refuse a request as the service does."""
    return json_response(status, error_json(kind, message))


class OfflineModel(httpx2.AsyncBaseTransport):
    """The stand-in behind the SDK; remembers every exchange in ``requests``,
    newest last.

    A function in ``roles`` answers the calls of a purpose instead of the
    stand-in's layers, of which ``scripts`` are the first; ``chat`` says that a
    person outside the course reads the plain reply.

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
        self.roles: dict[str, Callable[[ModelRequest], Reply]] = {}
        self.requests: list[Exchange] = []
        on_course = isinstance(self.clock, CourseClock)
        story = STORY_LATENCY if on_course else {}
        self.latency = dict(story if latency is None else latency)
        self._answered = 0

    async def handle_async_request(
        self, request: httpx2.Request
    ) -> httpx2.Response:
        """Answer one request of the SDK."""
        raw = await request.aread()
        try:
            return self.respond(request.url.path, request.headers, raw)
        except httpx2.ReadTimeout:
            if isinstance(self.clock, CourseClock):
                await self.clock.sleep(request.extensions["timeout"]["read"])
            raise

    def respond(
        self, path: str, headers: Mapping[str, str], raw: bytes
    ) -> httpx2.Response:
        """Answer one HTTP request; ``headers`` by lower-case name."""
        body = json.loads(raw)
        if path.endswith("/v1/messages/count_tokens"):
            return json_response(200, {"input_tokens": request_tokens(body)})
        if not path.endswith("/v1/messages"):
            what = f"there is nothing at {path}"
            return refused(404, "not_found_error", what)
        most = self.settings.cache_max_breakpoints
        marks = raw.count(b'"cache_control"')
        wrong = find_fault(body)
        if not wrong and marks > most:
            wrong = (
                f"at most {most} blocks may have cache_control, found {marks}"
            )
        request = ModelRequest(headers.get(PURPOSE_HEADER, "main"), body)
        try:
            if not wrong:
                return self._answer(request, self.faults.take(request.purpose))
        except MissingBlockError as error:
            wrong = str(error)
        return refused(400, "invalid_request_error", wrong)

    def _answer(self, request: ModelRequest, fault: str) -> httpx2.Response:
        now, body, purpose = self.clock.now(), request.body, request.purpose
        account = self.cache.account(body, now)
        status, what = FAULTS.get(fault, (200, ""))
        said = self._said(request) if status == 200 else _NOBODY
        self.requests.append(
            Exchange(now, purpose, body, account, fault, said.source)
        )
        if fault == "timeout":
            raise httpx2.ReadTimeout(f"scripted fault: {what}")
        if fault == "connect_error":
            raise httpx2.ConnectError(f"scripted fault: {what}")
        self._answered += status == 200
        name = f"msg_offline_{self._answered:04d}"
        reply = _spoiled(said.reply, fault, body["max_tokens"])
        message = message_json(reply, name, body["model"], account.as_usage())
        pause = self.latency.get(purpose) or self.latency.get("main")
        pause = pause or Latency(0, 0)
        first, per_token = pause.first, pause.per_token
        kind = "application/json"
        if status != 200:
            refusal = json.dumps(error_json(what, "scripted fault"))
            parts = [(first, refusal.encode())]
        elif body.get("stream"):
            kind = "text/event-stream"
            events = stream_events(message)
            parts = [(per_token * tokens, sent) for tokens, sent in events]
            parts[0] = (first, parts[0][1])
            if fault in ("cut_stream", "stream_error"):
                parts = parts[: max(2, len(parts) // 2)]
            if fault == "stream_error":
                error = error_json("overloaded_error", "scripted fault")
                parts.append((0, sse("error", **error)))
        else:
            wait = first + per_token * reply.tokens
            parts = [(wait, json.dumps(message).encode())]
        headers = {
            "content-type": kind,
            "retry-after-ms": "1",
            SOURCE_HEADER: quote(said.source),
        }
        played = self._play(parts, body if status == 200 else None, fault)
        return httpx2.Response(status, headers=headers, content=played)

    async def _play(
        self,
        parts: Sequence[tuple[float, bytes]],
        kept: Mapping[str, Any] | None,
        fault: str,
    ) -> AsyncIterator[bytes]:
        for wait, data in parts:
            if wait:
                await self.clock.sleep(wait)
            if kept:  # before its answer begins, a prefix can't be read
                self.cache.keep(kept, self.clock.now())
                kept = None
            yield data
        if fault == "cut_stream":
            raise httpx2.RemoteProtocolError(_CUT)

    def _said(self, request: ModelRequest) -> Answered:
        """Choose who answers: the one place in which that is decided."""
        role = self.roles.get(request.purpose)
        if role is not None:
            by = "a function of the notebook or test"
            return Answered(role(request), by)
        return answer(request, self.scripts, self.settings, chat=self.chat)


def _spoiled(reply: Reply, fault: str, most: int) -> Reply:
    if fault == "refusal":
        why = {"type": "refusal", "explanation": "scripted fault"}
        return Reply([], "refusal", why)
    if fault == "bad_json":
        return Reply([say(_PROSE)])
    if fault == "truncated":
        most = max(1, reply.tokens // 2)
    elif reply.tokens <= most:
        return reply
    blocks, left = [], most * 4
    for block in reply.blocks:
        if block["type"] != "text" or left <= 0:
            break
        blocks.append(say(block["text"][:left]))
        left -= len(block["text"])
    return Reply(blocks, "max_tokens")

"""A transport around another that writes every call to the model into the
ledger.

It stands below the SDK, so it sees what was really sent and answered, offline
and live alike. Left out: calls that the SDK never makes because its own checks
refuse them first.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx2

from memlab.clock import Clock
from memlab.ledger import Call, Ledger, Tokens
from memlab.models.wire import PURPOSE_HEADER, REPLAYED_HEADER, json_object
from memlab.service_errors import out_of_credit

NO_MESSAGE = "no message"
"""The status of a call that ended well, and whose answer is something else."""
NO_CREDIT = "402"
"""The status of a call that nobody has paid for; some services send 400."""


class MeteredTransport(httpx2.AsyncBaseTransport):
    """Passes requests on to ``inner`` and meters the answers."""

    def __init__(
        self, inner: httpx2.AsyncBaseTransport, ledger: Ledger, clock: Clock
    ) -> None:
        self._inner, self._ledger, self._clock = inner, ledger, clock

    async def handle_async_request(
        self, request: httpx2.Request
    ) -> httpx2.Response:
        """Pass one request on and meter its answer."""
        if not request.url.path.endswith("/v1/messages"):
            return await self._inner.handle_async_request(request)
        model = str(json_object(request.content).get("model"))
        await self._ledger.admit(model, request.content)
        now = self._clock.now()
        purpose = request.headers.get(PURPOSE_HEADER, "main")
        call = Call(
            purpose=purpose, model=model, started=now, answered=now, ended=now
        )
        try:
            response = await self._inner.handle_async_request(request)
        except BaseException as error:
            status, now = type(error).__name__, self._clock.now()
            self._ledger.record(replace(call, status=status, ended=now))
            raise
        response.stream = _Tap(response, call, self._ledger, self._clock)
        return response

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()


class _Tap(httpx2.AsyncByteStream):
    """Passes the bytes of an answer on, and records its call, once, when they
    end.
    """

    def __init__(
        self,
        response: httpx2.Response,
        call: Call,
        ledger: Ledger,
        clock: Clock,
    ) -> None:
        self._response, self._call = response, call
        self._ledger, self._clock = ledger, clock
        self._inner: Any = response.stream
        self._data = b""
        self._open = True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for data in self._inner:
                self._data += data
                yield data
        except BaseException as error:
            stopped = isinstance(error, GeneratorExit)
            self._end("" if stopped else type(error).__name__)
            raise
        self._end(whole=True)

    async def aclose(self) -> None:
        self._end()
        await self._inner.aclose()

    def _end(self, failed: str = "", *, whole: bool = False) -> None:
        if not self._open:
            return
        self._open = False
        status, usage = _fate(self._response, self._data, whole)
        ended = self._clock.now()
        seconds = self._response.headers.get(REPLAYED_HEADER)
        if seconds is not None:
            ended = self._call.started + timedelta(seconds=float(seconds))
        call = replace(
            self._call,
            ended=ended,
            status=failed or status,
            replayed=seconds is not None,
            **Tokens.from_usage(usage).by_kind(),
        )
        self._ledger.record(call)


def _fate(
    response: httpx2.Response, data: bytes, whole: bool
) -> tuple[str, dict[str, Any]]:
    """Read from an answer, as far as it came, how the call ended, and the
    tokens that were counted.
    """
    status = "ok" if response.is_success else str(response.status_code)
    if status == "400" and out_of_credit(400, data.decode("utf-8", "replace")):
        status = NO_CREDIT
    lines = [data]
    if "event-stream" in response.headers.get("content-type", ""):
        parts = data.splitlines()
        lines = [part[5:] for part in parts if part.startswith(b"data:")]
    usage: dict[str, Any] = {}
    message = False
    for event in map(json_object, lines):
        body = _part(event, "message") or event
        message |= isinstance(body.get("content"), list)
        usage |= _part(body, "usage")
        if event.get("type") == "error" and status == "ok":
            status = str(_part(event, "error").get("type") or "error")
    if whole and status == "ok" and not message:
        status = NO_MESSAGE
    return status, usage


def _part(body: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a part of an answer, whatever a server has put there."""
    found = body.get(name)
    return found if isinstance(found, dict) else {}

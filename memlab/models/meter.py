"""A transport around another that writes every call to the model into the
ledger.

It stands below the SDK, so it sees what was really sent and answered, offline
and live alike. Left out: calls that the SDK never makes because its own checks
refuse them first.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import httpx2

from memlab.clock import Clock
from memlab.ledger import Call, Ledger, Tokens
from memlab.service_errors import out_of_credit

PURPOSE_HEADER = "x-memlab-purpose"
NO_MESSAGE = "no message"
"""The status of a call that ended well, and whose answer is something else."""
NO_CREDIT = "402"
"""The status of a call that nobody has paid for; some services send 400."""
SECONDS_HEADER = "x-memlab-seconds"
"""In an answer from a tape: how long it took when it was recorded."""
REPLAYED_HEADER = "x-memlab-replayed"
"""In an answer from a tape for which nobody was asked, so it costs nothing."""


class MeteredTransport(httpx2.BaseTransport):
    """Meters a synchronous transport."""

    def __init__(
        self, inner: httpx2.BaseTransport, ledger: Ledger, clock: Clock
    ) -> None:
        self._inner, self._ledger, self._clock = inner, ledger, clock

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Pass one request on and meter its answer."""
        reading = _Reading(request, self._ledger, self._clock)
        try:
            response = self._inner.handle_request(request)
        except Exception as error:
            reading.failed(error)
            raise
        reading.answered(response)
        response.stream = _SyncTap(response.stream, reading)
        return response

    def close(self) -> None:
        """Close the inner transport."""
        self._inner.close()


class AsyncMeteredTransport(httpx2.AsyncBaseTransport):
    """Meters an asynchronous transport."""

    def __init__(
        self, inner: httpx2.AsyncBaseTransport, ledger: Ledger, clock: Clock
    ) -> None:
        self._inner, self._ledger, self._clock = inner, ledger, clock

    async def handle_async_request(
        self, request: httpx2.Request
    ) -> httpx2.Response:
        """Pass one request on and meter its answer."""
        if _is_call(request):
            await self._ledger.admit(_model_of(request), request.content)
        reading = _Reading(request, self._ledger, self._clock)
        try:
            response = await self._inner.handle_async_request(request)
        except BaseException as error:
            reading.failed(error)
            raise
        reading.answered(response)
        response.stream = _AsyncTap(response.stream, reading)
        return response

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()


class _Reading:
    """One call under way: what is known of it so far."""

    def __init__(
        self, request: httpx2.Request, ledger: Ledger, clock: Clock
    ) -> None:
        self._ledger, self._clock = ledger, clock
        self._counts = _is_call(request)
        self._purpose = request.headers.get(PURPOSE_HEADER, "main")
        self._model = _model_of(request) if self._counts else ""
        self._started = self._first = clock.now()
        self._status = "ok"
        self._usage: dict[str, Any] = {}
        self._miss = ""
        self._message = False
        self._rest = b""
        self._streams = False
        self._open = self._counts
        self._recorded: timedelta | None = None
        self._replayed = False

    def answered(self, response: httpx2.Response) -> None:
        self._status = (
            "ok" if response.is_success else str(response.status_code)
        )
        self._streams = "event-stream" in response.headers.get(
            "content-type", ""
        )
        self._first = self._clock.now()
        self._replayed = REPLAYED_HEADER in response.headers
        recorded = response.headers.get(SECONDS_HEADER)
        if recorded:
            self._recorded = timedelta(seconds=float(recorded))

    def failed(self, error: BaseException) -> None:
        self._status = type(error).__name__
        if self._first == self._started:
            self._first = self._clock.now()
        self.ended()

    def saw(self, data: bytes) -> None:
        if not self._counts:
            return
        if not self._rest and not self._usage:
            self._first = self._clock.now()
        self._rest += data
        if self._streams:
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                if line.startswith(b"data:"):
                    self._note(_json(line[5:]))

    def ended(self, *, whole: bool = False) -> None:
        if not self._open:
            return
        self._open = False
        if not self._streams:
            self._note(_json(self._rest))
        if whole and self._status == "ok" and not self._message:
            self._status = NO_MESSAGE
        if self._status == "400":
            details = _part(_json(self._rest), "error")
            said = str(
                details.get("message") or self._rest.decode("utf-8", "replace")
            )
            if out_of_credit(400, said):
                self._status = NO_CREDIT
        self._ledger.record(self._call(self._clock.now()))

    def _note(self, event: Mapping[str, Any]) -> None:
        if event.get("type") == "error" and self._status == "ok":
            self._status = str(_part(event, "error").get("type") or "error")
        body = _part(event, "message") or event
        self._message |= isinstance(body.get("content"), list)
        usage = _part(body, "usage")
        self._usage.update({k: v for k, v in usage.items() if v is not None})
        reason = _part(_part(body, "diagnostics"), "cache_miss_reason")
        self._miss = str(reason.get("type") or self._miss)

    def _call(self, now: datetime) -> Call:
        if self._recorded is not None:
            self._first = now = self._started + self._recorded
        return Call(
            purpose=self._purpose,
            model=self._model,
            started=self._started,
            answered=self._first,
            ended=now,
            status=self._status,
            miss=self._miss,
            replayed=self._replayed,
            **Tokens.from_usage(self._usage).by_kind(),
        )


class _SyncTap(httpx2.SyncByteStream):
    def __init__(self, inner: Any, reading: _Reading) -> None:
        self._inner, self._reading = inner, reading

    def __iter__(self) -> Iterator[bytes]:
        try:
            for data in self._inner:
                self._reading.saw(data)
                yield data
        except Exception as error:
            self._reading.failed(error)
            raise
        else:
            self._reading.ended(whole=True)
        finally:
            self._reading.ended()

    def close(self) -> None:
        self._reading.ended()
        self._inner.close()


class _AsyncTap(httpx2.AsyncByteStream):
    def __init__(self, inner: Any, reading: _Reading) -> None:
        self._inner, self._reading = inner, reading

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for data in self._inner:
                self._reading.saw(data)
                yield data
        except BaseException as error:
            if not isinstance(error, GeneratorExit):
                self._reading.failed(error)
            raise
        else:
            self._reading.ended(whole=True)
        finally:
            self._reading.ended()

    async def aclose(self) -> None:
        self._reading.ended()
        await self._inner.aclose()


def _is_call(request: httpx2.Request) -> bool:
    """Tell whether a request asks a model, so that it costs something."""
    return request.url.path.endswith("/v1/messages")


def _model_of(request: httpx2.Request) -> str:
    try:
        return str(_json(request.content).get("model", ""))
    except httpx2.RequestNotRead:
        return ""


def _part(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a part of an answer, whatever a server has put there."""
    found = body.get(name)
    return found if isinstance(found, Mapping) else {}


def _json(data: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}

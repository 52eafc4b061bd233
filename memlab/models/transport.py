"""The offline model inside the SDK's own HTTP client: requests never reach a
socket.

Left out: everything else HTTP can do. Only the Messages API's two addresses
are answered.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from urllib.parse import quote

import httpx2

from memlab.clock import CourseClock
from memlab.models.model import Answer, OfflineModel
from memlab.runtime import SOURCE_HEADER

DEFAULT_READ_TIMEOUT = 600.0
_CUT = "peer closed connection without sending complete message body"


class OfflineTransport(httpx2.BaseTransport):
    """For the synchronous client. It cannot wait, so it moves a course clock
    on instead.
    """

    def __init__(self, model: OfflineModel) -> None:
        self._model = model

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request."""
        answer = _respond(self._model, request, request.read())
        if answer.fault == "timeout":
            self._pass(_read_timeout(request))
        _raise_unsent(answer, request)
        return _response(answer, _SyncStream(self._play(answer)))

    def _play(self, answer: Answer) -> Iterator[bytes]:
        for index, (wait, data) in enumerate(answer.parts):
            self._pass(wait)
            if index == 0:
                answer.begins()
            yield data
        _raise_cut(answer)

    def _pass(self, seconds: float) -> None:
        if isinstance(self._model.clock, CourseClock):
            self._model.clock.advance(seconds)


class AsyncOfflineTransport(httpx2.AsyncBaseTransport):
    """For the asynchronous client. It sleeps on the clock before each part of
    an answer.
    """

    def __init__(self, model: OfflineModel) -> None:
        self._model = model

    async def handle_async_request(
        self, request: httpx2.Request
    ) -> httpx2.Response:
        """Answer one request."""
        answer = _respond(self._model, request, await request.aread())
        if answer.fault == "timeout" and isinstance(
            self._model.clock, CourseClock
        ):
            await self._model.clock.sleep(_read_timeout(request))
        _raise_unsent(answer, request)
        return _response(answer, _AsyncStream(self._play(answer)))

    async def _play(self, answer: Answer) -> AsyncIterator[bytes]:
        for index, (wait, data) in enumerate(answer.parts):
            if wait:
                await self._model.clock.sleep(wait)
            if index == 0:
                answer.begins()
            yield data
        _raise_cut(answer)


class _SyncStream(httpx2.SyncByteStream):
    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[bytes]:
        return self._parts


class _AsyncStream(httpx2.AsyncByteStream):
    def __init__(self, parts: AsyncIterator[bytes]) -> None:
        self._parts = parts

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._parts


def _respond(
    model: OfflineModel, request: httpx2.Request, content: bytes
) -> Answer:
    headers = {name.lower(): value for name, value in request.headers.items()}
    return model.respond(request.url.path, headers, content)


def _response(
    answer: Answer, body: _SyncStream | _AsyncStream
) -> httpx2.Response:
    kind = "text/event-stream" if answer.stream else "application/json"
    headers = {"content-type": kind, "request-id": "req_offline"}
    if answer.source:
        headers[SOURCE_HEADER] = quote(answer.source)
    if answer.status >= 400:
        headers["retry-after-ms"] = "1"
    return httpx2.Response(answer.status, headers=headers, stream=body)


def _raise_unsent(answer: Answer, request: httpx2.Request) -> None:
    if answer.fault == "timeout":
        raise httpx2.ReadTimeout(
            "scripted fault: no answer in time", request=request
        )
    if answer.fault == "connect_error":
        raise httpx2.ConnectError(
            "scripted fault: no connection", request=request
        )


def _raise_cut(answer: Answer) -> None:
    if answer.fault == "cut_stream":
        raise httpx2.RemoteProtocolError(_CUT)


def _read_timeout(request: httpx2.Request) -> float:
    limits = request.extensions.get("timeout") or {}
    return float(limits.get("read") or DEFAULT_READ_TIMEOUT)

"""A transport around another that writes every call to the model into the
ledger, and what calls cost in money, by a dated table.

It stands below the SDK, so it sees what was really sent and answered, offline
and live alike. Left out: calls that the SDK never makes because its own checks
refuse them first.

The table is ``prices.toml``. A model that is not in it has no price: a server
of one's own, or a model that is newer than the table. Left out: the price of
the one-hour cache, which memlab does not ask for.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import httpx2

from memlab.clock import Clock
from memlab.ledger import Call, Ledger, Tokens
from memlab.models.wire import (
    PURPOSE_HEADER,
    REPLAYED_HEADER,
    SECONDS_HEADER,
    json_object,
)
from memlab.service_errors import out_of_credit

NO_MESSAGE = "no message"
"""The status of a call that ended well, and whose answer is something else."""
NO_CREDIT = "402"
"""The status of a call that nobody has paid for; some services send 400."""
_RELEASE = re.compile(r"-\d{8}$")  # a model's name can end with its date


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
        started = self._clock.now()

        def record(status: str, usage: Any = None, headers: Any = ()) -> None:
            ended = self._clock.now()
            if SECONDS_HEADER in headers:
                seconds = float(headers[SECONDS_HEADER])
                ended = started + timedelta(seconds=seconds)
            call = Call(
                purpose=request.headers.get(PURPOSE_HEADER, "main"),
                model=model,
                started=started,
                ended=ended,
                status=status,
                replayed=REPLAYED_HEADER in headers,
                **Tokens.from_usage(usage or {}).by_kind(),
            )
            self._ledger.record(call)

        try:
            response = await self._inner.handle_async_request(request)
        except BaseException as error:
            record(type(error).__name__)
            raise
        response.stream = _Tap(response, record)
        return response

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()


class _Tap(httpx2.AsyncByteStream):
    """Passes the bytes of an answer on, and records its call, once, when they
    end.
    """

    def __init__(
        self, response: httpx2.Response, record: Callable[..., None]
    ) -> None:
        self._response, self._record = response, record
        self._inner: Any = response.stream
        self._data, self._open = b"", True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for data in self._inner:
                self._data += data
                yield data
        except GeneratorExit:  # nobody reads on
            self._end()
            raise
        except BaseException as error:
            self._end(type(error).__name__)
            raise
        self._end(whole=True)

    async def aclose(self) -> None:
        self._end()
        await self._inner.aclose()

    def _end(self, failed: str = "", *, whole: bool = False) -> None:
        if self._open:
            self._open = False
            status, usage = _fate(self._response, self._data, whole)
            self._record(failed or status, usage, self._response.headers)


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
        counts = _part(body, "usage").items()
        usage |= {name: count for name, count in counts if count is not None}
        if event.get("type") == "error" and status == "ok":
            status = str(_part(event, "error").get("type") or "error")
    if whole and status == "ok" and not message:
        status = NO_MESSAGE
    return status, usage


def _part(body: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a part of an answer, whatever a server has put there."""
    found = body.get(name)
    return found if isinstance(found, dict) else {}


@dataclass(frozen=True)
class PriceTable:
    """Dollars per million tokens, by model and kind, and the day on which they
    were right.
    """

    as_of: date
    models: Mapping[str, Mapping[str, float]]

    def dollars(self, calls: Iterable[Call]) -> float | None:
        """Return what calls cost together; None if a model has no price.

        An answer from a tape costs nothing.
        """
        total = 0.0
        for call in calls:
            price = self.models.get(_RELEASE.sub("", call.model))
            if call.replayed:
                continue
            if price is None:
                return None
            total += call.uncached * price["input"]
            total += call.created * price["cache_write"]
            total += call.read * price["cache_read"]
            total += call.output * price["output"]
        return total / 1_000_000


@cache
def price_table() -> PriceTable:
    """Read the table of prices."""
    text = Path(__file__).with_name("prices.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return PriceTable(table["as_of"], table["models"])

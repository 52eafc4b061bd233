"""A loopback server whose model can fail in every way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2

from memlab.models.offline import OfflineModel, refused
from tests.model_server import ModelServer


class Flaky(OfflineModel):
    """Answers by rules; ``fails`` gives the n-th call, from 1, a status, a fault or a body."""

    def __init__(self, fails: Callable[[int], int | str | bytes] = lambda n: "") -> None:
        super().__init__(latency={})
        self.fails = fails
        self.calls = 0

    def respond(self, path: str, headers: Mapping[str, str], raw: bytes) -> httpx2.Response:
        if not path.endswith("/v1/messages"):
            return super().respond(path, headers, raw)
        self.calls += 1
        fails = self.fails(self.calls)
        if isinstance(fails, int):
            return refused(fails, "some_error", f"refused, with {headers.get('authorization')}")
        if isinstance(fails, bytes):
            return httpx2.Response(200, stream=httpx2.ByteStream(fails))
        if fails:
            self.faults.add(fails)
        return super().respond(path, headers, raw)


@contextmanager
def served(model: OfflineModel) -> Iterator[str]:
    server = ModelServer(model).start()
    try:
        yield server.url
    finally:
        server.stop()


def bodies(model: OfflineModel) -> list[dict[str, Any]]:
    return [dict(exchange.body) for exchange in model.requests]

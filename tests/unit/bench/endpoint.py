"""A loopback server whose model can fail in every way, and the command that asks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from memlab.bench.log import Log, read_log
from memlab.cli.bench import main
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
            said = f"refused, with {headers.get('authorization')}"
            return refused(fails, "some_error", said)
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


def bench(out: Path, *words: str, yes: bool = True) -> int:
    return main([*words, "--out", str(out), *(["--yes"] if yes else [])])


def the_log(out: Path, name: str = "select-claude-sonnet-5-5", mark: str = "-at-") -> Log:
    """Read a log; its name ends in a mark, such as the address of the server that was asked."""
    return read_log(one_file(out, f"{name}{mark}*jsonl"))


def one_file(out: Path, pattern: str) -> Path:
    (path,) = out.glob(pattern)
    return path


def bodies(model: OfflineModel) -> list[dict[str, Any]]:
    return [dict(exchange.body) for exchange in model.requests]

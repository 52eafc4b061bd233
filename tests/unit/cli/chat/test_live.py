"""Live, and something is wrong: the person gets one clear line each time."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from memlab.models import OfflineModel
from memlab.settings import Settings
from tests.model_server import ModelServer
from tests.unit.cli.chat.conftest import Chat

OWN = re.compile(r"^(?!.*(?: · |memory in |Live: |/help lists|--resume )).*$", re.M)


def told(said: str) -> list[str]:
    """The lines that are neither greeting nor status."""
    return [line for line in OWN.findall(said) if line.strip()]


@pytest.fixture(autouse=True)
def live(base: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMLAB_MODEL", "live")


@contextmanager
def served(model: OfflineModel, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    server = ModelServer(model).start()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    try:
        yield
    finally:
        server.stop()


class _Refuses(BaseHTTPRequestHandler):
    """Accepts no key."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        error = {"type": "authentication_error", "message": "invalid x-api-key"}
        body = json.dumps({"type": "error", "error": error}).encode()
        self.send_response(401)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class _NoFigures(OfflineModel):
    """Keeps no cache and says nothing of one, as servers of other makers do."""

    def __init__(self) -> None:
        super().__init__(settings=Settings().with_changes(cache_min_tokens=10**9))

    def _play(self, parts: Any, *more: Any) -> Any:
        return super()._play([(wait, self._without(data)) for wait, data in parts], *more)

    def _without(self, data: bytes) -> bytes:
        for kind in (b"creation", b"read"):
            data = re.sub(rb'"cache_%b_input_tokens": \d+, ' % kind, b"", data)
        return data


def test_no_key(chat: Chat) -> None:
    said = chat(status=2)
    assert "a live model needs a key" in said
    assert len(said.splitlines()) == 1


def test_a_wrong_key(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    server = HTTPServer(("127.0.0.1", 0), _Refuses)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "wrong")
    try:
        (line,) = told(chat("Hello."))
    finally:
        server.shutdown()
        server.server_close()
    assert line.startswith("The model's service does not accept the key.")


def test_an_address_where_nobody_answers(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{port}")
    (line,) = told(chat("Hello."))
    assert line.startswith("The model's service cannot be reached")
    assert f"Check that http://127.0.0.1:{port} answers; ANTHROPIC_BASE_URL sets" in line


def test_what_is_no_address(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "ftp:/nowhere")
    assert "is not an address" in chat(status=2)


def test_a_model_that_refuses(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    model = OfflineModel()
    model.faults.add("refusal", purpose="main")
    with served(model, monkeypatch):
        refused, *after = told(chat("Hello.", "Hello again."))
    assert refused.startswith("The model declined.")
    assert any("'Hello again.'" in line for line in after)


def test_an_endpoint_without_caching_figures(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(_NoFigures(), monkeypatch):
        said = chat("Hello.", "Hello again.", "And again.")
    assert said.count("This endpoint reports no caching figures") == 1
    with served(OfflineModel(), monkeypatch):
        said = chat("Hello.", "Hello again.", "And again.", "/cost")
    assert "no caching figures" not in said
    assert re.search(r"^main +3 +.* [1-9][\d.]+", said, re.M)

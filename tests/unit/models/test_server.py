"""The loopback server as other programs meet it."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from memlab.models.server import OfflineServer, main
from tests.platforms import needs_curl

ASK = json.dumps(
    {"model": "any", "max_tokens": 50, "messages": [{"role": "user", "content": "hello"}]}
)


@pytest.fixture
def server() -> OfflineServer:
    server = OfflineServer().start()
    yield server
    server.stop()


def post(url: str, body: bytes, **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(url, body, {"content-type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_it_listens_on_this_machine_only(server: OfflineServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


@needs_curl
def test_curl_gets_an_answer_and_a_stream(server: OfflineServer) -> None:
    command = ["curl", "-sS", "-m", "5", f"{server.url}/v1/messages", "-d"]
    plain = subprocess.run([*command, ASK], capture_output=True, text=True, check=True)
    assert "Not a language model" in json.loads(plain.stdout)["content"][0]["text"]
    streaming = json.dumps(json.loads(ASK) | {"stream": True})
    stream = subprocess.run([*command, streaming], capture_output=True, text=True, check=True)
    assert stream.stdout.startswith("event: message_start")
    assert stream.stdout.rstrip().endswith('{"type": "message_stop"}')


@pytest.mark.parametrize(
    ("path", "body", "status", "text"),
    [
        ("/v1/messages", b"{", 400, "not JSON"),
        ("/v1/messages", b"[1]", 400, "JSON object"),
        ("/v1/messages", b"{}", 400, "model: field required"),
        ("/v1/complete", b"{}", 404, "nothing at"),
        ("/proxy/v1/messages?beta=true", ASK.encode(), 200, "Not a language model"),
    ],
)
def test_what_is_not_a_request_is_refused(
    server: OfflineServer, path: str, body: bytes, status: int, text: str
) -> None:
    code, answer = post(server.url + path, body)
    assert code == status
    assert text in answer


def test_a_client_that_leaves_in_the_middle_hurts_nobody(server: OfflineServer) -> None:
    with socket.create_connection(server.server_address[:2], timeout=5) as raw:
        raw.sendall(
            b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 500\r\n\r\nhalf"
        )
    assert post(f"{server.url}/v1/messages", ASK.encode())[0] == 200


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_a_deeply_nested_body_is_refused(server: OfflineServer, opening: bytes) -> None:
    code, answer = post(f"{server.url}/v1/messages", opening * 200_000)
    assert code == 400
    assert "nested" in answer
    assert post(f"{server.url}/v1/messages", ASK.encode())[0] == 200


def test_a_client_that_hangs_up_before_its_answer_is_nobodys_problem(
    server: OfflineServer, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = threading.Event()
    answered = threading.Event()
    real = server.model.respond

    def slow(*given: Any) -> Any:
        left.wait(5)
        return real(*given)

    monkeypatch.setattr(server.model, "respond", slow)
    ended = server.shutdown_request

    def shutdown_request(request: Any) -> None:
        ended(request)
        answered.set()

    monkeypatch.setattr(server, "shutdown_request", shutdown_request)
    reset = struct.pack("ii", 1, 0)
    with socket.create_connection(server.server_address[:2], timeout=5) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
        body = json.dumps(json.loads(ASK) | {"stream": True}).encode()
        head = f"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n"
        raw.sendall(head.encode() + b"\r\n" + body)
    left.set()
    assert answered.wait(5)
    assert capfd.readouterr().err == ""
    assert post(f"{server.url}/v1/messages", ASK.encode())[0] == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", ""])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_under_another_name_is_refused(
    server: OfflineServer, method: str, host: str
) -> None:
    with socket.create_connection(server.server_address[:2], timeout=5) as raw:
        head = f"{method} /v1/messages HTTP/1.1\r\nhost: {host}\r\ncontent-length: {len(ASK)}"
        raw.sendall(f"{head}\r\n\r\n{ASK}".encode())
        assert b" 403 " in raw.recv(200)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:{port}"])
def test_this_machines_own_names_are_answered(server: OfflineServer, host: str) -> None:
    named = host.format(port=server.server_address[1])
    assert post(f"{server.url}/v1/messages", ASK.encode(), host=named)[0] == 200


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/", 200, "not a language model"),
        ("/v1/models?limit=5", 200, '"has_more": false'),
        ("/v1/models/any-name", 200, '"id": "any-name"'),
        ("/v1/messages", 404, '"not_found_error"'),
        ("/api/hello", 404, '"not_found_error"'),
    ],
)
def test_get_and_head_are_answered(
    server: OfflineServer, path: str, status: int, text: str
) -> None:
    line = HTTPConnection(*server.server_address[:2], timeout=5)
    line.request("GET", path)
    answer = line.getresponse()
    body = answer.read()
    assert (answer.status, text in body.decode()) == (status, True)
    line.request("HEAD", path)
    same = line.getresponse()
    assert (same.status, same.read()) == (status, b"")
    assert same.headers["content-length"] == str(len(body))
    line.close()


@pytest.mark.parametrize(
    ("method", "headers", "status", "kind", "text"),
    [
        ("POST", {"x-memlab-fault": "fire"}, 400, "invalid_request_error", "overloaded"),
        ("POST", {"host": "evil.example"}, 403, "permission_error", "127.0.0.1"),
        ("HEAD", {"host": "evil.example"}, 403, "", ""),
        ("POST", {"content-length": "99999999999"}, 413, "request_too_large", "at most"),
        ("PUT", {}, 501, "invalid_request_error", "PUT"),
    ],
)
def test_every_error_has_the_form_of_the_services_errors(
    server: OfflineServer,
    method: str,
    headers: dict[str, str],
    status: int,
    kind: str,
    text: str,
) -> None:
    line = HTTPConnection(*server.server_address[:2], timeout=5)
    line.request(method, "/v1/messages", ASK, headers)
    answer = line.getresponse()
    body = answer.read()
    assert answer.status == status
    assert answer.headers["content-type"] == "application/json"
    if kind:
        error = json.loads(body)["error"]
        assert error["type"] == kind
        assert text in error["message"]
    line.close()


def test_the_request_that_claude_code_sends_is_answered(server: OfflineServer) -> None:
    """The shape that versions 2.1.197 and 2.1.330 sent to this server."""
    reminder = "<system-reminder>\nToday's date is 2026-11-22.\n</system-reminder>"
    cached = {"cache_control": {"type": "ephemeral"}}
    words = [
        {"type": "text", "text": reminder},
        {"type": "text", "text": "hello there", **cached},
    ]
    note = [{"type": "text", "text": "# Environment\nPlatform: linux"}]
    body = {
        "model": "claude-opus-5-5",
        "max_tokens": 128_000,
        "stream": True,
        "system": [{"type": "text", "text": "You are an interactive agent.", **cached}],
        "tools": [{"name": "Write", "input_schema": {"type": "object"}}],
        "thinking": {"type": "adaptive", "display": "omitted"},
        "output_config": {"effort": "medium"},
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        "metadata": {"user_id": "{}"},
        "messages": [
            {"role": "user", "content": words},
            {"role": "system", "content": note, "output_config": {"effort": "medium"}},
        ],
    }
    status, stream = post(f"{server.url}/v1/messages?beta=true", json.dumps(body).encode())
    assert (status, stream.count("'hello there'")) == (200, 1)


def test_the_command_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], server: OfflineServer, tmp_path: Path
) -> None:
    assert main(["--port", str(server.server_address[1])]) == 2
    assert "--port 0" in capsys.readouterr().err
    assert main(["--script", str(tmp_path / "none.yaml")]) == 2
    assert "none.yaml" in capsys.readouterr().err
    assert main(["--port", "99999"]) == 2


def test_the_command_serves_until_it_is_stopped() -> None:
    command = [sys.executable, "-u", "-m", "memlab.models.server", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        url = child.stdout.readline().split(" at ")[1].split()[0]
        assert post(f"{url}/v1/messages", ASK.encode())[0] == 200
        child.terminate()

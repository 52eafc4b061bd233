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
    assert "rules, not a language model" in json.loads(plain.stdout)["content"][0]["text"]
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
        ("/proxy/v1/messages?beta=true", ASK.encode(), 200, "rules"),
    ],
)
def test_what_is_not_a_request_is_refused(
    server: OfflineServer, path: str, body: bytes, status: int, text: str
) -> None:
    code, answer = post(server.url + path, body)
    assert code == status
    assert text in answer


def test_an_unknown_fault_header_and_a_huge_body_are_refused(server: OfflineServer) -> None:
    code, answer = post(f"{server.url}/v1/messages", ASK.encode(), **{"X-Memlab-Fault": "fire"})
    assert code == 400
    assert "overloaded" in answer
    with socket.create_connection(server.server_address[:2], timeout=5) as raw:
        raw.sendall(
            b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999\r\n\r\n"
        )
        assert b" 413 " in raw.recv(200)


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


def test_the_front_page_says_what_it_is(server: OfflineServer) -> None:
    with urllib.request.urlopen(server.url, timeout=5) as answer:
        assert b"not a language model" in answer.read()


def test_the_command_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], server: OfflineServer, tmp_path: Path
) -> None:
    assert main(["--port", str(server.server_address[1])]) == 2
    assert "--port 0" in capsys.readouterr().err
    assert main(["--screenplay", str(tmp_path / "none.yaml")]) == 2
    assert "none.yaml" in capsys.readouterr().err
    assert main(["--port", "99999"]) == 2


def test_the_command_serves_until_it_is_stopped() -> None:
    command = [sys.executable, "-u", "-m", "memlab.models.server", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        url = child.stdout.readline().split(" at ")[1].split()[0]
        assert post(f"{url}/v1/messages", ASK.encode())[0] == 200
        child.terminate()

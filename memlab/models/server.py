"""The offline model on a loopback port, for clients in other languages:
``python -m memlab.models.server``; with ``--local``, the small model of this
machine.

Left out: every address but this machine's own. It is a stand-in for practice,
not a service.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from memlab.errors import MemlabError
from memlab.models.model import Answer, OfflineModel
from memlab.models.standin.scripts import load_script
from memlab.models.wire import error_json
from memlab.runtime import SOURCE_HEADER

MAX_BODY_BYTES = 32 * 1024 * 1024
IDLE_SECONDS = 30.0
FRONT_PAGE = (
    b"memlab offline model: rules, not a language model. POST to"
    b" /v1/messages.\n"
)
_ERROR_KINDS = {
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
}
_HOST = re.compile(r"(?i)(?:127\.0\.0\.1|localhost)(?::\d{1,5})?")


class Responder(Protocol):
    """What the server puts on a port: the stand-in, or a local model."""

    def respond(
        self, path: str, headers: Mapping[str, str], raw: bytes
    ) -> Answer:
        """Answer a request with a body."""
        ...

    def look_up(self, path: str) -> Answer:
        """Answer a request without one."""
        ...


class OfflineServer(ThreadingHTTPServer):
    """Serves one model on 127.0.0.1; port 0 picks a free one."""

    daemon_threads = True

    def __init__(self, model: Responder | None = None, port: int = 0) -> None:
        self.model: Responder = model or OfflineModel()
        self.turn = threading.Lock()
        self.stopping = threading.Event()
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def url(self) -> str:
        """The base URL to give to a client."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about a client that hung up before it had its answer."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def start(self) -> OfflineServer:
        """Serve in a background thread until ``stop``."""
        threading.Thread(
            target=self.serve_forever, args=(0.02,), daemon=True
        ).start()
        return self

    def stop(self) -> None:
        """Stop serving and free the port."""
        self.stopping.set()
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    # or else head and body wait for each other on the way to the client
    disable_nagle_algorithm = True
    server: OfflineServer

    def do_POST(self) -> None:
        if not self._is_for_us():
            return
        try:
            size = int(self.headers.get("content-length") or 0)
        except ValueError:
            size = -1
        if not 0 <= size <= MAX_BODY_BYTES:
            self.send_error(413, f"a body has at most {MAX_BODY_BYTES} bytes")
            return
        raw = self.rfile.read(size)
        if len(raw) < size:  # the client hung up
            self.close_connection = True
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            with self.server.turn:
                answer = self.server.model.respond(
                    self.path.split("?")[0], headers, raw
                )
        except MemlabError as error:
            self.send_error(400, str(error))
            return
        except RecursionError:
            self.send_error(400, "the body is nested too deeply")
            return
        self._send(answer)

    def do_GET(self) -> None:
        if not self._is_for_us():
            return
        path = self.path.split("?")[0]
        if path == "/":
            self._send_whole(200, "text/plain; charset=utf-8", FRONT_PAGE)
        else:
            self._send(self.server.model.look_up(path))

    do_HEAD = do_GET

    def send_error(
        self, code: int, message: str | None = None, explain: str | None = None
    ) -> None:
        """Refuse a request in the form in which the service writes errors."""
        kind = _ERROR_KINDS.get(code, "invalid_request_error")
        what = message or HTTPStatus(code).phrase
        body = json.dumps(error_json(kind, what)).encode()
        self.close_connection = True
        self._send_whole(code, "application/json", body)

    def _send_whole(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _is_for_us(self) -> bool:
        """Refuse a request under another name, as a web page sends that
        renamed itself to us.
        """
        hosts = self.headers.get_all("host") or []
        if len(hosts) == 1 and _HOST.fullmatch(hosts[0].strip()):
            return True
        self.send_error(
            403, "only requests to 127.0.0.1 or localhost are answered"
        )
        return False

    def _send(self, answer: Answer) -> None:
        if answer.fault in ("timeout", "connect_error"):
            if answer.fault == "timeout":
                self.server.stopping.wait(IDLE_SECONDS)
            self.close_connection = True
            return
        self.send_response(answer.status)
        kind = "text/event-stream" if answer.stream else "application/json"
        self.send_header("content-type", kind)
        self.send_header("request-id", "req_offline")
        if answer.source:
            self.send_header(SOURCE_HEADER, quote(answer.source))
        if answer.status >= 400:
            self.send_header("retry-after-ms", "1")
        if answer.stream:
            self.send_header("transfer-encoding", "chunked")
        else:
            length = sum(len(data) for _, data in answer.parts)
            self.send_header(
                "content-length", str(length + (answer.fault == "cut_stream"))
            )
        self.end_headers()
        if self.command != "HEAD":
            self._write_parts(answer)

    def _write_parts(self, answer: Answer) -> None:
        for index, (wait, data) in enumerate(answer.parts):
            if wait:
                self.server.stopping.wait(wait)
            if index == 0:
                with self.server.turn:
                    answer.begins()
            framed = (
                b"%x\r\n%b\r\n" % (len(data), data) if answer.stream else data
            )
            self.wfile.write(framed)
            self.wfile.flush()
        if answer.fault == "cut_stream":
            self.close_connection = True
        elif answer.stream:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m memlab.models.server",
        description=(
            "Serve the offline model (rules, not a language model), or a local"
            " one, on this machine only."
        ),
    )
    parser.add_argument(
        "--port",
        type=int,
        default=8383,
        help="port on 127.0.0.1 (default 8383)",
    )
    parser.add_argument(
        "--script",
        type=Path,
        action="append",
        default=[],
        help="a YAML file; may be repeated",
    )
    parser.add_argument(
        "--local",
        action="store_true",
        help="a small language model on this machine answers",
    )
    parser.add_argument(
        "--gguf",
        default="",
        metavar="FILE",
        help="with --local: the model's file",
    )
    chosen = parser.parse_args(arguments)
    try:
        model: Responder
        if chosen.local:
            from memlab.models.local import LocalModel, LocalResponder

            local = LocalModel.load(chosen.gguf)
            model = LocalResponder(local)
            said = f"{local.name} at {{}} (a model on this machine)"
        else:
            model = OfflineModel(
                scripts=[load_script(path) for path in chosen.script]
            )
            said = "Offline model at {} (rules, not a language model)"
        server = OfflineServer(model, chosen.port)
    except (MemlabError, OverflowError) as error:
        print(f"memlab: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(
            f"memlab: port {chosen.port} cannot be used ({error.strerror})."
            " Try --port 0",
            file=sys.stderr,
        )
        return 2
    print(f"{said.format(server.url)}. Ctrl-C stops it.")
    print(
        f"  MEMLAB_MODEL=live ANTHROPIC_BASE_URL={server.url} python -m"
        " memlab …",
        flush=True,
    )
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print("Stopped.")
    finally:
        server.server_close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

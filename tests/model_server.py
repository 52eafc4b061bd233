"""The offline model behind a port of this machine, for what needs a live endpoint."""

from __future__ import annotations

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

from memlab.models.model import OfflineModel
from memlab.runtime import SOURCE_HEADER


class ModelServer(ThreadingHTTPServer):
    """Serves one model; ``url`` is the base URL for a client."""

    daemon_threads = True

    def __init__(self, model: OfflineModel) -> None:
        self.model = model
        self.turn = threading.Lock()
        self.stopping = threading.Event()
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"

    def start(self) -> ModelServer:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def stop(self) -> None:
        self.stopping.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that hung up."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # or else head and body wait for each other on the way to the client
    disable_nagle_algorithm = True
    server: ModelServer

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.turn:
            answer = self.server.model.respond(self.path.split("?")[0], headers, raw)
        if answer.fault in ("timeout", "connect_error"):
            self.server.stopping.wait(30 if answer.fault == "timeout" else 0)
            self.close_connection = True
            return
        self.send_response(answer.status)
        kind = "text/event-stream" if answer.stream else "application/json"
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.send_header("request-id", "req_test")
        self.send_header(SOURCE_HEADER, quote(answer.source))
        if answer.status >= 400:
            self.send_header("retry-after-ms", "1")
        self.end_headers()
        for number, (wait, data) in enumerate(answer.parts):
            self.server.stopping.wait(wait)
            if not number:
                with self.server.turn:
                    answer.begins()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        if answer.fault == "cut_stream":
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        pass

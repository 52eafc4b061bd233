"""The offline model behind a port of this machine, for what needs a live endpoint."""

from __future__ import annotations

import asyncio
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2

from memlab.models.offline import OfflineModel


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
        try:
            with self.server.turn:
                response = self.server.model.respond(self.path.split("?")[0], headers, raw)
        except httpx2.TransportError as fault:
            self.server.stopping.wait(30 if isinstance(fault, httpx2.ReadTimeout) else 0)
            self.close_connection = True
            return
        self.send_response(response.status_code)
        for name, value in response.headers.items():
            if name not in ("content-length", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        asyncio.run(self._send(response))

    async def _send(self, response: httpx2.Response) -> None:
        try:
            async for data in response.stream:  # type: ignore[union-attr]
                self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        except httpx2.RemoteProtocolError:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        pass

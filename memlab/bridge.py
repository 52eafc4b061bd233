"""What callers still use that have not been rewritten.

No new module imports this, and the list only shrinks.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from typing import Any

# a client without ``await``, for lab, bare_sessions and evals


class SyncClient:
    """Waits for the calls of a client, which run in a thread of their own."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._loop = loop = asyncio.new_event_loop()
        self.messages = self
        threading.Thread(target=_serve, args=(loop,), daemon=True).start()
        weakref.finalize(self, loop.call_soon_threadsafe, loop.stop)

    def wait(self, call: Any) -> Any:
        """Wait for one call."""
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()

    def create(self, **body: Any) -> Any:
        """Ask for one message."""
        return self.wait(self._client.messages.create(**body))


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()

"""What the tests of recall are made of: memories, headers, and clients that say anything."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Coroutine, Sequence
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
from anthropic import AsyncAnthropic

from memlab.clock import STORY_START
from memlab.memdir.memory import MemoryType
from memlab.memdir.scan import MemoryHeader

NOW = STORY_START


def header(
    filename: str,
    description: str = "",
    *,
    name: str = "",
    days: float = 1,
    kind: MemoryType | None = None,
    folder: Path = Path("nowhere"),
) -> MemoryHeader:
    """Make a header of a memory that is so many days old."""
    moment = NOW - timedelta(days=days)
    return MemoryHeader(folder / filename, filename, moment, name, description, kind)


def write(
    folder: Path,
    filename: str,
    description: str = "",
    body: str = "The body.\n",
    *,
    days: float = 1,
    kind: str = "project",
) -> MemoryHeader:
    """Write a memory that is so many days old, and give its header."""
    path = folder / filename
    path.parent.mkdir(parents=True, exist_ok=True)
    # JSON spells any text as YAML reads it, control characters and line ends included.
    front = f"name: {json.dumps(filename)}\ndescription: {json.dumps(description)}\ntype: {kind}"
    path.write_bytes(f"---\n{front}\n---\n{body}".encode())
    return stamp(header(filename, description, days=days, kind=MemoryType(kind), folder=folder))


def stamp(made: MemoryHeader) -> MemoryHeader:
    """Give a file the time that its header says."""
    seconds = made.mtime.timestamp()
    os.utime(made.path, (seconds, seconds))
    return made


def put(folder: Path, filename: str, content: bytes, *, days: float = 1) -> MemoryHeader:
    """Write any bytes, and give a header that leads to them."""
    (folder / filename).write_bytes(content)
    return stamp(header(filename, days=days, folder=folder))


def answering(text: str, *, stop: str = "end_turn", asked: list[Any] | None = None) -> Any:
    """Make a real client that gets this text for an answer; ``asked`` collects the requests."""

    def respond(request: httpx2.Request) -> httpx2.Response:
        if asked is not None:
            asked.append(json.loads(request.content))
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 7, "output_tokens": 3, "cache_read_input_tokens": 5},
        }
        return httpx2.Response(200, json=message)

    return client_of(respond)


def attachment(text: str) -> Any:
    """Make what a recall attaches, from a file that nobody touches."""
    return SimpleNamespace(text=text, header=header("a.md"), filename="a.md", is_current=True)


def choosing(*names: object, asked: list[Any] | None = None) -> Any:
    """Make a client that chooses these names."""
    return answering(json.dumps({"selected_memories": names}), asked=asked)


def client_of(respond: Callable[[httpx2.Request], httpx2.Response]) -> AsyncAnthropic:
    """Make a real client around a function from request to response."""
    transport = httpx2.MockTransport(respond)
    return AsyncAnthropic(
        api_key="k", max_retries=0, http_client=httpx2.AsyncClient(transport=transport)
    )


def names(headers: Sequence[MemoryHeader]) -> list[str]:
    """Give the file names."""
    return [each.filename for each in headers]


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run to the end, and see to it that nothing is left running."""

    async def main() -> Any:
        result = await work
        for _ in range(200):
            await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return result

    return asyncio.run(main())

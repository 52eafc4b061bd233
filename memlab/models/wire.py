"""Answers in the shapes of the Messages API: one message, or the events of a
stream.

Blocks of other kinds than text and tool calls (thinking) are streamed in one
piece. Left out: citations and server tools.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

from memlab.text import block_text, count_tokens

PURPOSE_HEADER = "x-memlab-purpose"
"""In a request: what it is for; ``main`` without it."""
REPLAYED_HEADER = "x-memlab-replayed"
"""In an answer from a tape for which nobody was asked, so it costs nothing."""
SECONDS_HEADER = "x-memlab-seconds"
"""In an answer from a tape: how long it took when it was recorded."""
_DELTA_CHARACTERS = 24
_STOPS = ("stop_reason", "stop_sequence", "stop_details")


@dataclass(frozen=True)
class Reply:
    """What a role answers: content blocks of type ``text`` and ``tool_use``,
    and why it stopped, where that does not follow from them.
    """

    blocks: Sequence[Mapping[str, Any]]
    stop_reason: str = ""
    stop_details: Mapping[str, Any] | None = None

    @property
    def reason(self) -> str:
        """The stop reason: as given, else ``tool_use`` if a tool is called,
        else ``end_turn``.
        """
        calls = any(block["type"] == "tool_use" for block in self.blocks)
        return self.stop_reason or ("tool_use" if calls else "end_turn")

    @property
    def tokens(self) -> int:
        """The output tokens, estimated, at least one."""
        return max(1, sum(count_tokens(block_text(b)) for b in self.blocks))


def say(text: str) -> dict[str, Any]:
    """Make a text block."""
    return {"type": "text", "text": text}


def message_json(
    reply: Reply, message_id: str, model: str, usage: Mapping[str, Any]
) -> dict[str, Any]:
    """Give a reply as the service's message object."""
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [dict(block) for block in reply.blocks],
        "stop_reason": reply.reason,
        "stop_sequence": None,
        "stop_details": reply.stop_details,
        "usage": {**usage, "output_tokens": reply.tokens},
    }


def error_json(kind: str, message: str) -> dict[str, Any]:
    """Give an error body as the service writes it."""
    return {"type": "error", "error": {"type": kind, "message": message}}


def sse(kind: str, **data: Any) -> bytes:
    """Write one server-sent event."""
    body = json.dumps({"type": kind, **data})
    return f"event: {kind}\ndata: {body}\n\n".encode()


def stream_events(message: Mapping[str, Any]) -> Iterator[tuple[int, bytes]]:
    """Give a message as server-sent events, each with the output tokens it
    took to produce.
    """
    usage = {**message["usage"], "output_tokens": 1}
    begun = {**message, **dict.fromkeys(_STOPS), "content": [], "usage": usage}
    yield 0, sse("message_start", message=begun)
    for index, block in enumerate(message["content"]):
        opening, kind, name, text = {**block}, "", "", ""
        if block["type"] == "tool_use":
            opening["input"] = {}
            kind, name = "input_json_delta", "partial_json"
            text = json.dumps(block["input"], ensure_ascii=False)
        elif block["type"] == "text":
            opening["text"] = ""
            kind, name, text = "text_delta", "text", block["text"]
        yield 0, sse("content_block_start", index=index, content_block=opening)
        for begin in range(0, len(text), _DELTA_CHARACTERS):
            piece = text[begin : begin + _DELTA_CHARACTERS]
            delta = {"type": kind, name: piece}
            event = sse("content_block_delta", index=index, delta=delta)
            yield count_tokens(piece), event
        yield 0, sse("content_block_stop", index=index)
    stops = {name: message.get(name) for name in _STOPS}
    yield 0, sse("message_delta", delta=stops, usage=message["usage"])
    yield 0, sse("message_stop")


def json_object(data: bytes) -> dict[str, Any]:
    """Read a JSON object; what is none gives {}."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def json_response(
    status: int, body: Mapping[str, Any], **headers: str
) -> httpx2.Response:
    """Answer with a JSON object, which is still to be read."""
    sent = {"content-type": "application/json", **headers}
    data = httpx2.ByteStream(json.dumps(body).encode())
    return httpx2.Response(status, headers=sent, stream=data)


def message_response(
    message: Mapping[str, Any], stream: bool, headers: Mapping[str, str]
) -> httpx2.Response:
    """Answer with a message, as a stream of events if that was asked for."""
    if not stream:
        return json_response(200, message, **headers)
    sent = {**headers, "content-type": "text/event-stream"}
    events = b"".join(event for _, event in stream_events(message))
    return httpx2.Response(200, headers=sent, stream=httpx2.ByteStream(events))

"""Answers in the shapes of the Messages API: one JSON object, or the events of
a stream.

Blocks of other kinds than text and tool calls (thinking) are streamed in one
piece. Left out: citations and server tools.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memlab.text import block_text, count_tokens, escape_hidden

DELTA_CHARACTERS = 24


@dataclass(frozen=True)
class Reply:
    """What a role answers: content blocks of type ``text`` and ``tool_use``,
    and why it stopped.

    ``stop_sequence`` is the text of the request's that ended it, if one did.
    ``counted`` are the output tokens that a real model counted; without them
    they are estimated.
    """

    blocks: Sequence[Mapping[str, Any]]
    stop_reason: str = ""
    stop_details: Mapping[str, Any] | None = None
    stop_sequence: str | None = None
    counted: int = 0

    @property
    def reason(self) -> str:
        """The stop reason: as given, else ``tool_use`` if a tool is called,
        else ``end_turn``.
        """
        calls = any(block["type"] == "tool_use" for block in self.blocks)
        return self.stop_reason or ("tool_use" if calls else "end_turn")

    @property
    def tokens(self) -> int:
        """The output tokens, at least one."""
        return self.counted or max(
            1, sum(count_tokens(block_text(block)) for block in self.blocks)
        )


@dataclass(frozen=True)
class Envelope:
    """Everything around a reply: ids, model, usage, diagnostics."""

    message_id: str
    model: str
    usage: Mapping[str, Any] = field(default_factory=dict)
    diagnostics: Mapping[str, Any] | None = None


def say(text: str) -> dict[str, Any]:
    """Make a text block."""
    return {"type": "text", "text": text}


def message_json(reply: Reply, envelope: Envelope) -> dict[str, Any]:
    """Give an answer as one message object."""
    return _shell(envelope) | {
        "content": [dict(block) for block in reply.blocks],
        "stop_reason": reply.reason,
        "stop_sequence": reply.stop_sequence,
        "stop_details": reply.stop_details,
        "usage": dict(envelope.usage) | {"output_tokens": reply.tokens},
    }


def stream_events(
    reply: Reply, envelope: Envelope
) -> Iterator[tuple[int, bytes]]:
    """Give an answer as server-sent events, each with the output tokens it
    took to produce.
    """
    start = _shell(envelope) | {
        "usage": dict(envelope.usage) | {"output_tokens": 1}
    }
    yield 0, sse("message_start", message=start)
    for index, block in enumerate(reply.blocks):
        opening, deltas = _opening_and_deltas(block)
        yield 0, sse("content_block_start", index=index, content_block=opening)
        for delta, text in deltas:
            yield (
                count_tokens(text),
                sse("content_block_delta", index=index, delta=delta),
            )
        yield 0, sse("content_block_stop", index=index)
    ending: dict[str, Any] = {
        "stop_reason": reply.reason,
        "stop_sequence": reply.stop_sequence,
    }
    if reply.stop_details:
        ending["stop_details"] = dict(reply.stop_details)
    yield (
        0,
        sse(
            "message_delta",
            delta=ending,
            usage={"output_tokens": reply.tokens},
        ),
    )
    yield 0, sse("message_stop")


def read_stream(data: bytes) -> dict[str, Any] | None:
    """Put the events of a stream together again, as one message object.

    Returns None for a stream that broke off, or that ended with an error.
    """
    message: dict[str, Any] = {}
    partial: dict[int, str] = {}
    ended = False
    for line in data.splitlines():
        if not line.startswith(b"data:"):
            continue
        event = json.loads(line[5:])
        kind = event.get("type")
        if kind == "error":
            return None
        if kind == "message_start":
            message = {**event["message"], "content": []}
        elif kind == "content_block_start":
            message["content"].append(dict(event["content_block"]))
        elif kind == "content_block_delta":
            index = event["index"]
            delta = event["delta"]
            if delta["type"] == "input_json_delta":
                partial[index] = partial.get(index, "") + delta["partial_json"]
            else:
                _extend(message["content"][index], delta)
        elif kind == "message_delta":
            message.update(event["delta"])
            usage = message.get("usage") or {}
            message["usage"] = {**usage, **(event.get("usage") or {})}
        elif kind == "message_stop":
            ended = True
    for index, text in partial.items():
        message["content"][index]["input"] = json.loads(text or "{}")
    return message if ended else None


def _extend(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    """Add a delta of text, thinking, signature or citation to its block."""
    for name, value in delta.items():
        if name == "type":
            continue
        if name == "citation":
            block["citations"] = [*(block.get("citations") or ()), value]
        elif isinstance(value, str):
            block[name] = (block.get(name) or "") + value
        else:
            block[name] = value


def sse(kind: str, **data: Any) -> bytes:
    """Write one server-sent event."""
    body = json.dumps({"type": kind, **data}, ensure_ascii=False)
    return f"event: {kind}\ndata: {escape_hidden(body)}\n\n".encode()


def error_json(kind: str, message: str) -> dict[str, Any]:
    """Give an error body as the service writes it."""
    return {"type": "error", "error": {"type": kind, "message": message}}


def _shell(envelope: Envelope) -> dict[str, Any]:
    return {
        "id": envelope.message_id,
        "type": "message",
        "role": "assistant",
        "model": envelope.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": dict(envelope.usage),
        "diagnostics": envelope.diagnostics,
    }


def _opening_and_deltas(
    block: Mapping[str, Any],
) -> tuple[dict[str, Any], list[tuple[dict[str, Any], str]]]:
    if block["type"] == "tool_use":
        parts = _pieces(json.dumps(block["input"], ensure_ascii=False))
        opening = dict(block) | {"input": {}}
        return opening, [
            ({"type": "input_json_delta", "partial_json": p}, p) for p in parts
        ]
    if block["type"] != "text":
        return dict(block), []
    parts = _pieces(block["text"])
    return say(""), [
        ({"type": "text_delta", "text": part}, part) for part in parts
    ]


def _pieces(text: str) -> list[str]:
    return [
        text[i : i + DELTA_CHARACTERS]
        for i in range(0, len(text), DELTA_CHARACTERS)
    ]

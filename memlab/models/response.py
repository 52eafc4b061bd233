"""Requests and responses of the Messages API as the SDK's HTTP client has
them, for the transports that answer without a network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx2

from memlab.models.wire import (
    Envelope,
    Reply,
    error_json,
    message_json,
    stream_events,
)
from memlab.text import escape_hidden, request_tokens


def is_message(request: httpx2.Request) -> bool:
    """Tell whether a request asks for a message."""
    return request.method == "POST" and request.url.path.endswith(
        "/v1/messages"
    )


def is_count(request: httpx2.Request) -> bool:
    """Tell whether a request asks how many tokens it has."""
    return request.url.path.endswith("/v1/messages/count_tokens")


def token_count(content: bytes) -> dict[str, int]:
    """Estimate a request's tokens."""
    return {"input_tokens": request_tokens(json.loads(content))}


def nothing_at(request: httpx2.Request) -> httpx2.Response:
    """Answer a request for anything else."""
    said = f"there is nothing at {request.url.path}"
    return json_response(404, error_json("not_found_error", said))


def unread(data: bytes) -> httpx2.ByteStream:
    """Return a body that is still to be read, so that the meter sees it."""
    return httpx2.ByteStream(data)


def json_response(
    status: int,
    body: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
) -> httpx2.Response:
    """Make a response of one JSON object."""
    return httpx2.Response(
        status,
        headers={"content-type": "application/json", **(headers or {})},
        stream=unread(
            escape_hidden(json.dumps(body, ensure_ascii=False)).encode()
        ),
    )


def message_response(
    message: Mapping[str, Any],
    message_id: str,
    *,
    stream: bool,
    headers: Mapping[str, str],
) -> httpx2.Response:
    """Make the response for a message object, whole or as a stream."""
    usage = dict(message.get("usage") or {})
    reply = Reply(
        message.get("content") or (),
        str(message.get("stop_reason") or ""),
        message.get("stop_details"),
        message.get("stop_sequence"),
        counted=int(usage.get("output_tokens") or 0),
    )
    envelope = Envelope(message_id, str(message.get("model") or ""), usage)
    if not stream:
        return json_response(200, message_json(reply, envelope), headers)
    events = b"".join(data for _, data in stream_events(reply, envelope))
    return httpx2.Response(
        200,
        headers={"content-type": "text/event-stream", **headers},
        stream=unread(events),
    )

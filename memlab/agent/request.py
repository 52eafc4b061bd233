"""One call to the model: the request, built in one place so that prefixes
match, and its answer.

What can go wrong is put into words for the person. The SDK tries again by
itself, and the loop decides what to do next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memlab.errors import MemlabError
from memlab.ledger import Tokens
from memlab.runtime import answer_source
from memlab.text import as_blocks

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

MAX_OUTPUT_TOKENS = 16_000
_MARK = {"cache_control": {"type": "ephemeral"}}
_IN_WORDS = {
    "authentication_error": "The model's service does not accept the key.",
    "rate_limit_error": "Too many requests for now. Wait a minute.",
    "overloaded_error": "The model's service is overloaded. Wait a minute.",
    "api_error": "The model's service has failed.",
}


class CallError(MemlabError):
    """A call that returned no usable answer."""


class TooLongError(CallError):
    """A request that holds more than the model takes."""


@dataclass(frozen=True)
class RequestPrefix:
    """What a call sends before anything new: a fork that starts from it reads
    the parent's cache.

    ``uuids`` name the messages, ``last_message_id`` the service's newest
    answer.
    """

    model: str
    system: str
    tools: tuple[Mapping[str, Any], ...]
    messages: tuple[Mapping[str, Any], ...]
    uuids: tuple[str, ...] = ()
    last_message_id: str = ""

    def body(self, max_tokens: int = MAX_OUTPUT_TOKENS) -> dict[str, Any]:
        """Build the request, with a cache mark behind the system prompt and
        the last message.
        """
        *before, last = self.messages
        return {
            "model": self.model,
            "max_tokens": max_tokens,
            "system": _marked(self.system),
            "tools": list(self.tools),
            "messages": [
                *before,
                {**last, "content": _marked(last["content"])},
            ],
        }


@dataclass(frozen=True)
class Answer(Tokens):
    """What the model answered: blocks as they go back into a request, and
    tokens as billed.

    ``source`` labels an answer of the stand-in: ``script: <title>``,
    ``fallback rules`` or ``plain reply``; it is empty for a real model.
    """

    blocks: tuple[dict[str, Any], ...]
    stop_reason: str
    message_id: str
    source: str = ""

    @property
    def text(self) -> str:
        """What the model said, without its tool calls."""
        return "\n".join(
            block["text"] for block in self.blocks if block["type"] == "text"
        )

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The tool calls."""
        return [block for block in self.blocks if block["type"] == "tool_use"]


async def ask_model(
    client: AsyncAnthropic,
    body: Mapping[str, Any],
    *,
    purpose: str,
    on_text: Callable[[str], object] = lambda text: None,
) -> Answer:
    """Stream one answer, passing its text on as it comes; raises CallError."""
    import anthropic
    import httpx2

    headers = {"X-Memlab-Purpose": purpose}
    try:
        async with client.messages.stream(
            **body, extra_headers=headers
        ) as stream:
            async for event in stream:
                if event.type == "text":
                    on_text(event.text)
            message = await stream.get_final_message()
            source = answer_source(stream.response.headers)
    except (anthropic.APIConnectionError, httpx2.HTTPError) as error:
        late = isinstance(error, anthropic.APITimeoutError)
        what = (
            "did not answer in time"
            if late
            else "cannot be reached, or broke off"
        )
        raise CallError(f"The model's service {what}.") from error
    except anthropic.APIError as error:
        raise _in_words(error) from error
    # the SDK's word for tool input that is not JSON
    except ValueError as error:
        raise CallError("The model's answer cannot be read.") from error
    if message.stop_reason is None:
        raise CallError("The model's service broke off.")
    tokens = Tokens.from_usage(message.usage).by_kind()
    said = [
        block
        for block in message.content
        if getattr(block, "text", "…").strip()
    ]
    return Answer(
        tuple(map(_plain, said)),
        message.stop_reason,
        message.id,
        source,
        **tokens,
    )


def _marked(content: Any) -> list[Mapping[str, Any]]:
    *before, last = as_blocks(content)
    return [*before, {**last, **_MARK}]


def _plain(block: Any) -> dict[str, Any]:
    """Return a block without what the SDK adds to it, as it is sent back."""
    if block.type == "text":
        return {"type": "text", "text": block.text}
    if block.type == "tool_use":
        return {
            "type": "tool_use",
            "id": block.id,
            "name": block.name,
            "input": block.input,
        }
    return dict(block.model_dump(mode="json", exclude_none=True))


def _in_words(error: Any) -> CallError:
    """Say what the service refused, from the error it sent before or in the
    middle of a stream.
    """
    body = error.body if isinstance(error.body, Mapping) else {}
    sent = body.get("error") or {}
    kind, message = str(sent.get("type", "")), str(sent.get("message", error))
    if kind == "request_too_large" or "too long" in message:
        return TooLongError("The conversation is too long for the model.")
    return CallError(
        _IN_WORDS.get(
            kind, f"The model's service refused the request: {message}"
        )
    )

"""One call to the model: the request, built in one place so that prefixes
match, and its answer.

What can go wrong is put into words for the person. The SDK tries again by
itself, and the loop decides what to do next.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memlab.errors import MemlabError, pass_on_tape_miss
from memlab.ledger import Tokens
from memlab.runtime import answer_source
from memlab.service_errors import read_error
from memlab.settings import Settings
from memlab.text import as_blocks

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic

_IN_WORDS = {
    "authentication_error": "The model's service does not accept the key.",
    "rate_limit_error": "Too many requests for now. Wait a minute.",
    "overloaded_error": "The model's service is overloaded. Wait a minute.",
    "api_error": "The model's service has failed.",
}
_THINKING = ("thinking", "redacted_thinking")
_CALLS = ("tool_use", "tool_result")
_CUT = ("max_tokens", "model_context_window_exceeded")
# what of a block is sent back; the SDK adds more
_SENT = {"text": ("type", "text"), "tool_use": ("type", "id", "name", "input")}

Message = Mapping[str, Any]


class CallError(MemlabError):
    """A call that returned no usable answer."""


class TooLongError(CallError):
    """A request that holds more than the model takes."""


@dataclass(frozen=True)
class RequestPrefix:
    """What a call sends before anything new: a fork that starts from it reads
    the parent's cache.

    ``uuids`` name the messages. ``max_tokens`` and ``effort`` are the settings
    for an answer; a fork keeps the effort, because the service compares it
    too. ``opening`` has
    reminders that are sent in front of the first message without belonging to
    it: no transcript contains them. ``replaced`` has the messages that
    compactions have replaced, with their uuids. They are not sent, but what
    was said in them is still known to have been said.
    """

    model: str
    system: str
    tools: tuple[Mapping[str, Any], ...]
    messages: tuple[Mapping[str, Any], ...]
    uuids: tuple[str, ...] = ()
    max_tokens: int = Settings.main_max_output_tokens
    effort: str = Settings.main_effort
    opening: tuple[str, ...] = ()
    replaced: tuple[tuple[str, Message], ...] = ()

    def body(self, max_tokens: int = 0) -> dict[str, Any]:
        """Build the request, with a cache mark behind the system prompt and
        the last message.

        ``max_tokens`` replaces the prefix's own. Messages of one role that
        follow each other become one: the service would join them too, and the
        chat templates of many models refuse them.
        """
        *before, last = joined([*self._opening_message(), *self.messages])
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": max_tokens or self.max_tokens,
            "system": mark_cache(as_blocks(self.system)),
            "tools": list(self.tools),
            "messages": [
                *before,
                {**last, "content": mark_cache(as_blocks(last["content"]))},
            ],
        }
        if self.effort == "off":
            body["thinking"] = {"type": "disabled"}
        elif self.effort:
            body["output_config"] = {"effort": self.effort}
        return body

    def fork_body(self) -> dict[str, Any]:
        """Build the first request of a fork: the conversation ends with the
        parent's newest answer and the fork's prompt.

        A conversation that ends in another way gives its ``body``.
        """
        body = self.body()
        messages = joined([*self._opening_message(), *self.messages])
        kinds = [
            (one["role"], type(one["content"]).__name__)
            for one in messages[-2:]
        ]
        if kinds != [("assistant", "list"), ("user", "str")]:
            return body
        *earlier, answer, prompt = messages
        parent = {**body, "messages": earlier}
        return fork_request(parent, answer["content"], prompt["content"])

    @property
    def beginning(self) -> tuple[object, ...]:
        """What comes before the messages."""
        return self.model, self.system, self.tools, self.opening

    def _opening_message(self) -> list[Message]:
        blocks = [{"type": "text", "text": text} for text in self.opening]
        return [{"role": "user", "content": blocks}] if blocks else []

    def for_model(self, model: str) -> RequestPrefix:
        """Return the prefix for another model, which cannot use what this one
        has thought.
        """
        if not model or model == self.model:
            return self
        return replace(
            self, model=model, messages=without_thinking(self.messages)
        )


@dataclass(frozen=True)
class Answer(Tokens):
    """What the model answered: blocks as they go back into a request, and
    tokens as billed.

    ``source`` labels an answer of the stand-in: ``script: <title>``,
    ``fallback rules`` or ``plain reply``; it is empty for a real model.
    """

    blocks: tuple[dict[str, Any], ...]
    stop_reason: str
    source: str = ""

    @property
    def text(self) -> str:
        """What the model said, without its tool calls."""
        return "\n".join(
            block["text"] for block in self.blocks if block["type"] == "text"
        )

    @property
    def is_cut(self) -> bool:
        """Whether it ends in the middle, so that its last call may be half."""
        return self.stop_reason in _CUT

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The tool calls."""
        return [block for block in self.blocks if block["type"] == "tool_use"]


def mark_cache(blocks: list[Any]) -> list[Any]:
    """Return the blocks, with a cache mark on a copy of the last one."""
    last = {**blocks[-1], "cache_control": {"type": "ephemeral"}}
    return [*blocks[:-1], last]


def fork_request(
    parent: dict[str, Any], answer: list[Any], prompt: str
) -> dict[str, Any]:
    """Return the request of a fork: the parent's without its messages' marks,
    the answer to it, and the prompt with a mark.
    """
    messages = [without_marks(message) for message in parent["messages"]]
    messages.append({"role": "assistant", "content": answer})
    question = mark_cache([{"type": "text", "text": prompt}])
    messages.append({"role": "user", "content": question})
    return {**parent, "messages": messages}


def without_marks(message: Message) -> Message:
    """Return a message whose blocks have no cache marks."""
    if isinstance(message["content"], str):
        return message
    blocks = []
    for block in message["content"]:
        copy = dict(block)
        copy.pop("cache_control", None)
        blocks.append(copy)
    return {**message, "content": blocks}


async def ask_model(
    client: AsyncAnthropic,
    body: Mapping[str, Any],
    *,
    purpose: str,
    settings: Settings | None = None,
    on_text: Callable[[str], object] = lambda text: None,
) -> Answer:
    """Stream one answer, passing its text on as it comes.

    Raises CallError, and TapeMiss where a tape is replayed.

    The service may be silent for as long as the settings say for the purpose.
    """
    import anthropic
    import httpx2

    headers = {"X-Memlab-Purpose": purpose}
    name, seconds = _time_out(purpose, settings or Settings())
    try:
        async with client.messages.stream(
            **body, extra_headers=headers, timeout=seconds
        ) as stream:
            async for event in stream:
                if event.type == "text":
                    on_text(event.text)
            message = await stream.get_final_message()
            source = answer_source(stream.response.headers)
    except (anthropic.APITimeoutError, httpx2.TimeoutException) as error:
        raise CallError(
            "The model's service did not answer in time. It may be silent for"
            f" {seconds:g} seconds ({name})."
        ) from error
    except (anthropic.APIConnectionError, httpx2.HTTPError) as error:
        pass_on_tape_miss(error)
        raise CallError(_unreached(client.base_url)) from error
    except anthropic.APIError as error:
        raise _in_words(error) from error
    # the SDK's words for tool input that is not JSON, and for no answer
    except (ValueError, AssertionError) as error:
        raise CallError("The model's answer cannot be read.") from error
    if message.stop_reason is None:
        raise CallError("The model's service broke off.")
    blocks = [_plain(block) for block in message.content]
    return Answer(
        tuple(one for one in blocks if one.get("text", "…").strip()),
        message.stop_reason,
        source,
        **Tokens.from_usage(message.usage).by_kind(),
    )


def joined(messages: Iterable[Message]) -> list[Message]:
    """Join messages that follow each other and have the same role."""
    whole: list[Message] = []
    for message in messages:
        if whole and whole[-1]["role"] == message["role"]:
            content = [
                *as_blocks(whole[-1]["content"]),
                *as_blocks(message["content"]),
            ]
            whole[-1] = {**whole[-1], "content": content}
        else:
            whole.append(message)
    return whole


def without_thinking(
    messages: Iterable[Message],
) -> tuple[Mapping[str, Any], ...]:
    """Return messages without what the model thought.

    The service checks that thinking is sent back to the model that it came
    from, behind the same system prompt, tools and messages. It also wants the
    thinking in front of a call whose result is the newest that the model
    gets; such a call and its result become text.
    """
    left = list(messages)
    newest = len(left) - 1
    while newest > 0 and left[newest]["role"] == "user":
        newest -= 1
    return tuple(
        _without_thinking(message, calls_as_text=index >= newest)
        for index, message in enumerate(left)
    )


def _without_thinking(message: Message, *, calls_as_text: bool) -> Message:
    blocks: list[Any] = []
    for block in as_blocks(message["content"]):
        if calls_as_text and block["type"] in _CALLS:
            text = json.dumps(block, ensure_ascii=False)
            blocks.append({"type": "text", "text": text})
        elif block["type"] not in _THINKING:
            blocks.append(block)
    if blocks == as_blocks(message["content"]):
        return message
    # a message may not be empty
    return {**message, "content": blocks or [{"type": "text", "text": "…"}]}


def has_thinking(messages: Iterable[Message]) -> bool:
    """Tell whether any message contains what the model thought."""
    return any(
        block["type"] in _THINKING
        for message in messages
        for block in as_blocks(message["content"])
    )


def _time_out(purpose: str, settings: Settings) -> tuple[str, float]:
    """Return the setting that says how long the service may be silent, and
    its seconds.
    """
    own = "extract" if purpose == "session" else purpose
    name = f"{own}_timeout_seconds"
    if not hasattr(settings, name):
        name = "main_timeout_seconds"
    return name, getattr(settings, name)


def _plain(block: Any) -> dict[str, Any]:
    """Return a block as it is sent back."""
    if block.type in _SENT:
        return {key: getattr(block, key) for key in _SENT[block.type]}
    return dict(block.model_dump(mode="json", exclude_none=True))


def _unreached(url: httpx2.URL) -> str:
    """Say that a connection failed, and where, if it was a real one."""
    said = "The model's service cannot be reached, or broke off."
    if url.host.endswith(".invalid"):
        return said
    address = f"{url.scheme}://{url.netloc.decode()}"
    return (
        f"{said} Check that {address} answers; ANTHROPIC_BASE_URL sets the"
        " address."
    )


def _in_words(error: Any) -> CallError:
    """Say what the service refused, from the error it sent before or in the
    middle of a stream.
    """
    refused = read_error(error)
    if refused.too_long:
        return TooLongError("The conversation is too long for the model.")
    status = f" ({refused.status})" if refused.status >= 500 else ""
    return CallError(
        _IN_WORDS.get(
            refused.kind,
            f"The model's service refused the request{status}:"
            f" {refused.message}",
        )
    )

"""A request as the service reads it: checked for form, then easy for a role to
ask about.

Left out: fields that the rules have no use for (thinking, service tier,
metadata); they are accepted and ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any

from memlab.text import (
    as_blocks,
    block_text,
    fold_space,
    is_system_reminder,
    persons_text,
    request_text,
)


@dataclass(frozen=True)
class ModelRequest:
    """One Messages API request: what it is for, and its body."""

    purpose: str
    body: Mapping[str, Any]

    @cached_property
    def messages(self) -> list[Mapping[str, Any]]:
        """The messages, oldest first, each with one thing at most that the
        person typed.

        A request joins messages of one role that follow each other; here they
        are apart again.
        """
        return [part for one in self.body["messages"] for part in _apart(one)]

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools offered, in order."""
        return [str(tool["name"]) for tool in self.body.get("tools") or ()]

    @property
    def text(self) -> str:
        """Everything a model would read: tools, system, messages."""
        return request_text(self.body)

    @property
    def said(self) -> str:
        """The person's newest words, white space folded."""
        typed = filter(None, map(persons_text, reversed(self.messages)))
        return fold_space(next(typed, ""))

    @property
    def answers_since(self) -> int:
        """How many times the model has answered since then."""
        newest = reversed(self.messages)
        later = takewhile(lambda message: not persons_text(message), newest)
        return [message["role"] for message in later].count("assistant")


def _apart(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Split a user message behind tool results, and where a reminder follows
    what the person typed.
    """
    if message["role"] != "user":
        return [message]
    groups: list[list[Any]] = []
    before = kind = ""
    for block in as_blocks(message["content"]):
        kind = block["type"]
        if kind == "text" and is_system_reminder(block["text"]):
            kind = "reminder"
        behind = before == "tool_result" != kind
        if not groups or behind or (before, kind) == ("text", "reminder"):
            groups.append([])
        groups[-1].append(block)
        before = kind
    return [{**message, "content": group} for group in groups]


def find_fault(body: Mapping[str, Any]) -> str:
    """Say what the service would reject in the messages of a request; "" for
    nothing.

    Each tool call has its result at the beginning of the next message.
    """
    messages = body["messages"]
    if not messages or messages[0]["role"] != "user":
        return "messages.0.role: the first message must use the user role"
    calls: list[str] = []
    for index, message in enumerate(messages):
        where = f"messages.{index}"
        blocks = as_blocks(message["content"])
        texts = [block_text(one) for one in blocks if one["type"] == "text"]
        if not blocks or not all(text.strip() for text in texts):
            return f"{where}.content: text content blocks must not be empty"
        if message["role"] == "system":
            continue
        first = takewhile(lambda block: block["type"] == "tool_result", blocks)
        results = [str(block["tool_use_id"]) for block in first]
        missing = [call for call in calls if call not in results]
        if missing:
            return (
                f"{where}: tool_use ids were found without tool_result blocks"
                f" immediately after: {', '.join(missing)}"
            )
        stray = [result for result in results if result not in calls]
        if stray:
            return (
                f"{where}: unexpected tool_use_id found in tool_result:"
                f" {stray[0]}"
            )
        calls = [str(one["id"]) for one in blocks if one["type"] == "tool_use"]
    if calls:
        return "messages: the last message calls a tool and has no tool_result"
    return ""

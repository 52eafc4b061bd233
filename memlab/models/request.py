"""A request as the service reads it: checked for form, then easy for a role to
ask about.

Left out: fields that the rules have no use for (thinking, service tier,
metadata); they are accepted and ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile
from typing import Any

from memlab.text import (
    as_blocks,
    block_text,
    fold_space,
    is_system_reminder,
    request_text,
)

ROLES = ("user", "assistant", "system")
"""A ``system`` message gives instructions in the middle of a conversation."""

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


@dataclass(frozen=True)
class ModelRequest:
    """One Messages API request: what it is for, and its body."""

    purpose: str
    body: Mapping[str, Any]

    @property
    def model(self) -> str:
        """The model asked for."""
        return str(self.body["model"])

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
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON schema the answer must follow, if one was given."""
        form = (self.body.get("output_config") or {}).get("format") or {}
        found: Mapping[str, Any] | None = form.get("schema")
        return found

    @cached_property
    def text(self) -> str:
        """Everything a model would read: tools, system, messages."""
        return request_text(self.body)

    @cached_property
    def _said(self) -> tuple[int, str]:
        for index, message in reversed(list(enumerate(self.messages))):
            spoken = said_by_person(message)
            if message["role"] == "user" and spoken:
                return index, spoken
        return -1, ""

    @property
    def said(self) -> str:
        """The person's newest words, without reminders and tool results, white
        space folded.
        """
        return self._said[1]

    @property
    def answers_since(self) -> int:
        """How many times the model has answered since the person's newest
        words.
        """
        later = self.messages[self._said[0] + 1 :]
        return sum(message["role"] == "assistant" for message in later)


def _apart(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Split a user message behind tool results, and where a reminder follows
    what the person typed.
    """
    content = message["content"]
    if message["role"] != "user" or isinstance(content, str):
        return [message]
    groups = [[content[0]]]
    for last, block in pairwise(content):
        if _begins_another(last, block):
            groups.append([])
        groups[-1].append(block)
    return [{**message, "content": group} for group in groups]


def _begins_another(last: Mapping[str, Any], block: Mapping[str, Any]) -> bool:
    if block["type"] != "text":
        return False
    typed = last["type"] == "text" and not is_system_reminder(last["text"])
    reminder = is_system_reminder(block["text"])
    return last["type"] == "tool_result" or (typed and reminder)


def said_by_person(message: Mapping[str, Any]) -> str:
    """Give what the person typed last in one user message: no tool results,
    no reminders, and no attachment before it.
    """
    for block in reversed(as_blocks(message["content"])):
        if block.get("type") == "text":
            typed = fold_space(_REMINDER.sub(" ", block_text(block)))
            if typed:
                return typed
    return ""


def find_fault(body: Mapping[str, Any]) -> str:
    """Say what the service would reject in a request body; empty when it is
    well formed.
    """
    if not body.get("model"):
        return "model: field required"
    tokens = body.get("max_tokens")
    if not isinstance(tokens, int) or tokens < 1:
        return "max_tokens: must be a whole number of at least 1"
    messages = body.get("messages")
    if not messages:
        return "messages: at least one message is required"
    for index, message in enumerate(messages):
        fault = _message_fault(message)
        if fault:
            return f"messages.{index}{fault}"
    if messages[0]["role"] != "user":
        return "messages.0.role: the first message must use the user role"
    return _pairing_fault(messages)


def _message_fault(message: Any) -> str:
    if not isinstance(message, Mapping) or message.get("role") not in ROLES:
        return f".role: must be one of {', '.join(ROLES)}"
    content = message.get("content")
    if not isinstance(content, str | list) or not content:
        return (
            ".content: must be a string or a list of blocks, and not be empty"
        )
    for index, block in enumerate(as_blocks(content)):
        if not isinstance(block, Mapping) or "type" not in block:
            return f".content.{index}.type: field required"
        if block["type"] == "text" and not block_text(block).strip():
            return (
                f".content.{index}.text: text content blocks must not be empty"
            )
    return ""


def _pairing_fault(messages: Sequence[Mapping[str, Any]]) -> str:
    """Each tool call has its result at the beginning of the next message."""
    calls: list[str] = []
    for index, message in enumerate(messages):
        if message["role"] == "system":
            continue
        blocks = as_blocks(message["content"])
        first = takewhile(lambda block: block["type"] == "tool_result", blocks)
        results = [str(block.get("tool_use_id")) for block in first]
        missing = [call for call in calls if call not in results]
        if missing:
            return (
                f"messages.{index}: tool_use ids were found without"
                f" tool_result blocks immediately after: {', '.join(missing)}"
            )
        stray = [result for result in results if result not in calls]
        if stray:
            return (
                f"messages.{index}: unexpected tool_use_id found in"
                f" tool_result: {stray[0]}"
            )
        calls = [str(b.get("id")) for b in blocks if b["type"] == "tool_use"]
    if calls:
        return "messages: the last message calls a tool and has no tool_result"
    return ""

"""A request as the service reads it: checked for form, then easy for a role to
ask about.

Left out: fields the rules have no use for (thinking, service tier, metadata);
they are accepted and ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
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
        return [
            str(tool.get("name", "")) for tool in self.body.get("tools") or ()
        ]

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON schema the answer must follow, if one was given.

        Older clients send ``output_format`` in place of
        ``output_config.format``.
        """
        form = (
            (self.body.get("output_config") or {}).get("format")
            or self.body.get("output_format")
            or {}
        )
        schema = (
            form.get("schema") if form.get("type") == "json_schema" else None
        )
        return schema if isinstance(schema, Mapping) else None

    @property
    def tool_choice(self) -> str:
        """Whether a tool may or must be called: ``auto``, ``any``, ``tool`` or
        ``none``.
        """
        return str((self.body.get("tool_choice") or {}).get("type", "auto"))

    @property
    def demanded_tool(self) -> str:
        """The tool that has to be called, "" if no certain one has to."""
        return str((self.body.get("tool_choice") or {}).get("name", ""))

    @cached_property
    def text(self) -> str:
        """Everything a model would read: tools, system, messages."""
        return request_text(self.body)

    @cached_property
    def _said(self) -> tuple[int, str]:
        for index in range(len(self.messages) - 1, -1, -1):
            message = self.messages[index]
            if message["role"] == "user" and (
                spoken := said_by_person(message)
            ):
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
    if message["role"] != "user" or not isinstance(content, list):
        return [message]
    groups: list[list[Mapping[str, Any]]] = [[]]
    for block in content:
        if groups[-1] and _begins_another(groups[-1][-1], block):
            groups.append([])
        groups[-1].append(block)
    return [{**message, "content": group} for group in groups]


def _begins_another(last: Mapping[str, Any], block: Mapping[str, Any]) -> bool:
    if block["type"] != "text":
        return False
    if last["type"] == "tool_result":
        return True
    return (
        last["type"] == "text"
        and not is_system_reminder(block_text(last))
        and is_system_reminder(block_text(block))
    )


def said_by_person(message: Mapping[str, Any]) -> str:
    """Give what the person typed last in one user message: no tool results,
    no reminders, and no attachment before it.
    """
    for block in reversed(as_blocks(message.get("content") or "")):
        if block.get("type") == "text":
            typed = fold_space(_REMINDER.sub(" ", block_text(block)))
            if typed:
                return typed
    return ""


def find_fault(body: Any) -> str:
    """Say what the service would reject in a request body; empty when it is
    well formed.
    """
    if not isinstance(body, Mapping):
        return "the request body must be a JSON object"
    if not isinstance(body.get("model"), str) or not body["model"]:
        return "model: field required"
    tokens = body.get("max_tokens")
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 1:
        return "max_tokens: must be a whole number of at least 1"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return "messages: at least one message is required"
    for index, message in enumerate(messages):
        if fault := _message_fault(message):
            return f"messages.{index}{fault}"
    if messages[0]["role"] != "user":
        return "messages.0.role: the first message must use the user role"
    return (
        _tool_choice_fault(body)
        or _stop_sequences_fault(body.get("stop_sequences"))
        or _pairing_fault(messages)
    )


def _tool_choice_fault(body: Mapping[str, Any]) -> str:
    choice = body.get("tool_choice")
    if choice is None:
        return ""
    kinds = ("auto", "any", "tool", "none")
    if not isinstance(choice, Mapping) or choice.get("type") not in kinds:
        return f"tool_choice.type: must be one of {', '.join(kinds)}"
    tools = body.get("tools") or []
    if choice["type"] in ("any", "tool") and not tools:
        return "tool_choice: may only be given together with tools"
    names = [tool.get("name") for tool in tools]
    if choice["type"] == "tool" and choice.get("name") not in names:
        return f"tool_choice.name: there is no tool {choice.get('name')!r}"
    return ""


def _stop_sequences_fault(sequences: Any) -> str:
    if sequences is None:
        return ""
    if not isinstance(sequences, list):
        return "stop_sequences: must be a list of texts"
    for index, sequence in enumerate(sequences):
        if not isinstance(sequence, str) or not sequence.strip():
            return (
                f"stop_sequences.{index}: must be a text that is more than"
                " white space"
            )
    return ""


def _message_fault(message: Any) -> str:
    if not isinstance(message, Mapping) or message.get("role") not in ROLES:
        return f".role: must be one of {', '.join(ROLES)}"
    content = message.get("content")
    if isinstance(content, str):
        return "" if content else ".content: must not be empty"
    if not isinstance(content, list) or not content:
        return (
            ".content: must be a string or a list of blocks that is not empty"
        )
    for index, block in enumerate(content):
        if not isinstance(block, Mapping) or not isinstance(
            block.get("type"), str
        ):
            return f".content.{index}.type: field required"
        if (
            block["type"] == "text"
            and not str(block.get("text") or "").strip()
        ):
            return (
                f".content.{index}.text: text content blocks must not be empty"
            )
        if message["role"] == "system" and block["type"] != "text":
            return f".content.{index}.type: a system message has only text"
    return ""


def _pairing_fault(messages: list[Mapping[str, Any]]) -> str:
    open_calls: list[str] = []
    for index, message in enumerate(messages):
        if message["role"] == "system":
            continue
        blocks = as_blocks(message["content"])
        results = []
        for block in blocks:
            if block["type"] == "tool_result":
                results.append(str(block.get("tool_use_id")))
            elif any(call not in results for call in open_calls):
                break  # results come first in a message
        if missing := [call for call in open_calls if call not in results]:
            return (
                f"messages.{index}: tool_use ids were found without"
                f" tool_result blocks immediately after: {', '.join(missing)}"
            )
        if stray := [result for result in results if result not in open_calls]:
            return (
                f"messages.{index}: unexpected tool_use_id found in"
                f" tool_result: {stray[0]}"
            )
        open_calls = [
            str(b.get("id")) for b in blocks if b["type"] == "tool_use"
        ]
    return (
        "messages: the last message calls a tool and has no tool_result"
        if open_calls
        else ""
    )

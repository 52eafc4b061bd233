"""Shows conversations, message by message.

Nothing is computed here. Long texts are cut, and what is cut ends in "…".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memlab.agent.request import RequestPrefix
from memlab.course.show import Listing
from memlab.extract.extractor import Message, messages_of
from memlab.text import as_blocks, fold_space, shorten

_WIDTH = 60


@dataclass(frozen=True)
class Conversation:
    """A conversation as it was at the end of a turn."""

    messages: list[Message]


def show_messages(
    messages: Iterable[Mapping[str, Any]], first: int = 0
) -> Listing:
    """Show a conversation from the message ``first`` on: a line for each
    block, with its role and type.
    """
    rows = []
    for number, message in enumerate(messages):
        if number < first:
            continue
        for block in as_blocks(message["content"]):
            kind = str(block["type"])
            text = shorten(fold_space(_words_of(block)), _WIDTH)
            row = f"{number}  {message['role']:9}  {kind:11}  {text}"
            rows.append(row.rstrip())
    return Listing("\n".join(rows))


def conversation_of(prefix: RequestPrefix) -> Conversation:
    """Return the messages that a stop hook receives, with the text of each."""
    return Conversation(messages_of(prefix))


def _words_of(block: Mapping[str, Any]) -> str:
    if block["type"] == "tool_use":
        given = ", ".join(
            f"{key}={value!r}" for key, value in block["input"].items()
        )
        return f"{block['name']}({given})"
    text = str(block.get("text") or block.get("content") or "")
    return f"error: {text}" if block.get("is_error") else text

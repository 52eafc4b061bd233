"""Compaction in its simple form: near the limit, a long conversation becomes
one summary.

The summary is the model's own. It keeps the thread and loses the detail, which
is where this course begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memlab.agent.request import (
    CallError,
    RequestPrefix,
    TooLongError,
    ask_model,
)
from memlab.prompts import SHIPPED, Prompts
from memlab.prompts.blocks import block, read_blocks
from memlab.runtime import Runtime
from memlab.text import as_blocks, is_system_reminder

SUMMARY_TOKENS = 2_000
# how a summary begins in transcripts from before there were blocks
_BEFORE_BLOCKS = "The earlier conversation was summarised:"


async def summarise(runtime: Runtime, prefix: RequestPrefix) -> str:
    """Ask for a summary of the prefix's messages, at the price of the tokens
    beyond its cache.

    A conversation too long even for that becomes a sentence that says so.
    Raises CallError if the call fails otherwise, or brings no text.
    """
    question = {"role": "user", "content": runtime.prompts.load("compact")}
    room = runtime.settings.thinking_room_tokens
    body = replace(prefix, messages=(*prefix.messages, question)).body(
        min(SUMMARY_TOKENS + room, prefix.max_tokens)
    )
    try:
        answer = await ask_model(
            runtime.client,
            body,
            purpose="compact",
            settings=runtime.settings,
        )
    except TooLongError:
        return runtime.prompts.section("reminders", "summary_lost")
    if not answer.text.strip():
        raise CallError("The model wrote no summary.")
    return answer.text.strip()


def summary_content(
    summary: str, prompts: Prompts = SHIPPED
) -> list[dict[str, Any]]:
    """Return the content of the message that replaces everything before it."""
    text = prompts.reminder("summary", summary=block("summary", summary))
    return [{"type": "text", "text": text}]


def is_summary(message: Mapping[str, Any]) -> bool:
    """Tell whether a message is a summary that compaction wrote."""
    blocks = as_blocks(message["content"])
    if message["role"] != "user" or len(blocks) != 1:
        return False
    text = str(blocks[0].get("text", ""))
    if not is_system_reminder(text):
        return False
    return "summary" in read_blocks(text) or text.split("\n", 1)[1].startswith(
        _BEFORE_BLOCKS
    )

"""Compaction: near the limit, something short takes the place of a long
conversation.

In its simple form that is one summary, which the model writes when it is
needed. A summary keeps the thread and loses the detail, which is where this
course begins. Where a session's notes were kept all along, they are used
instead, and the newest messages stay beside them: the tail. Left out: who
writes the notes (``memlab.modes.session``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memlab.agent.request import (
    CallError,
    RequestPrefix,
    TooLongError,
    ask_model,
)
from memlab.prompts import SHIPPED, Prompts
from memlab.prompts.blocks import block, read_blocks
from memlab.runtime import Runtime
from memlab.settings import Settings
from memlab.text import (
    as_blocks,
    block_text,
    count_tokens,
    is_system_reminder,
)

if TYPE_CHECKING:
    from memlab.agent.transcript import Loaded

SUMMARY_TOKENS = 2_000


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


def replacement(
    kind: str, text: str, also: Sequence[str] = (), prompts: Prompts = SHIPPED
) -> list[dict[str, Any]]:
    """Return the content of the message that replaces others: a *summary* or
    *session_notes*. The reminders in ``also`` follow in the same message.
    """
    first = prompts.reminder(kind, **{kind: block(kind, text)})
    return [{"type": "text", "text": each} for each in (first, *also)]


def is_summary(message: Mapping[str, Any]) -> bool:
    """Tell whether a message is what compaction put in the place of others:
    a summary, or the session's notes.
    """
    return _begins_with(message, {"summary", "session_notes"})


def is_notes(message: Mapping[str, Any]) -> bool:
    """Tell whether a message has the notes that replaced others."""
    return _begins_with(message, {"session_notes"})


def _begins_with(message: Mapping[str, Any], tags: set[str]) -> bool:
    first = next(iter(as_blocks(message["content"])), {})
    text = str(first.get("text", ""))
    is_reminder = message["role"] == "user" and is_system_reminder(text)
    return is_reminder and not tags.isdisjoint(read_blocks(text))


def as_it_was_said(
    conversation: RequestPrefix | Loaded,
) -> tuple[list[Mapping[str, Any]], list[str]]:
    """Give the messages of a conversation and their uuids, with those that
    compactions have replaced instead of what they wrote.

    A summary or notes do not tell whose words they repeat. They stay only
    where nothing is known of what they replaced.
    """
    if not conversation.replaced:
        return list(conversation.messages), list(conversation.uuids)
    sent = zip(conversation.uuids, conversation.messages, strict=True)
    pairs = [*conversation.replaced, *sent]
    said = [pair for pair in pairs if not is_summary(pair[1])]
    return [message for _, message in said], [uuid for uuid, _ in said]


@dataclass(frozen=True)
class SessionNotes:
    """The notes of a session; ``noted`` has the uuids of the messages that
    they were written from.
    """

    text: str = ""
    noted: Collection[str] = frozenset()


def weigh(message: Mapping[str, Any]) -> tuple[int, str]:
    """Give the tokens of a message, and its kind: *result*, *text* or *call*.

    A *result* may not be sent without the message before it. In a *text*, the
    person or the model says something.
    """
    blocks = as_blocks(message["content"])
    tokens = sum(count_tokens(block_text(block)) for block in blocks)
    if any(block["type"] == "tool_result" for block in blocks):
        return tokens, "result"
    texts = [block for block in blocks if block["type"] == "text"]
    says = any(not is_system_reminder(block_text(one)) for one in texts)
    return tokens, "text" if says else "call"


def keep_tail(
    messages: list[tuple[int, str]],
    min_tokens: int,
    min_texts: int,
    max_tokens: int,
) -> int:
    """Return the index at which the tail begins: of all tails that fit into
    ``max_tokens`` the shortest with enough tokens and enough texts.

    If no tail has enough of both, it is the longest that fits; the number of
    messages means that none does. A tail never begins with the result of a
    tool call.
    """
    start = len(messages)
    tokens = 0
    texts = 0
    for place in reversed(range(len(messages))):
        size, kind = messages[place]
        tokens += size
        texts += kind == "text"
        if tokens > max_tokens:
            break
        if kind == "result":
            continue
        start = place
        if tokens >= min_tokens and texts >= min_texts:
            break
    return start


def first_kept(
    messages: Sequence[Mapping[str, Any]],
    uuids: Sequence[str],
    notes: SessionNotes,
    settings: Settings,
    newest: int,
) -> int:
    """Return the index of the first message that stays beside the notes, 0 if
    the notes cannot take the place of those before it.

    The messages from ``newest`` on always stay. A message that is not in the
    notes stays too, with all that follow it, because it would be lost. If that
    is more than the greatest tail, the notes are no help. Neither are they if
    only older notes would be replaced.
    """
    weights = [weigh(message) for message in messages]
    most = settings.session_keep_max_tokens
    start = keep_tail(
        weights,
        settings.session_keep_min_tokens,
        settings.session_keep_min_texts,
        most,
    )
    start = min(start, newest)
    noted = [uuid in notes.noted for uuid in uuids[:start]]
    if not all(noted):
        start = noted.index(False)
        while start > 0 and weights[start][1] == "result":
            start -= 1
        if sum(tokens for tokens, _ in weights[start:]) > most:
            return 0
    return start if start > 1 else 0

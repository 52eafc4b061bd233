"""A conversation that stays valid: messages with their names, and the
transcript to which each is written.

The service refuses a conversation in which one tool call has no result, and
every later message with it. So wherever a turn stops, the conversation is
completed, and a turn that would make the next one fail is taken back. Left
out: what is said, and when.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memlab.agent.request import Message, RequestPrefix
from memlab.agent.tool import valid_text
from memlab.agent.tools import tool_result
from memlab.agent.transcript import Loaded, Transcript
from memlab.clock import Clock
from memlab.text import as_blocks


@dataclass
class Conversation:
    """Messages, and for each its uuid.

    ``start`` is where the turn under way begins. ``replaced`` has the messages
    that compactions have replaced: they are not sent, but what was said in
    them is still known to have been said.
    """

    clock: Clock
    transcript: Transcript | None = None
    messages: list[Message] = field(default_factory=list)
    uuids: list[str] = field(default_factory=list)
    replaced: list[tuple[str, Message]] = field(default_factory=list)
    start: int = 0
    _follows: str | None = None

    def continue_from(self, history: Loaded | RequestPrefix) -> None:
        """Take over a conversation; one from elsewhere has no uuids."""
        self.messages += history.messages
        self.uuids += history.uuids or [""] * len(history.messages)
        self.replaced += history.replaced

    def begin_turn(self) -> None:
        """Note where the conversation is before a turn."""
        self.start = len(self.messages)
        self._follows = self.transcript.parent if self.transcript else None

    def add(
        self,
        role: str,
        content: str | list[Any],
        kept_from: str | None = None,
        *,
        off_record: bool = False,
    ) -> str:
        """Add a message and give its uuid; the arguments are those of
        ``Transcript.append``.
        """
        if self.transcript:
            uuid = self.transcript.append(
                role, content, kept_from, off_record=off_record
            )
        else:
            uuid = self.clock.new_id()
        self.messages.append({"role": role, "content": content})
        self.uuids.append(uuid)
        return uuid

    def calls(self) -> list[Mapping[str, Any]]:
        """Return the tool calls of the last message."""
        return calls_in(self.messages[-1]) if self.messages else []

    def complete(
        self, said: str, results: Sequence[Any], why: str, note: str = ""
    ) -> None:
        """Make the conversation valid where it stopped.

        What was ``said`` of an answer is kept, and each call of the last
        message that has none of the ``results`` is answered by ``why``.
        """
        if said.strip():
            self.add("assistant", text_blocks([said]))
        missing = [
            tool_result(call, why, error=True)
            for call in self.calls()[len(results) :]
        ]
        blocks = [*results, *missing, *text_blocks([note])]
        if blocks:
            self.add("user", blocks)

    def take_back(self) -> None:
        """Take the turn under way out of the conversation."""
        taken_back = self.uuids[self.start :]
        del self.messages[self.start :]
        del self.uuids[self.start :]
        if self.transcript:
            self.transcript.take_back(self._follows, taken_back)

    def replace_first(self, count: int, content: list[Any]) -> None:
        """Put one message in the place of the first ``count``.

        It may repeat what they say, so it is off the record if one of them is.
        The others stay as they are, in the transcript as well.
        """
        kept, kept_uuids = self.messages[count:], self.uuids[count:]
        gone, gone_uuids = self.messages[:count], self.uuids[:count]
        self.replaced += zip(gone_uuids, gone, strict=True)
        off_record = (
            self.transcript is not None
            and not self.transcript.off_record_ids.isdisjoint(gone_uuids)
        )
        self.messages.clear()
        self.uuids.clear()
        first = kept_uuids[0] if kept_uuids else ""
        self._follows = self.add("user", content, first, off_record=off_record)
        self.start = max(self.start - count, 0) + 1
        self.messages += kept
        self.uuids += kept_uuids


def calls_in(message: Message) -> list[Mapping[str, Any]]:
    """Return the tool calls of a message."""
    blocks = as_blocks(message["content"])
    return [block for block in blocks if block["type"] == "tool_use"]


def text_blocks(texts: Iterable[str]) -> list[dict[str, Any]]:
    """Return a block for each text that is not blank."""
    return [
        {"type": "text", "text": valid_text(text)}
        for text in texts
        if text.strip()
    ]

"""Sessions with a bare agent, as notebook 00 shows them: what was sent, and
what came back.

The agent of these sessions has no tools. It knows the project's CLAUDE.md, the
conversation so far and, if there is one, the text of one memory file.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.bridge import SyncClient
from memlab.course.baselines import agent_instructions
from memlab.course.chart import WIDTH, Picture
from memlab.course.lab import Lab
from memlab.models.connect import make_runtime
from memlab.prompts.blocks import block as prompt_block
from memlab.prompts.blocks import read_blocks
from memlab.runtime import answer_source
from memlab.text import count_tokens, request_blocks, shorten

MAX_TOKENS = 1_000
_NAME = 11


@dataclass(frozen=True)
class Answer:
    """An answer, and the label that says who gave it."""

    text: str
    label: str

    def __str__(self) -> str:
        return f"{self.text} ({self.label})"


class Session:
    """One conversation with the agent, which ends when it is closed.

    The text of the file ``memory``, if there is one, goes along with the
    person's words.
    """

    def __init__(
        self,
        lab: Lab,
        name: str,
        *,
        memory: Path | None = None,
    ) -> None:
        self.lab = lab
        self.name = name
        self.memory = memory
        self.messages: list[dict[str, Any]] = []
        self.request: dict[str, Any] = {}

    def ask(self, words: str) -> Answer:
        """Send the conversation so far, with these words at its end."""
        self.messages.append({"role": "user", "content": words})
        block = ""
        if self.memory is not None:
            text = self.memory.read_text(encoding="utf-8")
            block = memory_block(self.memory.name, text)
        self.request = {
            "system": agent_instructions(self.lab),
            "messages": add_memory(self.messages, block),
        }
        answer = _send(self.lab, self.request)
        self.messages.append({"role": "assistant", "content": answer.text})
        return answer

    def say(self, words: str) -> None:
        """Print the words and the agent's answer to them."""
        name = "" if self.messages else self.name
        print(_line(name, f"you:   {words}"))
        print(_line("", f"agent: {self.ask(words)}"))

    def close(self) -> None:
        """End the conversation: its messages are gone."""
        self.messages = []
        print(_line("", "(session closed)"))


def memory_block(file: str, text: str) -> str:
    """Return the block for a memory file: tags around the file's text.

    White space at both ends of the text is left out. If nothing is left, the
    result is empty.
    """
    body = text.strip()
    if not body:
        return ""
    return prompt_block(
        "system-reminder",
        "This is from your memory.",
        prompt_block("memory", body, file=file),
    )


def add_memory(
    messages: list[dict[str, Any]], block: str
) -> list[dict[str, Any]]:
    """Return the messages with a block in front of the newest words."""
    if not block:
        return list(messages)
    *earlier, newest = messages
    content = [
        {"type": "text", "text": block},
        {"type": "text", "text": newest["content"]},
    ]
    return [*earlier, {**newest, "content": content}]


def _send(lab: Lab, request: Mapping[str, Any]) -> Answer:
    """Send a request to the model, and return its answer."""
    model = lab.model if lab.mode == "offline" else None
    client = make_runtime(
        lab.mode, model=model, ledger=lab.ledger, clock=lab.clock
    ).client

    async def ask() -> tuple[str, Any]:
        response = await client.messages.with_raw_response.create(
            model=lab.settings.main_model, max_tokens=MAX_TOKENS, **request
        )
        return answer_source(response.headers), await response.parse()

    # notebook 00 does one thing at a time
    source, message = SyncClient(client).wait(ask())
    text = "".join(
        part.text for part in message.content if part.type == "text"
    )
    label = source.partition(":")[0] or f"live: {lab.settings.main_model}"
    return Answer(text.strip(), label)


def _line(name: str, text: str) -> str:
    return textwrap.fill(
        f"{name.ljust(_NAME)}{text}",
        86,
        subsequent_indent=" " * (_NAME + 7),
        break_long_words=False,
        break_on_hyphens=False,
    )


# What was sent


@dataclass(frozen=True)
class _Sent:
    """One block of a request, as a picture shows it."""

    role: str
    words: str
    tokens: int


def _sent(request: Mapping[str, Any]) -> Iterator[_Sent]:
    for place, part in request_blocks(request):
        text = str(part["text"])
        memories = read_blocks(text).get("memory", ())
        role = "memory" if memories else place.rpartition("/")[2]
        words = memories[0].body if memories else text
        yield _Sent(role, shorten(words, 64), count_tokens(text))


_FILLS: dict[str, str] = {
    "system": "grey",
    "user": "blue",
    "assistant": "plain",
    "memory": "marked",
}


def draw_requests(*sessions: Session) -> Picture:
    """Draw the last request of each session as a stack of blocks."""
    stacks = [list(_sent(session.request)) for session in sessions]
    lines = [
        "\n".join(
            [
                f"{session.name}, the last request:",
                *(
                    f"  {one.role:9}  {one.tokens:3} tokens  {one.words}"
                    for one in stack
                ),
            ]
        )
        for session, stack in zip(sessions, stacks, strict=True)
    ]
    most = max(map(len, stacks))
    width = (WIDTH - 48) / len(sessions)
    picture = Picture(
        "The last request of each session",
        "\n".join(lines),
        height=int(96 + 92 * most),
    )
    for number, (session, stack) in enumerate(
        zip(sessions, stacks, strict=True)
    ):
        left = 24 + width * number
        picture.text(left, 66, session.name, bold=True)
        for place, one in enumerate(stack):
            picture.box(
                left,
                80 + 92 * place,
                width - 20,
                84,
                f"{one.role} · {one.tokens} tokens",
                below=one.words,
                fill=_FILLS[one.role],
                strong=one.role == "memory",
            )
    return picture

"""A request as the stand-in reads it: tagged blocks, the conversation, and the
tool calls made so far.

It never reads the prose of a prompt, so a person may word a prompt as they
like. A prompt that has lost a block is an error that names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memlab.errors import ModelError
from memlab.memdir.memory import MemoryType
from memlab.memdir.scan import MemoryHeader
from memlab.models.request import ModelRequest
from memlab.prompts.blocks import (
    FIRST_WORDS,
    Block,
    read_blocks,
    read_message_lines,
)
from memlab.text import (
    as_blocks,
    block_text,
    is_system_reminder,
    persons_text,
    shorten,
)

# By purpose: a prompt, and the blocks that it must contain.
NEEDED: Mapping[str, Mapping[str, str]] = {
    "extract": {"extract": "new_messages memory_directory manifest"},
    "dream": {"dream": "memory_directory manifest sessions"},
    "select": {"select": "manifest", "select_request": "query"},
    "session": {"session_memory": "new_messages notes_file session_notes"},
}

_MANIFEST_LINE = re.compile(
    r"(?m)^- (?:\[(\w+)\] )?(.+?\.md) \(([\dTZ:-]{20})\): ?(.*)$"
)
_NUMBERED = re.compile(r"(?m)^ *\d+\t(.*)$")


class MissingBlockError(ModelError):
    """A prompt has lost a block that the stand-in needs for its answer."""

    def __init__(self, prompt: str, tag: str) -> None:
        what = f'the prompt "{prompt}" has no <{tag}> block'
        do = f"Put {{{{{tag}}}}} back into {prompt}.md"
        super().__init__(f"the stand-in cannot answer: {what}", do=do)


@dataclass(frozen=True)
class Step:
    """A tool call that was made for the task, and what came back."""

    name: str
    given: Mapping[str, Any]
    result: str
    failed: bool


@dataclass(frozen=True)
class Spoken:
    """A message of the person's, with what the assistant said just before it,
    and its time where that is known.
    """

    text: str
    before: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class Task:
    """A request, taken apart.

    ``blocks`` are those of the prompt that sets the task: for a fork its own
    message, for a side-query its system prompt and its message, and for the
    main conversation the system prompt and the reminders. ``said`` is the
    newest message as it was typed, which sets the task of a fork, and
    ``spoken`` are the person's messages before it;
    ``steps`` are the calls since then.
    """

    request: ModelRequest
    blocks: Mapping[str, Sequence[Block]]
    said: str
    spoken: Sequence[Spoken]
    steps: Sequence[Step]

    def body(self, tag: str) -> str:
        """Give the newest block of a tag, "" if there is none."""
        found = self.blocks.get(tag)
        return found[-1].body.strip() if found else ""

    @property
    def directory(self) -> str:
        """The memory directory as the model sees it."""
        return self.body("memory_directory").rstrip("/")

    @property
    def manifest(self) -> list[MemoryHeader]:
        """The memories that the manifest lists; their names are not in it."""
        found = _MANIFEST_LINE.findall(self.body("manifest"))
        kinds, time = MemoryType.__members__, datetime.fromisoformat
        return [
            MemoryHeader(
                Path(file), file, time(at), "", about, kinds.get(kind)
            )
            for kind, file, at, about in found
        ]

    @property
    def files(self) -> dict[str, str]:
        """The texts that were read for this task, by ``file_of``."""
        return {
            self.file_of(step): "\n".join(
                [*_NUMBERED.findall(step.result), ""]
            )
            for step in self.steps
            if step.name == "Read" and not step.failed
        }

    def file_of(self, step: Step) -> str:
        """Name the file of a call, a memory by its path below the memory
        directory.
        """
        path = str(step.given.get("file_path", ""))
        return path.removeprefix(f"{self.directory}/")

    def new_messages(self) -> list[Spoken]:
        """Give the person's new messages with their full text.

        A line of ``<new_messages>`` counts only if it has the first words of a
        message of the person's. What a tool or the assistant said never does.
        """
        lines = read_message_lines(self.body("new_messages"))
        times = {one.words: one.time for one in lines if one.role == "user"}
        said = {shorten(one.text, FIRST_WORDS): one for one in self.spoken}
        return [
            replace(one, at=times[first])
            for first, one in said.items()
            if first in times
        ]


def read_task(request: ModelRequest) -> Task:
    """Take a request apart; raises MissingBlockError if its prompt has lost a
    block.
    """
    messages = request.messages
    typed = list(map(persons_text, messages))
    asked = [place for place, text in enumerate(typed) if text]
    last = asked[-1] if asked else 0
    system = _texts(request.body.get("system") or ())
    if request.purpose == "select":
        source = [system, _texts(messages[last]["content"])]
    elif request.purpose in NEEDED:
        source = [typed[last] or ""]
    else:
        source = [system, *reminders(messages)]
    blocks = read_blocks("\n".join(source))
    for prompt, tags in NEEDED.get(request.purpose, {}).items():
        for tag in tags.split():
            if tag not in blocks:
                raise MissingBlockError(prompt, tag)
    spoken = []
    for place in asked[:-1]:
        before = filter(None, map(_answer, reversed(messages[:place])))
        spoken.append(Spoken(typed[place] or "", next(before, "")))
    steps = list(steps_in(messages[last + 1 :]))
    return Task(request, blocks, typed[last] or "", spoken, steps)


def reminders(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Give the reminders that were attached to messages; the person's own
    words are not read for blocks, and neither are the results of tools.
    """
    for message in messages:
        for block in as_blocks(message["content"]):
            text = str(block.get("text", ""))
            if message["role"] == "user" and is_system_reminder(text):
                yield text


def steps_in(messages: Sequence[Mapping[str, Any]]) -> Iterator[Step]:
    """Give the tool calls of some messages, each with what came back."""
    blocks = [part for one in messages for part in as_blocks(one["content"])]
    results = {one.get("tool_use_id"): one for one in blocks}
    for block in blocks:
        if block["type"] == "tool_use":
            result = results.get(
                block["id"], {"is_error": True, "type": "text"}
            )
            failed = bool(result.get("is_error"))
            yield Step(
                block["name"], block["input"], block_text(result), failed
            )


def _texts(content: Any) -> str:
    return "\n".join(map(block_text, as_blocks(content)))


def _answer(message: Mapping[str, Any]) -> str:
    if message["role"] != "assistant":
        return ""
    blocks = as_blocks(message["content"])
    return _texts([one for one in blocks if one["type"] == "text"])

"""memlab's own work in the form in which the exercises ask for it.

A learner's function gets plain values (a text, a list of pairs, a dict), and
the code of the memory system gets its own types. Each function here has the
signature of an exercise. Some call the code of the memory system; others do
the same work on a smaller scale, because the code itself is bound to files, to
tasks or to a model. ``seams`` says which of them a learner's function
replaces.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from memlab.agent import compaction
from memlab.agent.compaction import TailMessage
from memlab.clock import STORY_START
from memlab.errors import MemoryFormatError
from memlab.memdir import daily_log, index, origin, scan, team
from memlab.memdir.coverage import split_sentences
from memlab.memdir.index import Pointer, parse_pointers, truncate_index
from memlab.memdir.memory import (
    Memory,
    MemoryType,
    format_memory,
    parse_memory,
)
from memlab.memdir.scan import MemoryHeader
from memlab.models.request import find_fault
from memlab.prompts.blocks import block as prompt_block
from memlab.recall import selection
from memlab.recall.prefetch import Prefetch
from memlab.settings import Settings
from memlab.text import as_blocks, words

Message = dict[str, Any]
Model = Callable[[list[Message]], list[Message]]
Tools = Mapping[str, Callable[[dict[str, Any]], str]]
Texts = Mapping[str, str]

KEPT = Settings.covered_share
"""The share of a sentence's words that one text has to contain."""


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


def parse_header(text: str) -> dict[str, str]:
    """Read a memory into name, description, type and body, as memlab itself
    does.

    A text that is not a memory gives four empty strings.
    """
    try:
        memory = parse_memory(text)
    except MemoryFormatError:
        return dict.fromkeys(("name", "description", "type", "body"), "")
    return {
        "name": memory.name,
        "description": memory.description,
        "type": memory.raw_type,
        "body": memory.body,
    }


def cut_index(text: str, max_lines: int, max_bytes: int) -> str:
    """Cut an index as memlab does: lines first, then bytes at a line end."""
    caps = Settings().with_changes(
        index_max_lines=max_lines, index_max_bytes=max_bytes
    )
    return truncate_index(text, caps).text


def agent_loop(
    ask: Model, tools: Tools, messages: list[Message], max_turns: int
) -> list[Message]:
    """Ask, run what was asked for, and ask again, with functions for the model
    and the tools.
    """
    messages = list(messages)
    for _ in range(max_turns):
        answer = ask(messages)
        messages.append({"role": "assistant", "content": answer})
        calls = [block for block in answer if block["type"] == "tool_use"]
        if not calls:
            break
        results = [_tool_result(tools, call) for call in calls]
        messages.append({"role": "user", "content": results})
    return messages


def _tool_result(tools: Tools, call: Message) -> Message:
    result = {"type": "tool_result", "tool_use_id": call["id"]}
    name = call["name"]
    if name not in tools:
        return {**result, "content": f"no tool {name}", "is_error": True}
    try:
        return {**result, "content": tools[name](call["input"])}
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return {**result, "content": text, "is_error": True}


@dataclass(frozen=True)
class ScriptedModel:
    """A model that follows a plan, one step for each answer.

    A step is a text, or several texts and calls; a call is a tool's name and
    its input. ``{}`` in the text of a step becomes the newest results. The
    last step is repeated for ever. ``before`` answers were given earlier in
    the conversation.
    """

    steps: tuple[Any, ...]
    before: int = 0

    def __call__(self, messages: Sequence[Message]) -> list[Message]:
        """Answer; raises ValueError for what the service would refuse."""
        body = {"model": "plan", "max_tokens": 1, "messages": list(messages)}
        if fault := find_fault(body):
            raise ValueError(f"400: {fault}")
        answers = sum(one["role"] == "assistant" for one in messages)
        number = answers - self.before
        step = self.steps[min(number, len(self.steps) - 1)]
        if isinstance(step, str):
            content = messages[-1]["content"]
            results = [
                block["content"]
                for block in as_blocks(content)
                if block["type"] == "tool_result"
            ]
            said = step.format(", ".join(results))
            return [{"type": "text", "text": said}]
        return [
            {"type": "text", "text": part}
            if isinstance(part, str)
            else {
                "type": "tool_use",
                "id": f"toolu_{number + 1}_{place}",
                "name": part[0],
                "input": dict(part[1]),
            }
            for place, part in enumerate(step, 1)
        ]

    @property
    def plan(self) -> str:
        """The steps in words."""
        return ", then ".join(map(_step_in_words, self.steps))

    def __repr__(self) -> str:
        return f"model({self.plan})"


def _step_in_words(step: Any) -> str:
    if isinstance(step, str):
        return repr(step)
    parts = []
    for part in step:
        if isinstance(part, str):
            parts.append(repr(part))
        else:
            given = ", ".join(map(repr, part[1].values()))
            parts.append(f"{part[0]}({given})")
    return " and ".join(parts)


def unaccounted(
    before: Texts, after: Texts, reasons: Texts
) -> list[tuple[str, str]]:
    """List the sentences, each with its file, that are lost without a reason.

    The files are in alphabetical order.
    """
    texts_after = [set(words(text)) for text in after.values()]

    def is_kept(sentence: str) -> bool:
        wanted = set(words(sentence))
        numbers = {word for word in wanted if re.search(r"\d", word)}
        return not wanted or any(
            len(wanted & had) >= KEPT * len(wanted) - 1e-9 and numbers <= had
            for had in texts_after
        )

    lost = []
    for file, text in sorted(before.items()):
        reason = reasons.get(file, "")
        if (
            file not in after
            and reason
            and not reason.startswith("superseded by")
        ):
            continue
        lost += [
            (file, sentence)
            for sentence in split_sentences(text)
            if not is_kept(sentence)
        ]
    return lost


def least_trusted(origins: list[str]) -> str:
    """Return the label of the least trusted origin."""
    known = map(origin.Origin.from_label, origins)
    return origin.least_trusted(known).label


# 01 memory files


def format_header(name: str, description: str, type: str) -> str:
    """Write a header as memlab writes that of a memory made in code."""
    memory = Memory(name, description, MemoryType.parse(type), "Body.")
    return format_memory(memory).partition("\nBody.")[0]


def is_tombstone(header: Mapping[str, str], body: str) -> bool:
    """Tell whether memlab takes a memory for a tombstone."""
    return Memory(
        name=header.get("name", ""),
        description="",
        type=None,
        body=body,
        superseded_by=header.get("superseded_by", ""),
        dropped=header.get("dropped", ""),
    ).is_tombstone


# 02 the index


def pointer_line(file: str, title: str, hook: str) -> str:
    """Write a pointer as memlab does on top of an empty index."""
    return index.set_pointer("", Pointer(file, title, hook)).rstrip("\n")


def put_pointer(text: str, file: str, line: str) -> str:
    """Put a line into an index; a pointer that is there counts as our own, so
    it is replaced.
    """
    (new,) = parse_pointers(line)
    known = {pointer.file: pointer for pointer in parse_pointers(text)}
    return index.set_pointer(text, new, was=known.get(file))


# 03 scan and manifest


def newest_memories(files: Any, limit: int) -> list[tuple[str, str]]:
    """Open the newest files, as memlab's scan does, and leave out those that
    cannot be read.
    """
    times = [(-files.mtime(name), name) for name in files.names()]
    found = []
    for _, name in heapq.nsmallest(limit, times):
        with suppress(OSError, UnicodeDecodeError):
            found.append((name, files.head(name)))
    return found


def manifest_line(header: MemoryHeader) -> str:
    """Write one line of memlab's manifest."""
    return scan.format_manifest([header])


# 04 recall


def read_choice(answer: str) -> list[str]:
    """Read the names from an answer as memlab does."""
    block = SimpleNamespace(type="text", text=answer)
    reply = SimpleNamespace(stop_reason="end_turn", content=[block])
    return selection.named_in(reply)


def drop_shown(names: Sequence[str], shown: Sequence[str]) -> list[str]:
    """Have memlab choose among names, without any other limit."""
    caps = Settings().with_changes(select_max_memories=1_000)
    choice = selection.choose(
        names,
        [_header(name) for name in names],
        caps,
        surfaced=dict.fromkeys(shown, 0),
    )
    return [header.filename for header in choice.chosen]


def fits_budget(sizes: Sequence[tuple[str, int]], left: int) -> list[str]:
    """Have memlab choose by size alone."""
    caps = Settings().with_changes(
        select_max_memories=1_000, surface_session_bytes=left
    )
    by_name = dict(sizes)
    choice = selection.choose(
        by_name,
        [_header(name) for name in by_name],
        caps,
        size_of=lambda header: by_name[header.filename],
    )
    return [header.filename for header in choice.chosen]


def _header(name: str) -> MemoryHeader:
    return MemoryHeader(Path(name), name, STORY_START, name, name, None)


# 05 the agent loop


def take_ready(recalls: list[Any]) -> list[str]:
    """Have memlab's prefetch take what is ready from a list of tasks."""
    runtime: Any = SimpleNamespace(
        clock=SimpleNamespace(now=lambda: STORY_START),
        events=SimpleNamespace(emit=lambda event: None),
    )
    recall: Any = None
    prefetch = Prefetch(recall, runtime)
    prefetch._started = dict.fromkeys(recalls, STORY_START)
    arrived = prefetch._take("in time")
    recalls[:] = prefetch.tasks
    return [text for each in arrived for text in each.texts]


# 14 session notes and the daily log


def keep_tail(
    messages: Sequence[tuple[int, str]],
    min_tokens: int,
    min_texts: int,
    max_tokens: int,
) -> int:
    """Have memlab cut a conversation of which only tokens and kinds are
    known.
    """
    seen = [
        TailMessage(
            tokens=tokens,
            has_text=kind == "text",
            has_result=kind == "result",
        )
        for tokens, kind in messages
    ]
    return compaction.keep_tail(seen, min_tokens, min_texts, max_tokens)


def may_append(path: str, before: str, after: str, today: str) -> bool:
    """Ask memlab whether a log may be changed like this."""
    day = date.fromisoformat(today)
    return not daily_log.append_refused(path, before, after, day)


def team_memory_time(
    modified: float | None, committed: float, now: float
) -> float:
    """Return when a shared memory was last changed; all times are in seconds
    since 1970.
    """
    stated = None if modified is None else _utc(modified)
    found = team.team_memory_time(stated, _utc(committed), _utc(now))
    return found.timestamp()


def _utc(seconds: float) -> datetime:
    # on Windows, `fromtimestamp` knows no time before 1970
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)

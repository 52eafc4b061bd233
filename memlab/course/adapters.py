"""memlab's own work in the form in which the exercises ask for it.

A learner's function gets plain values (a text, a list of pairs, a dict), and
the code of the memory system gets its own types. Each function here has the
signature of an exercise. Some call the code of the memory system; others do
the same work on a smaller scale, because the code itself is bound to files, to
tasks or to a model. ``seams`` says which of them a learner's function
replaces.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from memlab.agent import compaction, permissions, request
from memlab.agent.command_policy import Verdict, is_read_only_command
from memlab.agent.compaction import TailMessage
from memlab.agent.request import RequestPrefix
from memlab.errors import MemoryFormatError
from memlab.extract import extractor
from memlab.ledger import Tokens
from memlab.memdir import daily_log, index, origin, team
from memlab.memdir.coverage import split_sentences
from memlab.memdir.index import Pointer, parse_pointers, truncate_index
from memlab.memdir.memory import (
    Memory,
    MemoryType,
    format_memory,
    parse_memory,
)
from memlab.prompts.blocks import block as prompt_block
from memlab.settings import Settings
from memlab.text import words

Texts = Mapping[str, str]

COMMAND_OPTIONS: Mapping[str, set[str]] = {
    "ls": {"-l", "-a", "-la", "-1", "-R"},
    "find": {"-name", "-type", "-mtime", "-maxdepth"},
    "grep": {"-n", "-r", "-rn", "-i", "-c", "-l"},
    "cat": {"-n"},
    "head": {"-n", "-5"},
    "stat": set(),
    "tail": {"-n", "-3", "-5"},
    "wc": {"-l", "-c"},
}
"""The programs, with their options, that a learner's verdict on commands gets
to know.
"""

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


def fork_request(
    parent: Mapping[str, Any], answer: list[Any], prompt: str
) -> dict[str, Any]:
    """Build a fork's request: the parent's, its answer, and the prompt with
    the only mark.
    """
    mark = {"cache_control": {"type": "ephemeral"}}
    messages = [_unmarked(message) for message in parent["messages"]]
    messages += [{"role": "assistant", "content": answer}] if answer else []
    messages.append(
        {"role": "user", "content": [{"type": "text", "text": prompt, **mark}]}
    )
    return {**parent, "messages": messages}


def _unmarked(message: Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(message["content"], str):
        return message
    blocks = [
        {key: value for key, value in block.items() if key != "cache_control"}
        for block in message["content"]
    ]
    return {**message, "content": blocks}


def combined_policy(
    mine: Callable[[str, Mapping[str, set[str]]], bool],
) -> Callable[[str], Verdict]:
    """Return a judge that allows a command only if memlab's verdict and
    ``mine`` allow it.
    """

    def judge(command: str, **more: Any) -> Verdict:
        verdict = is_read_only_command(command, **more)
        if not verdict.allowed or mine(command, COMMAND_OPTIONS):
            return verdict
        return Verdict(False, "Your own verdict refuses it")

    return judge


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


# 06 the fork and its cache


def mark_cache(blocks: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Mark the last block as memlab's requests do."""
    return request._marked(list(blocks))


def cache_share(read: int, created: int, uncached: int) -> float:
    """Give the share that the ledger shows."""
    return Tokens(read=read, created=created, uncached=uncached).hit_percent


# 07 the sandbox


def is_inside(path: str, folder: str) -> bool:
    """Compare two real paths as memlab's permissions do."""
    real = Path(os.path.realpath(path))
    return permissions._is_inside(real, [Path(os.path.realpath(folder))])


# 08 extraction


def new_messages(messages: Sequence[Any], cursor: str | None) -> list[Any]:
    """Ask memlab's extractor which messages are new."""
    by_uuid = {message.uuid: message for message in messages}
    prefix = RequestPrefix("", "", (), (), tuple(by_uuid))
    return [
        by_uuid[uuid] for uuid in extractor.new_messages(prefix, cursor or "")
    ]


def agent_saved_itself(
    journal: Sequence[Mapping[str, str]], session: str, messages: Sequence[str]
) -> bool:
    """Ask memlab's extractor whether the agent wrote in these turns."""
    entries = [SimpleNamespace(**line) for line in journal]
    context = SimpleNamespace(
        who="main agent",
        session=session,
        store=SimpleNamespace(history=lambda: entries),
    )
    asked: Any = SimpleNamespace(context=context)
    return extractor.Extractor._agent_wrote_memory(asked, messages)


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

"""memlab's own work in the form in which the exercises ask for it.

A learner's function gets plain values (a text, a list of pairs, a dict), and
the code of the memory system gets its own types. Each function here has the
signature of an exercise. Some call the code of the memory system; others do
the same work on a smaller scale, because the code itself is bound to files, to
tasks or to a model. ``PARTS`` names those that a learner's function can
replace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memlab.agent.command_policy import Verdict, is_read_only_command
from memlab.course.measuring import contains_evidence
from memlab.dream.gates import gate_chain
from memlab.errors import MemoryFormatError
from memlab.memdir.index import truncate_index
from memlab.memdir.memory import parse_memory
from memlab.recall.keyword import keyword_rank
from memlab.settings import Settings
from memlab.text import words

Message = tuple[str, Any]
Model = Callable[[list[Message]], Any]
Tools = Mapping[str, Callable[[str], str]]
Turn = tuple[int, int]
Run = tuple[int, int, int]
Texts = Mapping[str, str]

COMMAND_OPTIONS: Mapping[str, set[str]] = {
    "ls": {"-l", "-a", "-la", "-1", "-R"},
    "find": {"-name", "-type", "-mtime", "-maxdepth"},
    "grep": {"-n", "-r", "-rn", "-i", "-c", "-l"},
    "cat": {"-n"},
    "head": {"-n", "-5"},
    "tail": {"-n", "-5"},
    "wc": {"-l", "-c"},
}
"""The programs, with their options, that a learner's verdict on commands gets
to know.
"""

KEPT = Settings.covered_share
"""The share of a line's words that one text has to contain."""


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


def newest_memories(
    entries: Sequence[tuple[str, int]], limit: int
) -> list[str]:
    """Choose from names and times as memlab's scan does: the newest memory
    files, newest first.
    """
    found = [(-mtime, name) for name, mtime in entries if _is_memory(name)]
    return [name for _, name in sorted(found)[:limit]]


def _is_memory(name: str) -> bool:
    parts = name.split("/")
    hidden = any(part.startswith(".") for part in parts)
    return (
        parts[-1].endswith(".md")
        and parts[-1].casefold() != "memory.md"
        and not hidden
        and not (parts[0] == "logs" and len(parts) > 1)
    )


def agent_loop(
    model: Model, tools: Tools, words: str, max_turns: int
) -> list[Message]:
    """Ask, run what was asked for, and ask again, with functions for the model
    and the tools.
    """
    messages: list[Message] = [("user", words)]
    for _ in range(max_turns):
        answer = model(messages)
        messages.append(("assistant", answer))
        if isinstance(answer, str):
            break
        messages.append(
            (
                "user",
                [_tool_result(tools, name, given) for name, given in answer],
            )
        )
    return messages


def _tool_result(tools: Tools, name: str, given: str) -> str:
    if name not in tools:
        return f"error: no tool {name}"
    try:
        return tools[name](given)
    except Exception as error:
        return f"error: {error}"


@dataclass(frozen=True)
class ScriptedModel:
    """A model that follows steps, one for each call; ``{}`` in a text becomes
    the last results.
    """

    steps: tuple[Any, ...]

    def __call__(self, messages: list[Message]) -> Any:
        """Answer; raises ValueError, as the service does, where a call has no
        result.
        """
        asked = [content for role, content in messages if role == "assistant"]
        if asked and (
            messages[-1][0] != "user" or len(messages[-1][1]) != len(asked[-1])
        ):
            raise ValueError(
                "400: every tool call needs a result in the next user message"
            )
        step = self.steps[min(len(asked), len(self.steps) - 1)]
        if not isinstance(step, str):
            return list(step)
        return step.format(messages[-1][1])

    def __repr__(self) -> str:
        """Show the steps."""
        return f"model{self.steps}"


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


def only_reads(command: str, options: Mapping[str, set[str]]) -> bool:
    """Tell whether a command only reads, by memlab's own verdict and its
    own tables.
    """
    return is_read_only_command(command).allowed


def combined_policy(
    mine: Callable[[str, Mapping[str, set[str]]], bool],
) -> Callable[[str], Verdict]:
    """Return a judge that allows a command only if memlab's verdict and
    ``mine`` allow it.
    """

    def judge(command: str) -> Verdict:
        verdict = is_read_only_command(command)
        if not verdict.allowed or mine(command, COMMAND_OPTIONS):
            return verdict
        return Verdict(False, "Your own verdict refuses it")

    return judge


def extraction_runs(turns: Sequence[Turn], seconds: int) -> list[Run]:
    """List the runs for turns that ended, by cursor and coalescing."""
    runs: list[Run] = []
    cursor, free, waiting = 0, 0, 0

    def run(at: int, last: int) -> None:
        nonlocal cursor, free
        if last > cursor:
            runs.append((at, cursor + 1, last))
            cursor, free = last, at + seconds

    for end, messages in turns:
        if waiting and end >= free:
            run(free, waiting)
            waiting = 0
        if end < free:
            waiting = messages
        else:
            run(end, messages)
    if waiting:
        run(free, waiting)
    return runs


def unaccounted(before: Texts, after: Texts, reasons: Texts) -> list[str]:
    """List the files that lost a line for which no reason accounts, sorted by
    name.
    """
    words_after = [set(words(text)) for text in after.values()]

    def kept(line: str) -> bool:
        wanted = words(line)
        return any(
            sum(word in text_words for word in wanted) >= KEPT * len(wanted)
            for text_words in words_after
        )

    lost = []
    for file, text in before.items():
        reason = reasons.get(file, "")
        excused = (
            file not in after
            and reason
            and not reason.startswith("superseded by")
        )
        if not excused and not all(map(kept, text.splitlines())):
            lost.append(file)
    return sorted(lost)


PARTS: Mapping[str, Callable[..., Any]] = {
    "contains_evidence": contains_evidence,
    "parse_header": parse_header,
    "truncate_index": cut_index,
    "newest_memories": newest_memories,
    "keyword_rank": keyword_rank,
    "agent_loop": agent_loop,
    "fork_request": fork_request,
    "is_read_only_command": only_reads,
    "extraction_runs": extraction_runs,
    "gate_chain": gate_chain,
    "unaccounted": unaccounted,
}
"""The parts that a learner's function can replace, each with the function that
it has otherwise.
"""

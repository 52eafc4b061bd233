"""The forked agent: a copy of the conversation that does one job on the side, with fewer rights.

It sends its parent's system prompt, tools, model and messages unchanged and adds one message, so it
pays for little more than that message. What it may do is decided when it acts, never by a shorter
tool list: the list is part of what the cache compares. Left out: what jobs there are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from memlab.agent.command_policy import is_read_only_command
from memlab.agent.command_run import run_read_only
from memlab.agent.loop import GO_ON, Agent, TurnResult
from memlab.agent.permissions import Permission, memory_permissions, read_roots
from memlab.agent.request import Answer, RequestPrefix
from memlab.agent.tool import Tool, ToolContext, ToolError
from memlab.clock import Clock
from memlab.events import Event, EventLog
from memlab.ledger import Tokens
from memlab.settings import Settings
from memlab.text import as_blocks

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_ENDED = {"refusal": "The model declined.", "max_tokens": "The answer was cut at its full length."}


@dataclass(frozen=True)
class ForkResult:
    """What became of a fork; ``stopped`` is 'done', 'turn_limit' or 'error', said in ``error``.

    ``files`` are the memories it wrote, ``denied`` counts the tool calls it was refused, and
    ``messages`` are its own: the prompt, its answers, its tools' results. Of the tokens, ``read``
    came from the cache, ``created`` were written to it, ``uncached`` were neither.
    """

    text: str
    stopped: str
    error: str
    files: tuple[str, ...]
    tools: tuple[str, ...]
    denied: int
    messages: tuple[Mapping[str, Any], ...]
    answers: tuple[Answer, ...]

    @property
    def turns(self) -> int:
        """The calls to the model that were answered."""
        return len(self.answers)

    @property
    def first(self) -> Answer | None:
        """The first answer: its tokens tell how much of the parent's prefix was read."""
        return self.answers[0] if self.answers else None

    @property
    def tokens(self) -> dict[str, int]:
        """The tokens of all calls, by kind."""
        return Tokens.total(self.answers).by_kind()

    @property
    def hit_percent(self) -> float:
        """The share of all input tokens that came from the cache, in percent."""
        return Tokens.total(self.answers).hit_percent


async def run_forked_agent(
    prefix: RequestPrefix,
    prompt: str,
    *,
    client: AsyncAnthropic,
    tools: Sequence[Tool],
    context: ToolContext,
    purpose: str,
    max_turns: int,
    clock: Clock,
    settings: Settings,
    events: EventLog,
    permission: Permission | None = None,
    on_message: Callable[[Mapping[str, Any]], object] = lambda message: None,
    on_text: Callable[[str], object] = lambda text: None,
    explain_misses: bool = False,
) -> ForkResult:
    """Give a copy of a conversation one more message and let it act on it.

    ``tools`` have to be the parent's. Nothing is recorded in a transcript, no stop hook runs, and
    after ``max_turns`` calls it ends. It may do what ``permission`` says; without one, what
    ``memory_permissions`` says. A failing call ends it with ``error`` set; cancelling the caller
    cancels it.
    """
    own, said = EventLog(clock), list[Mapping[str, Any]]()
    own.subscribe(lambda event: _pass_on(event, purpose, events))

    def heard(message: Mapping[str, Any]) -> None:
        said.append(message)
        on_message(message)

    agent = Agent(
        client=client,
        model=prefix.model,
        system=prefix.system,
        tools=tools,
        context=context,
        permission=permission or memory_permissions(context),
        clock=clock,
        settings=settings,
        events=own,
        history=prefix,
        on_text=on_text,
        on_message=heard,
        purpose=purpose,
        max_turns=max_turns,
        compact_at_tokens=sys.maxsize,
        explain_misses=explain_misses,
    )
    ended = await agent.run_turn(prompt)
    result = _result(ended, tuple(said), context, max_turns, len(own.named("tool_denied")))
    figures = result.tokens | {"hit": result.hit_percent, "denied": result.denied}
    events.emit("forked", by=purpose, ended=result.stopped, turns=result.turns, **figures)
    return result


def fork_context(context: ToolContext, *, who: str, **changes: Any) -> ToolContext:
    """Give what a fork's tools work in: its own reading, and a shell that reads where it may.

    ``who`` stands in the journal beside what it writes.
    """
    roots = read_roots(replace(context, **changes))
    parts: dict[str, Any] = {
        "who": who,
        "judge": is_read_only_command,
        "run_read_only": partial(run_read_only, cwd=context.project, roots=roots),
        "run_shell": None,
        "read_roots": roots,
        "read_files": {},
    }
    return replace(context, **parts | changes)


def carried_out_writes(
    messages: Iterable[Mapping[str, Any]], context: ToolContext
) -> tuple[str, ...]:
    """Name the memory files that Edit and Write calls in these messages changed, each once.

    A call that was refused, failed or left without a result changed nothing.
    """
    asked: dict[str, str] = {}
    changed: dict[str, None] = {}
    for message in messages:
        for block in as_blocks(message["content"]):
            if block["type"] == "tool_use" and block["name"] in ("Edit", "Write"):
                asked[block["id"]] = _memory_file(block["input"], context)
            elif block["type"] == "tool_result" and not block.get("is_error"):
                changed |= dict.fromkeys(filter(None, [asked.get(block["tool_use_id"], "")]))
    return tuple(changed)


def _memory_file(given: Any, context: ToolContext) -> str:
    try:
        return context.memory_name(context.path(given["file_path"])) or ""
    except (ToolError, KeyError, TypeError, ValueError, OSError):
        return ""


def _pass_on(event: Event, purpose: str, events: EventLog) -> None:
    """Tell the parent's log what a fork's tools did, and on whose behalf."""
    if event.name.startswith("tool"):
        events.emit(event.name, by=purpose, **event.data)


def _result(
    ended: TurnResult,
    said: tuple[Mapping[str, Any], ...],
    context: ToolContext,
    max_turns: int,
    denied: int,
) -> ForkResult:
    """Sum up a fork; what a person would be told at the end of a turn is not for a fork."""
    stopped = "error" if ended.error or ended.aborted else "done"
    error = _ENDED.get(ended.stop_reason, ended.error.removesuffix(GO_ON).strip())
    if ended.stop_reason == "turn_limit":
        stopped, error = "turn_limit", f"It reached its limit of {max_turns} turns."
    return ForkResult(
        text=ended.text,
        stopped=stopped,
        error=error,
        files=carried_out_writes(said, context),
        tools=ended.tools_used,
        denied=denied,
        messages=said,
        answers=ended.answers,
    )

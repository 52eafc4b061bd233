"""The forked agent: a copy of the conversation that does one job on the side,
with fewer rights.

It sends its parent's system prompt, tools, model and messages unchanged and
adds one message, so it pays for little more than that message. What it may do
is decided when it acts, never by a shorter tool list, because the list is part
of what the cache compares. What jobs there are is up to the callers.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memlab.agent.loop import GO_ON, Agent, Observer, TurnResult
from memlab.agent.permissions import Permission, memory_permissions
from memlab.agent.request import Answer, Message, RequestPrefix
from memlab.agent.tool import Tool, ToolContext
from memlab.events import Event, EventLog, ForkEnded, ToolEvent
from memlab.ledger import Tokens
from memlab.runtime import Runtime

_ENDED = {
    "refusal": "The model declined.",
    "max_tokens": "The answer was cut at its full length.",
}


@dataclass(frozen=True)
class ForkResult:
    """What became of a fork.

    ``stopped`` is 'done', 'turn_limit' or 'error', explained in ``error``.
    ``files`` are the memories it changed, ``denied`` counts the tool calls it
    was refused, and ``messages`` are its own: the prompt, its answers, its
    tools' results.
    """

    text: str
    stopped: str
    error: str
    files: tuple[str, ...] = ()
    denied: int = 0
    messages: tuple[Message, ...] = ()
    answers: tuple[Answer, ...] = ()

    @property
    def turns(self) -> int:
        """The calls to the model that were answered."""
        return len(self.answers)

    @property
    def first(self) -> Answer | None:
        """The first answer: its tokens tell how much of the parent's prefix
        was read.
        """
        return self.answers[0] if self.answers else None

    @property
    def tokens(self) -> Tokens:
        """The tokens of all calls."""
        return Tokens.total(self.answers)

    @property
    def hit_percent(self) -> float:
        """The share of all input tokens that came from the cache, in percent."""
        return self.tokens.hit_percent


async def run_forked_agent(
    prefix: RequestPrefix,
    prompt: str,
    runtime: Runtime,
    *,
    tools: Sequence[Tool],
    context: ToolContext,
    purpose: str,
    max_turns: int,
    permission: Permission | None = None,
    observer: Observer | None = None,
) -> ForkResult:
    """Give a copy of a conversation one more message and let it act on it.

    ``tools`` have to be the parent's. A setting can name another model for a
    purpose, which then reads nothing from the parent's cache. Nothing is
    recorded in a transcript, no stop hook runs, and after ``max_turns`` calls
    it ends. It may do what ``permission`` says; without one, what
    ``memory_permissions`` says. A failing call ends it with ``error`` set;
    cancelling the caller cancels it.
    """
    model = getattr(runtime.settings, f"{purpose}_model", "")
    prefix = prefix.for_model(model)
    own_events = EventLog(runtime.clock)

    def pass_on(event: Event) -> None:
        if isinstance(event, ToolEvent):
            runtime.events.emit(replace(event, by=purpose))

    own_events.subscribe(pass_on)
    agent = Agent(
        runtime=runtime.with_changes(events=own_events),
        model=prefix.model,
        system=prefix.system,
        tools=tools,
        context=context,
        permission=permission or memory_permissions(context),
        history=prefix,
        opening=prefix.opening,
        observer=observer or Observer(),
        purpose=purpose,
        max_turns=max_turns,
        compact_at_tokens=sys.maxsize,
    )
    turn = await agent.run_turn(prompt)
    result = _result(turn, agent.messages[len(prefix.messages) :])
    tokens = result.tokens
    runtime.events.emit(
        ForkEnded(
            by=purpose,
            ended=result.stopped,
            turns=result.turns,
            read=tokens.read,
            created=tokens.created,
            uncached=tokens.uncached,
            output=tokens.output,
            hit=result.hit_percent,
            denied=result.denied,
        )
    )
    return result


def fork_context(context: ToolContext, *, who: str) -> ToolContext:
    """Return what a fork's tools work in: its own reading, and no shell.

    ``who`` goes into the journal with what it writes.
    """
    return replace(
        context,
        who=who,
        run_shell=None,
        read_files={},
        # its first message is a prompt, and not the person's words
        conversation=None,
    )


def _result(turn: TurnResult, messages: list[Message]) -> ForkResult:
    """Sum up a fork; advice to the person at the end of an error is not for a
    fork.
    """
    stopped, error = "done", turn.error.removesuffix(GO_ON).strip()
    if turn.stop_reason == "turn_limit":
        stopped = "turn_limit"
        error = f"It reached its limit of {turn.calls} turns."
    elif error:
        stopped = "error"
    return ForkResult(
        text=turn.text,
        stopped=stopped,
        error=_ENDED.get(turn.stop_reason, error),
        files=turn.memory_files,
        denied=sum(one.status == "denied" for one in turn.outcomes),
        messages=tuple(messages),
        answers=tuple(turn.answers),
    )

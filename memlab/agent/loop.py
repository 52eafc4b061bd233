"""The agent loop: ask, run the tools that were asked for, ask again, until an answer needs none.

However a turn ends, the conversation is left whole: every tool call has a result, and the next turn
works. Left out: what the tools do, and what a stop hook does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memlab.agent.background import Background, StopHook
from memlab.agent.compaction import COMPACT_AT_TOKENS, summarise, summary_content
from memlab.agent.permissions import AskingPermission, Permission
from memlab.agent.request import Answer, CallError, RequestPrefix, TooLongError, ask_model
from memlab.agent.resume import NOT_RECORDED, Loaded
from memlab.agent.tool import Tool, ToolContext, valid_text
from memlab.agent.tools import run_tool
from memlab.agent.transcript import Transcript, ids, unanswered
from memlab.clock import Clock
from memlab.errors import MemlabError
from memlab.events import EventLog
from memlab.recall.prefetch import Prefetch
from memlab.settings import Settings
from memlab.text import system_reminder

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

MAX_TURNS = 50
RECENT_MESSAGES = 10
INTERRUPTED = "The person interrupted this turn. What was not finished may be half done."
CUT_OFF = "The connection broke here: the answer above is not whole."
GO_ON = "Nothing is lost: say 'go on' to try again."
LIMIT_REACHED = "The answer was cut at its greatest length. Say 'go on' for the rest."
REFUSED = "The model declined. Your message is taken out of the conversation; put it otherwise."
TOO_LONG = "What you sent last is taken out, and the rest is summarised before your next message."


class AgentError(MemlabError):
    """The agent was asked for what it cannot do."""


@dataclass(frozen=True)
class TurnResult:
    """How a turn ended: the last answer's text, calls to the model, names of the tools it used.

    ``error`` is for the person: what went wrong, and what to do; empty when nothing did. Each of
    ``answers`` has the tokens of its call.
    """

    text: str
    stop_reason: str
    calls: int
    tools_used: tuple[str, ...]
    aborted: bool = False
    error: str = ""
    answers: tuple[Answer, ...] = ()


@dataclass
class _Turn:
    """What one turn has come to so far."""

    start: int
    calls: int = 0
    partial: str = ""
    tools: list[str] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)


@dataclass(kw_only=True)
class Agent:
    """One conversation and everything a turn of it needs.

    ``history`` is a conversation to go on with, read from a transcript or another agent's.
    ``on_text`` gets each piece of an answer as it comes, ``on_message`` each new message,
    ``on_compact`` the summary that took the messages' place. Stop hooks start when a turn ends
    well, each with the prefix as it is then. ``explain_misses`` has the service say why the cache
    was not read.
    """

    client: AsyncAnthropic
    model: str
    system: str
    tools: Sequence[Tool]
    context: ToolContext
    permission: Permission | AskingPermission
    clock: Clock
    settings: Settings
    events: EventLog
    transcript: Transcript | None = None
    history: Loaded | RequestPrefix | None = None
    prefetch: Prefetch | None = None
    stop_hooks: Sequence[StopHook] = ()
    on_text: Callable[[str], object] = lambda text: None
    on_message: Callable[[Mapping[str, Any]], object] = lambda message: None
    on_compact: Callable[[str], object] = lambda summary: None
    purpose: str = "main"
    max_turns: int = MAX_TURNS
    compact_at_tokens: int = COMPACT_AT_TOKENS
    explain_misses: bool = False

    def __post_init__(self) -> None:
        self.messages: list[Mapping[str, Any]] = []
        self.uuids: list[str] = []
        self._background = Background(self.clock, self.events)
        self._task: asyncio.Task[Any] | None = None
        self._stopped, self._tokens, self._last_id = False, 0, ""
        if self.history:
            self.messages += self.history.messages
            self.uuids += self.history.uuids
            self._last_id = getattr(self.history, "last_message_id", "")
            self._mend(_Turn(0), NOT_RECORDED)

    async def run_turn(self, text: str, attachments: Sequence[str] = ()) -> TurnResult:
        """Answer the person's words; attachments, texts as well, stand in front of them.

        A call to the model that fails ends the turn with ``error`` set. A cancelled turn raises
        CancelledError, an interrupted one gives its result. Raises AgentError for a second turn
        beside the first, and for blank words.
        """
        if self._task or not text.strip():
            what = "a turn is under way already" if self._task else "there is nothing to answer"
            raise AgentError(what, do="Await the turn, or give words to answer")
        self._task, turn = asyncio.current_task(), _Turn(len(self.messages))
        try:
            return await self._run(turn, text, attachments)
        except BaseException as stop:
            self._mend(turn, INTERRUPTED, told=True)
            self.events.emit("turn_interrupted", by=type(stop).__name__)
            if self.prefetch:
                self.prefetch.cancel()
            if self._task and self._stopped and isinstance(stop, asyncio.CancelledError):
                self._task.uncancel()
                return self._result(turn, "interrupted", "Interrupted.")
            raise
        finally:
            self._task, self._stopped = None, False

    def interrupt(self) -> None:
        """End the turn under way, if there is one: its ``run_turn`` gives a result, ``aborted``."""
        if self._task:
            self._stopped = True
            self._task.cancel()

    def prefix(self) -> RequestPrefix:
        """Give what the next call would send before anything new, for a fork to start from."""
        tools = tuple(tool.definition for tool in self.tools)
        messages, uuids = tuple(self.messages), tuple(self.uuids)
        return RequestPrefix(self.model, self.system, tools, messages, uuids, self._last_id)

    async def drain(self, limit: float | None = None) -> tuple[str, ...]:
        """Await all background work for ``drain_seconds`` at most; gives what had to be cut off."""
        seconds = self.settings.drain_seconds if limit is None else limit
        return await self._background.drain(seconds, self.prefetch.tasks if self.prefetch else ())

    async def _run(self, turn: _Turn, text: str, attachments: Sequence[str]) -> TurnResult:
        late = self.prefetch.start(text, self._recent_tools()) if self.prefetch else ()
        before = _texts([*attachments, *late])
        words = [*before, *_texts([text])] if before else valid_text(text)
        self.context.turn = self._add("user", words)
        if self.prefetch and (found := await self.prefetch.wait()):
            self._add("user", _texts(found))
        while turn.calls < self.max_turns:
            try:
                await self._compact(turn)
                answer = await self._ask(turn)
            except CallError as error:
                return self._failed(turn, error)
            if answer.stop_reason == "refusal":
                return self._taken_back(turn, "refusal", REFUSED)
            cut = answer.stop_reason in ("max_tokens", "model_context_window_exceeded")
            calls = [] if cut else answer.calls
            if blocks := [one for one in answer.blocks if calls or one["type"] == "text"]:
                self._add("assistant", blocks)
            if not calls:
                return self._done(turn, answer, LIMIT_REACHED if cut else "")
            await self._run_tools(turn, calls)
        return self._result(turn, "turn_limit", f"Stopped after {turn.calls} calls. {GO_ON}")

    async def _ask(self, turn: _Turn) -> Answer:
        def heard(text: str) -> None:
            turn.partial += text
            self.on_text(text)

        body = self.prefix().body()
        if self.explain_misses and self._last_id:
            body["diagnostics"] = {"previous_message_id": self._last_id}
        turn.calls += 1
        answer = await ask_model(self.client, body, purpose=self.purpose, on_text=heard)
        turn.answers.append(answer)
        turn.partial, self._last_id = "", answer.message_id
        self._tokens = answer.input + answer.output
        return answer

    async def _run_tools(self, turn: _Turn, calls: Sequence[Mapping[str, Any]]) -> None:
        """Carry out the calls of one answer in the order it names them, and send all results.

        Calls are parallel in that one round trip carries them. Side by side they would gain nothing
        on local files, and two writes would race; so a later call sees what an earlier one did.
        """
        for call in calls:
            await asyncio.sleep(0)  # a chance to be cancelled, since tools do not await
            turn.tools.append(str(call["name"]))
            turn.results.append(
                await run_tool(call, self.tools, self.context, self.permission, self.events)
            )
        found = self.prefetch.collect() if self.prefetch else ()
        self._add("user", [*turn.results, *_texts(found)])
        turn.results = []

    async def _compact(self, turn: _Turn) -> None:
        """Put a summary in the place of the conversation, once it has come near the limit."""
        count = 0 if turn.calls else len(self.messages) - turn.start
        older = len(self.messages) - count
        history = self.messages[:older]
        if self._tokens < self.compact_at_tokens or len(history) < 2:
            return
        try:
            told = replace(self.prefix(), messages=tuple(history), uuids=())
            summary = await summarise(self.client, told)
        except CallError as error:
            self.events.emit("compact_failed", reason=error.what)
            return
        self.events.emit("compacted", messages=len(history), tokens=self._tokens)
        fresh = self.messages[older:]
        fresh_uuids = self.uuids[len(self.uuids) - count :]
        hidden = self._any_off_record(self.uuids[: len(self.uuids) - count])
        self.messages, self.uuids, self._tokens = [], [], 0
        self._add_summary(summary, off_record=hidden)
        turn.start = len(self.messages)
        for uuid, message in zip(fresh_uuids, fresh, strict=True):
            self._add(message["role"], message["content"], uuid=uuid)
        self.context.read_files.clear()
        self.on_compact(summary)

    def _done(self, turn: _Turn, answer: Answer, error: str) -> TurnResult:
        if not error:
            for hook in self.stop_hooks:
                self._background.start(hook, self.prefix())
        return self._result(turn, answer.stop_reason, error, answer.text)

    def _failed(self, turn: _Turn, error: CallError) -> TurnResult:
        if isinstance(error, TooLongError):
            self._tokens = self.compact_at_tokens
            return self._taken_back(turn, "too_long", f"{error.what} {TOO_LONG}")
        self._mend(turn, CUT_OFF, told=bool(turn.partial.strip()))
        return self._result(turn, "error", f"{error.what} {GO_ON}")

    def _taken_back(self, turn: _Turn, reason: str, told: str) -> TurnResult:
        """Leave a turn out of the conversation that would make the next one fail too."""
        taken_back = self.uuids[turn.start :]
        del self.messages[turn.start :], self.uuids[turn.start :]
        if self.transcript:
            self.transcript.take_back(self.uuids[-1] if self.uuids else None, taken_back)
        return self._result(turn, reason, told)

    def _result(self, turn: _Turn, reason: str, error: str, text: str = "") -> TurnResult:
        if self.prefetch and error:
            self.prefetch.cancel()
        if self.transcript:
            self.transcript.save_document(self.messages, self.model)
            error = " ".join(part for part in (error, self.transcript.problem) if part)
            self.transcript.problem = ""
        self.events.emit("turn_ended", reason=reason, calls=turn.calls)
        aborted, tools = reason == "interrupted", tuple(turn.tools)
        return TurnResult(text, reason, turn.calls, tools, aborted, error, tuple(turn.answers))

    def _mend(self, turn: _Turn, why: str, *, told: bool = False) -> None:
        """Make the conversation whole where it stands: keep what was said, answer every call."""
        if turn.partial.strip():
            self._add("assistant", _texts([turn.partial]))
        calls = ids(self.messages[-1], "tool_use", "id") if self.messages else []
        open_calls = calls[len(turn.results) :]
        note = [system_reminder(why)] if told else []
        blocks = [*turn.results, *(unanswered(call, why) for call in open_calls), *_texts(note)]
        if blocks:
            self._add("user", blocks)
        turn.partial, turn.results = "", []

    def _any_off_record(self, uuids: Sequence[str]) -> bool:
        """Tell whether any of these messages is off the record."""
        return self.transcript is not None and not self.transcript.off_record_ids.isdisjoint(uuids)

    def _add_summary(self, summary: str, *, off_record: bool) -> None:
        """Add a summary; one that may repeat off-record words is off the record too."""
        uuid = self.clock.new_id()
        if self.transcript and off_record:
            self.transcript.off_record_ids.add(uuid)
        self._add("user", summary_content(summary), summary=True, uuid=uuid)

    def _add(
        self, role: str, content: str | list[Any], *, summary: bool = False, uuid: str = ""
    ) -> str:
        """Add a message; one that a summary made necessary to add again keeps its ``uuid``."""
        if self.transcript:
            uuid = self.transcript.append(role, content, summary=summary, uuid=uuid)
        self.messages.append({"role": role, "content": content})
        self.uuids.append(uuid or self.clock.new_id())
        self.on_message(self.messages[-1])
        return self.uuids[-1]

    def _recent_tools(self) -> list[str]:
        """List the tools used lately, each once."""
        lately = self.messages[-RECENT_MESSAGES:]
        names = [name for message in lately for name in ids(message, "tool_use", "name")]
        return list(dict.fromkeys(names))


def _texts(texts: Iterable[str]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": valid_text(text)} for text in texts if text.strip()]

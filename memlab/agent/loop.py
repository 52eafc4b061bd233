"""The agent loop: ask the model, run the tools it asks for, ask again, until
an answer needs none.

However a turn ends, the conversation is left whole: every tool call has a
result, and the next turn works. After a turn that ended well, the stop hooks
start in the background. What the tools and the hooks do is defined elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memlab.agent.background import Background, StopHook
from memlab.agent.compaction import (
    SessionNotes,
    first_kept,
    replacement,
    summarise,
)
from memlab.agent.conversation import Conversation, calls_in, text_blocks
from memlab.agent.permissions import AskingPermission, Permission
from memlab.agent.request import (
    Answer,
    CallError,
    RequestPrefix,
    TooLongError,
    ask_model,
    has_thinking,
    without_thinking,
)
from memlab.agent.tool import (
    MemoryWrite,
    Tool,
    ToolContext,
    ToolOutcome,
    valid_text,
)
from memlab.agent.tools import run_tool
from memlab.agent.transcript import Loaded, Transcript
from memlab.errors import MemlabError
from memlab.events import (
    Compacted,
    CompactionFailed,
    TurnEnded,
    TurnInterrupted,
)
from memlab.recall.prefetch import Prefetch, Recalled
from memlab.runtime import Runtime
from memlab.text import request_tokens

RECENT_MESSAGES = 10
NOT_RECORDED = (
    "The session ended before a result was written down. The tool may have"
    " run."
)
GO_ON = "Nothing is lost: say 'go on' to try again."
LIMIT_REACHED = (
    "The answer was cut at its greatest length. Say 'go on' for the rest."
)
REFUSED = (
    "The model declined. Your message was taken out of the conversation;"
    " please rephrase it."
)
TOO_LONG = (
    "What you sent last is taken out, and what was said before is summarised"
    " with your next message. If that does not help, send less, or set"
    " main_max_output_tokens lower: the room for an answer counts as well."
)


class AgentError(MemlabError):
    """The agent was asked for what it cannot do."""


class Observer:
    """Follows an agent while it works; override what you want to see."""

    def on_text(self, text: str) -> None:
        """Receive each piece of an answer as it comes."""

    def on_message(self, message: Mapping[str, Any]) -> None:
        """Receive each answer of the model, when it is whole."""

    def on_tool(self, outcome: ToolOutcome) -> None:
        """Receive what came of each tool call."""

    def on_compact(self, summary: str) -> None:
        """Receive the summary, or the notes, that replaced messages."""


@dataclass(kw_only=True)
class TurnResult:
    """How a turn ended: the last answer's text, calls to the model, and what
    its tools did.

    ``error`` is for the person: what went wrong, and what to do; empty if
    nothing did. ``answers`` have the tokens of each call, and ``recalled`` are
    the recalls that joined this turn.
    """

    text: str = ""
    stop_reason: str = ""
    error: str = ""
    calls: int = 0
    answers: list[Answer] = field(default_factory=list)
    outcomes: list[ToolOutcome] = field(default_factory=list)
    recalled: list[Recalled] = field(default_factory=list)

    @property
    def source(self) -> str:
        """The label of the last answer, where the stand-in gave it."""
        return self.answers[-1].source if self.answers else ""

    @property
    def tools_used(self) -> tuple[str, ...]:
        """The tools that were called, in order."""
        return tuple(outcome.tool for outcome in self.outcomes)

    @property
    def memory_files(self) -> tuple[str, ...]:
        """The memory files that the tools wrote or removed, each once."""
        return tuple(self._newest_writes())

    @property
    def saved(self) -> tuple[str, ...]:
        """The memory files that are there after what the tools did last."""
        writes = self._newest_writes().values()
        return tuple(write.file for write in writes if not write.removed)

    def _newest_writes(self) -> dict[str, MemoryWrite]:
        writes = [one.memory for one in self.outcomes if one.memory]
        return {write.file: write for write in writes}


@dataclass(kw_only=True)
class _Turn(TurnResult):
    """A turn under way: what the model has said of an answer, and the results
    that have not been sent back yet.
    """

    partial: str = ""
    results: list[Mapping[str, Any]] = field(default_factory=list)


@dataclass(kw_only=True)
class Agent:
    """One conversation and everything that a turn of it needs.

    ``history`` is a conversation to continue, read from a transcript or
    another agent's. Stop hooks start when a turn ends well, each with the
    conversation as it is then. ``after_summary`` gives the reminders that a
    conversation needs again when its beginning has been replaced. ``notes``
    gives the notes of the session, which a compaction uses instead of a
    summary if there are any; it may wait for those that are being written.
    ``opening`` has reminders that every request begins with, as
    ``RequestPrefix`` says. A limit of 0 is that of the settings.
    """

    runtime: Runtime
    model: str
    system: str
    tools: Sequence[Tool]
    context: ToolContext
    permission: Permission | AskingPermission
    transcript: Transcript | None = None
    history: Loaded | RequestPrefix | None = None
    prefetch: Prefetch | None = None
    stop_hooks: Sequence[StopHook] = ()
    after_summary: Callable[[], Sequence[str]] = tuple
    notes: Callable[[], Awaitable[SessionNotes]] | None = None
    opening: Sequence[str] = ()
    observer: Observer = field(default_factory=Observer)
    purpose: str = "main"
    max_turns: int = 0
    compact_at_tokens: int = 0

    def __post_init__(self) -> None:
        settings = self.runtime.settings
        self.max_turns = self.max_turns or settings.main_max_turns
        if not self.compact_at_tokens:
            self.compact_at_tokens = settings.compact_at_tokens
        self.conversation = Conversation(self.runtime.clock, self.transcript)
        self._background = Background(self.runtime)
        self._task: asyncio.Task[Any] | None = None
        self._is_interrupted = False
        self._tokens = 0
        self._thought_behind: object = None  # nobody knows
        if self.history:
            self.conversation.continue_from(self.history)
            self.conversation.complete("", (), NOT_RECORDED)
        if isinstance(self.history, RequestPrefix):
            self._thought_behind = self.history.beginning

    @property
    def messages(self) -> list[Mapping[str, Any]]:
        """The messages of the conversation."""
        return self.conversation.messages

    @property
    def uuids(self) -> list[str]:
        """The uuids of the messages."""
        return self.conversation.uuids

    async def run_turn(
        self, text: str, attachments: Sequence[str] = ()
    ) -> TurnResult:
        """Answer the person's words; attachments, texts as well, go in front
        of them.

        A call to the model that fails ends the turn with ``error`` set. A
        cancelled turn raises CancelledError, an interrupted one returns its
        result. Raises AgentError for a second turn while another one is under
        way, and for blank words.
        """
        if self._task:
            what = "a turn is under way already"
            raise AgentError(what, do="Await it first")
        if not text.strip():
            what = "there is nothing to answer"
            raise AgentError(what, do="Give words to answer")
        self._task = task = asyncio.current_task()
        turn = _Turn()
        self.conversation.begin_turn()
        try:
            await self._begin(turn, text, attachments)
            return await self._run(turn)
        except BaseException as stop:
            self._complete(turn, "interrupted")
            self.runtime.events.emit(TurnInterrupted(by=type(stop).__name__))
            if self.prefetch:
                self.prefetch.cancel()
            is_cancelled = isinstance(stop, asyncio.CancelledError)
            if task and is_cancelled and self._is_interrupted:
                task.uncancel()
                return self._end(turn, "interrupted", "Interrupted.")
            raise
        finally:
            self._task = None
            self._is_interrupted = False

    def interrupt(self) -> None:
        """End the turn under way, if any: its ``run_turn`` returns a result
        that is ``interrupted``.
        """
        if self._task:
            self._is_interrupted = True
            self._task.cancel()

    async def drain(self, limit: float | None = None) -> tuple[str, ...]:
        """Await all background work for ``drain_seconds`` at most; returns
        what was cut off.
        """
        recalls = self.prefetch.tasks if self.prefetch else ()
        return await self._background.drain(limit, recalls)

    def prefix(self) -> RequestPrefix:
        """Return what the next call would send before anything new, for a fork
        to start from.
        """
        return RequestPrefix(
            model=self.model,
            system=self.system,
            tools=tuple(tool.definition for tool in self.tools),
            messages=tuple(self.messages),
            uuids=tuple(self.uuids),
            max_tokens=self.runtime.settings.main_max_output_tokens,
            effort=self.runtime.settings.main_effort,
            opening=tuple(self.opening),
            replaced=tuple(self.conversation.replaced),
        )

    async def _begin(
        self, turn: _Turn, text: str, attachments: Sequence[str]
    ) -> None:
        """Add the person's message, and what is recalled for it in time."""
        late: list[dict[str, Any]] = []
        if self.prefetch:
            recent = self.messages[-RECENT_MESSAGES:]
            names = [call["name"] for one in recent for call in calls_in(one)]
            tools = list(dict.fromkeys(names))
            late = self._recalled(turn, self.prefetch.start(text, tools))
        before = [*text_blocks(attachments), *late]
        content = (
            [*before, *text_blocks([text])] if before else valid_text(text)
        )
        self.context.turn = self.conversation.add("user", content)
        if self.prefetch:
            in_time = self._recalled(turn, await self.prefetch.wait())
            if in_time:
                self.conversation.add("user", in_time)

    async def _run(self, turn: _Turn) -> TurnResult:
        """Ask, run the tools and ask again, until the turn has an end."""
        while turn.calls < self.max_turns:
            try:
                await self._compact(turn)
                answer = await self._ask(turn)
            except CallError as error:
                return self._failed(turn, error)

            if answer.stop_reason == "refusal":
                return self._taken_back(turn, "refusal", REFUSED)
            calls = [] if answer.is_cut else answer.calls
            said = [
                block
                for block in answer.blocks
                if calls or block["type"] == "text"
            ]
            if said:
                self.conversation.add("assistant", said)
                self.observer.on_message(self.messages[-1])
            if not calls:
                return self._answered(turn, answer)
            await self._run_tools(turn, calls)
        stopped = f"Stopped after {turn.calls} calls to the model. {GO_ON}"
        return self._end(turn, "turn_limit", stopped)

    async def _ask(self, turn: _Turn) -> Answer:
        def on_text(text: str) -> None:
            turn.partial += text
            self.observer.on_text(text)

        self.drop_stale_thinking()
        turn.calls += 1
        answer = await ask_model(
            self.runtime.client,
            self._body(),
            purpose=self.purpose,
            settings=self.runtime.settings,
            on_text=on_text,
        )
        turn.answers.append(answer)
        turn.partial = ""
        self._tokens = answer.input + answer.output
        if answer.stop_reason == "model_context_window_exceeded":
            self._tokens = self.compact_at_tokens
        return answer

    def _body(self) -> dict[str, Any]:
        """Build the request for the conversation as it is now."""
        parent = self.history
        if not isinstance(parent, RequestPrefix):
            return self.prefix().body()
        is_first = len(self.messages) == len(parent.messages) + 1
        return self.prefix().fork_body() if is_first else self.prefix().body()

    def drop_stale_thinking(self) -> bool:
        """Drop what the model has thought if it cannot be sent again; tells
        whether there was any.

        That is so when what comes before it has changed since, and when the
        conversation was not read back whole.
        """
        behind = self.prefix().beginning
        is_stale = self._thought_behind != behind
        self._thought_behind = behind
        if not is_stale or not has_thinking(self.messages):
            return False
        self.messages[:] = without_thinking(self.messages)
        return True

    async def _run_tools(
        self, turn: _Turn, calls: Sequence[Mapping[str, Any]]
    ) -> None:
        """Run the calls of one answer in the order it names them, and send all
        results.

        The calls are parallel in the sense that one round trip carries them.
        Running them at the same time would gain nothing on local files, and
        two writes would race; so a later call sees what an earlier one did.
        """
        for call in calls:
            # a chance to be cancelled, since most tools do not await
            await asyncio.sleep(0)
            outcome = await run_tool(
                call,
                self.tools,
                self.context,
                self.permission,
                self.runtime.events,
            )
            turn.outcomes.append(outcome)
            turn.results.append(outcome.result)
            self.observer.on_tool(outcome)
        after_tools: list[dict[str, Any]] = []
        if self.prefetch:
            after_tools = self._recalled(turn, self.prefetch.collect())
        self.conversation.add("user", [*turn.results, *after_tools])
        turn.results = []

    def _recalled(
        self, turn: _Turn, arrived: Iterable[Recalled]
    ) -> list[dict[str, Any]]:
        """Note which recalls joined the turn, and return what to attach."""
        new = list(arrived)
        turn.recalled += new
        return text_blocks(text for each in new for text in each.texts)

    async def _compact(self, turn: _Turn) -> None:
        """Replace the beginning of the conversation by the session's notes, or
        all that is older than the turn by a summary, once it has come near the
        limit.
        """
        messages, count = self.messages, len(self.messages)
        older = count if turn.calls else self.conversation.start
        if self._tokens < self.compact_at_tokens or older < 2:
            return
        notes = await self.notes() if self.notes else SessionNotes()
        kind, text, replaced = "session_notes", notes.text, 0
        if text.strip():
            settings = self.runtime.settings
            replaced = first_kept(messages, self.uuids, notes, settings, older)
        if not replaced:
            kind, replaced = "summary", older
            past = replace(self.prefix(), messages=tuple(messages[:older]))
            try:
                text = await summarise(self.runtime, past)
            except CallError as error:
                failed = CompactionFailed(reason=error.what)
                self.runtime.events.emit(failed)
                return
        self.observer.on_compact(text)
        also, prompts = self.after_summary(), self.runtime.prompts
        content = replacement(kind, text, also, prompts)
        self.conversation.replace_first(replaced, content)
        before, self._tokens = self._tokens, 0
        # it cannot be sent again behind another beginning
        self._thought_behind = None
        self.context.read_files.clear()
        self.runtime.events.emit(
            Compacted(
                messages=replaced,
                tokens=before,
                by="summary" if kind == "summary" else "notes",
                kept=count - replaced,
                after=request_tokens(self._body()),
            )
        )

    def _answered(self, turn: _Turn, answer: Answer) -> TurnResult:
        turn.text = answer.text
        if answer.is_cut:
            return self._end(turn, answer.stop_reason, LIMIT_REACHED)
        for hook in self.stop_hooks:
            self._background.start(hook, self.prefix())
        return self._end(turn, answer.stop_reason)

    def _failed(self, turn: _Turn, error: CallError) -> TurnResult:
        if isinstance(error, TooLongError):
            self._tokens = self.compact_at_tokens
            what = f"{error.what} {TOO_LONG}"
            return self._taken_back(turn, "too_long", what)
        self._complete(turn, "cut_off")
        return self._end(turn, "error", f"{error.what} {GO_ON}")

    def _taken_back(self, turn: _Turn, reason: str, error: str) -> TurnResult:
        """End a turn that would make the next one fail too."""
        self.conversation.take_back()
        return self._end(turn, reason, error)

    def _complete(self, turn: _Turn, reason: str) -> None:
        """Make the conversation valid where the turn stopped.

        ``reason`` is the section of ``reminders.md`` that says why. The model
        need not know that a connection broke before it had said anything.
        """
        prompts, note = self.runtime.prompts, ""
        if reason == "interrupted" or turn.partial.strip():
            note = prompts.reminder(reason)
        why = prompts.section("reminders", reason)
        self.conversation.complete(turn.partial, turn.results, why, note)

    def _end(self, turn: _Turn, reason: str, error: str = "") -> TurnResult:
        if self.prefetch and error:
            self.prefetch.cancel()
        turn.stop_reason, turn.error = reason, error
        if self.transcript:
            self.transcript.save_document(self.messages, self.model)
            turn.error = f"{error} {self.transcript.problem}".strip()
            self.transcript.problem = ""
        self.runtime.events.emit(TurnEnded(reason=reason, calls=turn.calls))
        return turn

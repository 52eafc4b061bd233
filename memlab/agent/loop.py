"""The agent loop: ask the model, run the tools it asks for, ask again, until
an answer needs none.

However a turn ends, the conversation is left whole: every tool call has a
result, and the next turn works. After a turn that ended well, the stop hooks
start in the background. What the tools and the hooks do is defined elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import (
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from memlab.agent.compaction import (
    SessionNotes,
    first_kept,
    no_notes,
    replacement,
    summarise,
)
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
from memlab.agent.tool import Tool, ToolContext, ToolOutcome, valid_text
from memlab.agent.tools import run_tool
from memlab.agent.transcript import Loaded, Transcript
from memlab.clock import wait_within
from memlab.errors import MemlabError, TapeMiss, tape_miss
from memlab.events import (
    BackgroundCutOff,
    Compacted,
    CompactionFailed,
    StopHookFailed,
    TurnEnded,
    TurnInterrupted,
)
from memlab.recall.prefetch import Prefetch, Recalled
from memlab.runtime import Runtime
from memlab.text import as_blocks, request_tokens

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
    "The model declined. Your message is taken out of the conversation; put it"
    " otherwise."
)
TOO_LONG = (
    "What you sent last is taken out, and the rest is summarised before your"
    " next message."
)
TOO_LONG_ALONE = (
    "What you sent is taken out. Send less, or set main_max_output_tokens"
    " lower: the room for an answer counts as well."
)

StopHook = Callable[[RequestPrefix], Coroutine[Any, Any, object]]


class AgentError(MemlabError):
    """The agent was asked for what it cannot do."""


class Observer:
    """Follows an agent while it works; override what you want to see."""

    def on_text(self, text: str) -> None:
        """Receive each piece of an answer as it comes."""

    def on_message(self, message: Mapping[str, Any]) -> None:
        """Receive each new message of the conversation."""

    def on_tool(self, outcome: ToolOutcome) -> None:
        """Receive what came of each tool call."""

    def on_compact(self, summary: str) -> None:
        """Receive the summary, or the notes, that replaced messages."""


@dataclass(frozen=True)
class TurnResult:
    """How a turn ended: the last answer's text, calls to the model, and what
    its tools did.

    ``error`` is for the person: what went wrong, and what to do; empty if
    nothing did. ``answers`` have the tokens of each call, and ``recalled`` are
    the recalls that joined this turn.
    """

    text: str
    stop_reason: str
    calls: int
    tools_used: tuple[str, ...]
    aborted: bool = False
    error: str = ""
    answers: tuple[Answer, ...] = ()
    outcomes: tuple[ToolOutcome, ...] = ()
    recalled: tuple[Recalled, ...] = ()

    @property
    def source(self) -> str:
        """The label of the last answer, where the stand-in gave it."""
        return self.answers[-1].source if self.answers else ""

    @property
    def memory_files(self) -> tuple[str, ...]:
        """The memory files that the tools wrote or removed, each once."""
        return tuple(self._removed_by_file())

    @property
    def saved(self) -> tuple[str, ...]:
        """The memory files that the tools wrote last."""
        return tuple(
            file
            for file, removed in self._removed_by_file().items()
            if not removed
        )

    @property
    def dropped(self) -> tuple[str, ...]:
        """The memory files that the tools removed last."""
        return tuple(
            file
            for file, removed in self._removed_by_file().items()
            if removed
        )

    @property
    def denied(self) -> int:
        """How many tool calls were refused."""
        return sum(outcome.status == "denied" for outcome in self.outcomes)

    def _removed_by_file(self) -> dict[str, bool]:
        writes = [
            outcome.memory
            for outcome in self.outcomes
            if outcome.memory is not None
        ]
        return {write.file: write.removed for write in writes}


@dataclass
class _Turn:
    """What one turn has come to so far; ``results`` have not been sent back
    yet. ``follows`` is the line of the transcript that the turn follows.
    """

    start: int
    follows: str | None = None
    calls: int = 0
    partial: str = ""
    tools: list[str] = field(default_factory=list)
    results: list[Mapping[str, Any]] = field(default_factory=list)
    outcomes: list[ToolOutcome] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    recalled: list[Recalled] = field(default_factory=list)


@dataclass(kw_only=True)
class Agent:
    """One conversation and everything that a turn of it needs.

    ``history`` is a conversation to continue, read from a transcript or
    another agent's. Stop hooks start when a turn ends well, each with the
    conversation as it is then. ``after_summary`` gives the reminders that a
    conversation needs again when a summary has replaced it. ``notes`` gives
    the notes of the session, which a compaction uses instead of a summary if
    there are any; it may wait for those that are being written. ``opening`` has
    reminders that every request begins with, as ``RequestPrefix`` says. A
    limit of 0 is that of the settings.
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
    notes: Callable[[], Awaitable[SessionNotes]] = no_notes
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
        self.messages: list[Mapping[str, Any]] = []
        self.uuids: list[str] = []
        self._replaced: list[tuple[str, Mapping[str, Any]]] = []
        self._background = Background(self.runtime)
        self._task: asyncio.Task[Any] | None = None
        self._stopped = False
        self._tokens = 0
        self._last_message_id = ""
        self._thought_behind: set[str] = set()
        if self.history:
            self.messages += self.history.messages
            if isinstance(self.history, Loaded):
                self._thought_behind.add("")  # nobody knows
            else:
                self._thought_behind.add(self.history.fingerprint)
            self.uuids += self.history.uuids
            self._replaced += self.history.replaced
            self._last_message_id = getattr(
                self.history, "last_message_id", ""
            )
            self._complete_messages(_Turn(0))

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
            raise AgentError(
                "a turn is under way already", do="Await it first"
            )
        if not text.strip():
            raise AgentError(
                "there is nothing to answer", do="Give words to answer"
            )
        self._task = asyncio.current_task()
        turn = _Turn(len(self.messages))
        if self.transcript:
            turn.follows = self.transcript.parent
        try:
            return await self._run(turn, text, attachments)
        except BaseException as stop:
            self._complete_messages(turn, "interrupted")
            self.runtime.events.emit(TurnInterrupted(by=type(stop).__name__))
            if self.prefetch:
                self.prefetch.cancel()
            if (
                self._task
                and self._stopped
                and isinstance(stop, asyncio.CancelledError)
            ):
                self._task.uncancel()
                return self._result(turn, "interrupted", "Interrupted.")
            raise
        finally:
            self._task = None
            self._stopped = False

    def interrupt(self) -> None:
        """End the turn under way, if any: its ``run_turn`` returns a result,
        ``aborted``.
        """
        if self._task:
            self._stopped = True
            self._task.cancel()

    def drop_stale_thinking(self) -> bool:
        """Drop what the model has thought if it cannot be sent again; tells
        whether there was any.

        That is so when the system prompt has changed since, and when the
        conversation was not read back whole.
        """
        behind = self.prefix().fingerprint
        stale = not self._thought_behind <= {behind}
        self._thought_behind = {behind}
        if not stale or not has_thinking(self.messages):
            return False
        self.messages[:] = without_thinking(self.messages)
        return True

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
            last_message_id=self._last_message_id,
            max_tokens=self.runtime.settings.main_max_output_tokens,
            effort=self.runtime.settings.main_effort,
            opening=tuple(self.opening),
            replaced=tuple(self._replaced),
        )

    async def drain(self, limit: float | None = None) -> tuple[str, ...]:
        """Await all background work for ``drain_seconds`` at most; returns
        what was cut off.
        """
        seconds = (
            self.runtime.settings.drain_seconds if limit is None else limit
        )
        return await self._background.drain(
            seconds, self.prefetch.tasks if self.prefetch else ()
        )

    async def _run(
        self, turn: _Turn, text: str, attachments: Sequence[str]
    ) -> TurnResult:
        late: list[str] = []
        if self.prefetch:
            late = self._recalled(
                turn, self.prefetch.start(text, self._recent_tools())
            )
        before = _text_blocks([*attachments, *late])
        content = (
            [*before, *_text_blocks([text])] if before else valid_text(text)
        )
        self.context.turn = self._add("user", content)
        if self.prefetch:
            in_time = self._recalled(turn, await self.prefetch.wait())
            if in_time:
                self._add("user", _text_blocks(in_time))

        while turn.calls < self.max_turns:
            try:
                await self._compact(turn)
                answer = await self._ask(turn)
            except CallError as error:
                return self._failed(turn, error)

            if answer.stop_reason == "refusal":
                return self._taken_back(turn, "refusal", REFUSED)
            cut = answer.stop_reason in (
                "max_tokens",
                "model_context_window_exceeded",
            )
            if answer.stop_reason == "model_context_window_exceeded":
                self._tokens = self.compact_at_tokens
            calls = [] if cut else answer.calls
            blocks = [
                block
                for block in answer.blocks
                if calls or block["type"] == "text"
            ]
            if blocks:
                self._add("assistant", blocks)
            if not calls:
                return self._finished(
                    turn, answer, LIMIT_REACHED if cut else ""
                )
            await self._run_tools(turn, calls)
        number = f"{turn.calls} call{'s' if turn.calls > 1 else ''}"
        return self._result(
            turn, "turn_limit", f"Stopped after {number} to the model. {GO_ON}"
        )

    async def _ask(self, turn: _Turn) -> Answer:
        def on_text(text: str) -> None:
            turn.partial += text
            self.observer.on_text(text)

        self.drop_stale_thinking()
        body = self._body()
        turn.calls += 1
        answer = await ask_model(
            self.runtime.client,
            body,
            purpose=self.purpose,
            settings=self.runtime.settings,
            on_text=on_text,
        )
        turn.answers.append(answer)
        turn.partial = ""
        self._last_message_id = answer.message_id
        self._tokens = answer.input + answer.output
        return answer

    def _body(self) -> dict[str, Any]:
        """Build the request for the conversation as it is now."""
        prefix = self.prefix()
        begins_fork = (
            isinstance(self.history, RequestPrefix)
            and len(self.messages) == len(self.history.messages) + 1
        )
        return prefix.fork_body() if begins_fork else prefix.body()

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
            turn.tools.append(str(call["name"]))
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
        after_tools: list[str] = []
        if self.prefetch:
            after_tools = self._recalled(turn, self.prefetch.collect())
        self._add("user", [*turn.results, *_text_blocks(after_tools)])
        turn.results = []

    def _recalled(
        self, turn: _Turn, recalled: Iterable[Recalled]
    ) -> list[str]:
        """Note which recalls joined the turn, and return the texts to attach."""
        arrived = list(recalled)
        turn.recalled += arrived
        return [text for each in arrived for text in each.texts]

    async def _compact(self, turn: _Turn) -> None:
        """Replace the beginning of the conversation by the session's notes, or
        all of it by a summary, once it has come near the limit.
        """
        older = len(self.messages) if turn.calls else turn.start
        if self._tokens < self.compact_at_tokens or older < 2:
            return
        before = self._tokens
        count = len(self.messages)
        notes = await self.notes()
        start = 0
        if notes.text.strip():
            start = first_kept(
                self.messages,
                self.uuids,
                notes,
                self.runtime.settings,
                newest=older,
            )
        if start:
            self._replace_by_notes(turn, notes, start)
        elif not await self._replace_by_summary(turn, older):
            return
        self.context.read_files.clear()
        replaced = start or older
        self.runtime.events.emit(
            Compacted(
                messages=replaced,
                tokens=before,
                by="notes" if start else "summary",
                kept=count - replaced,
                after=request_tokens(self._body()),
            )
        )

    def _replace_by_notes(
        self, turn: _Turn, notes: SessionNotes, start: int
    ) -> None:
        """Put the notes in the place of the messages before ``start``; the
        others stay as they are, in the transcript as well.
        """
        kept, kept_uuids = self.messages[start:], self.uuids[start:]
        self._keep_replaced(start)
        self.messages = []
        self.uuids = []
        self._tokens = 0
        self.observer.on_compact(notes.text)
        also, prompts = list(self.after_summary()), self.runtime.prompts
        content = replacement("session_notes", notes.text, also, prompts)
        first = kept_uuids[0] if kept_uuids else ""
        turn.follows = self._add("user", content, kept_from=first)
        turn.start = max(turn.start - start, 0) + 1
        self.messages += kept
        self.uuids += kept_uuids
        # what the model thought cannot be sent again behind another beginning
        self._thought_behind.add("")

    async def _replace_by_summary(self, turn: _Turn, older: int) -> bool:
        """Put a summary in the place of the first ``older`` messages; tells
        whether there is one.
        """
        history = self.messages[:older]
        count = len(self.messages) - older
        try:
            conversation = replace(
                self.prefix(), messages=tuple(history), uuids=()
            )
            summary = await summarise(self.runtime, conversation)
        except CallError as error:
            self.runtime.events.emit(CompactionFailed(reason=error.what))
            return False
        fresh = self.messages[older:]
        fresh_uuids = self.uuids[len(self.uuids) - count :]
        hidden = self._any_off_record(self.uuids[: len(self.uuids) - count])
        self._keep_replaced(older)
        self.messages = []
        self.uuids = []
        self._tokens = 0
        self._add_summary(summary, off_record=hidden)
        self.observer.on_compact(summary)
        reminders = _text_blocks(self.after_summary())
        if reminders:
            self._add("user", reminders)
        turn.start = len(self.messages)
        turn.follows = self.uuids[-1]
        for uuid, message in zip(fresh_uuids, fresh, strict=True):
            self._add(message["role"], message["content"], uuid=uuid)
        return True

    def _keep_replaced(self, count: int) -> None:
        """Keep the first messages, which a compaction replaces, to know
        later who said what.
        """
        # a conversation that was taken over from elsewhere has no names
        if len(self.uuids) == len(self.messages):
            pairs = zip(self.uuids, self.messages, strict=True)
            self._replaced += islice(pairs, count)

    def _finished(self, turn: _Turn, answer: Answer, error: str) -> TurnResult:
        if not error:
            for hook in self.stop_hooks:
                self._background.start(hook, self.prefix())
        return self._result(turn, answer.stop_reason, error, answer.text)

    def _failed(self, turn: _Turn, error: CallError) -> TurnResult:
        if isinstance(error, TooLongError):
            self._tokens = self.compact_at_tokens
            advice = TOO_LONG if turn.start > 1 else TOO_LONG_ALONE
            return self._taken_back(turn, "too_long", f"{error.what} {advice}")
        self._complete_messages(
            turn, "cut_off", say_so=bool(turn.partial.strip())
        )
        return self._result(turn, "error", f"{error.what} {GO_ON}")

    def _taken_back(self, turn: _Turn, reason: str, error: str) -> TurnResult:
        """Take a turn out of the conversation that would make the next one
        fail too.
        """
        taken_back = self.uuids[turn.start :]
        del self.messages[turn.start :]
        del self.uuids[turn.start :]
        if self.transcript:
            self.transcript.take_back(turn.follows, taken_back)
        return self._result(turn, reason, error)

    def _result(
        self, turn: _Turn, reason: str, error: str, text: str = ""
    ) -> TurnResult:
        if self.prefetch and error:
            self.prefetch.cancel()
        if self.transcript:
            self.transcript.save_document(self.messages, self.model)
            error = " ".join(
                part for part in (error, self.transcript.problem) if part
            )
            self.transcript.problem = ""
        self.runtime.events.emit(TurnEnded(reason=reason, calls=turn.calls))
        return TurnResult(
            text=text,
            stop_reason=reason,
            calls=turn.calls,
            tools_used=tuple(turn.tools),
            aborted=reason == "interrupted",
            error=error,
            answers=tuple(turn.answers),
            outcomes=tuple(turn.outcomes),
            recalled=tuple(turn.recalled),
        )

    def _complete_messages(
        self, turn: _Turn, reason: str = "", *, say_so: bool = True
    ) -> None:
        """Make the conversation valid where it stopped: keep the answer,
        answer every call.

        ``reason`` is the section of ``reminders.md`` that says why it stopped;
        without one, a call that has no result was not recorded.
        """
        why = NOT_RECORDED
        note: list[str] = []
        if reason:
            prompts = self.runtime.prompts
            why = prompts.section("reminders", reason)
            note = [prompts.reminder(reason)] if say_so else []
        if turn.partial.strip():
            self._add("assistant", _text_blocks([turn.partial]))
        calls = (
            ids(self.messages[-1], "tool_use", "id") if self.messages else []
        )
        open_calls = calls[len(turn.results) :]
        missing = [unanswered(call, why) for call in open_calls]
        blocks = [*turn.results, *missing, *_text_blocks(note)]
        if blocks:
            self._add("user", blocks)
        turn.partial = ""
        turn.results = []

    def _any_off_record(self, uuids: Sequence[str]) -> bool:
        """Tell whether any of these messages is off the record."""
        return (
            self.transcript is not None
            and not self.transcript.off_record_ids.isdisjoint(uuids)
        )

    def _add_summary(self, summary: str, *, off_record: bool) -> None:
        """Add a summary; one that may repeat off-record words is off the
        record too.
        """
        uuid = self.runtime.clock.new_id()
        if self.transcript and off_record:
            self.transcript.off_record_ids.add(uuid)
        prompts = self.runtime.prompts
        content = replacement("summary", summary, prompts=prompts)
        self._add("user", content, kept_from="", uuid=uuid)

    def _add(
        self,
        role: str,
        content: str | list[Any],
        kept_from: str | None = None,
        uuid: str = "",
    ) -> str:
        """Add a message; the arguments are those of ``Transcript.append``."""
        if self.transcript:
            uuid = self.transcript.append(role, content, kept_from, uuid)
        self.messages.append({"role": role, "content": content})
        self.uuids.append(uuid or self.runtime.clock.new_id())
        self.observer.on_message(self.messages[-1])
        return self.uuids[-1]

    def _recent_tools(self) -> list[str]:
        """List the tools used lately, each once."""
        recent = self.messages[-RECENT_MESSAGES:]
        names = [
            name
            for message in recent
            for name in ids(message, "tool_use", "name")
        ]
        return list(dict.fromkeys(names))


class Background:
    """The stop hooks under way. One that fails is logged and affects nothing
    else, except that ``drain`` raises a TapeMiss.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._tasks: set[asyncio.Task[Any]] = set()
        self._miss: TapeMiss | None = None

    def start(self, hook: StopHook, prefix: RequestPrefix) -> None:
        """Start a hook and do not wait for it."""
        name = getattr(hook, "__name__", type(hook).__name__)
        task = asyncio.get_running_loop().create_task(hook(prefix), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def drain(
        self, seconds: float, also: Iterable[asyncio.Task[Any]] = ()
    ) -> tuple[str, ...]:
        """Await all hooks, and other tasks, for so long at most; returns what
        was cut off.
        """
        tasks = [*self._tasks, *also]
        try:
            left = await wait_within(tasks, seconds, self._runtime.clock)
        finally:
            for task in tasks:
                task.cancel()
        miss, self._miss = self._miss, None
        if miss is not None:
            raise miss
        if not left:
            return ()
        names = tuple(sorted(task.get_name() for task in left))
        self._runtime.events.emit(
            BackgroundCutOff(after=seconds, tasks=", ".join(names))
        )
        await wait_within(left, seconds, self._runtime.clock)
        return names

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._miss = self._miss or tape_miss(error)
            what = f"{type(error).__name__}: {error}"
            self._runtime.events.emit(
                StopHookFailed(hook=task.get_name(), error=what)
            )


def unanswered(call: Any, why: str) -> dict[str, Any]:
    """Answer a tool call whose result there will never be."""
    return {
        "type": "tool_result",
        "tool_use_id": call,
        "content": why,
        "is_error": True,
    }


def ids(message: Mapping[str, Any], kind: str, key: str) -> list[Any]:
    """List what the blocks of one kind in a message have under a key."""
    return [
        block.get(key)
        for block in as_blocks(message["content"])
        if block["type"] == kind
    ]


def _text_blocks(texts: Iterable[str]) -> list[dict[str, Any]]:
    return [
        {"type": "text", "text": valid_text(text)}
        for text in texts
        if text.strip()
    ]

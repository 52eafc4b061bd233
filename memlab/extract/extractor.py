"""The extractor: after a turn, a fork looks at the messages since the last run
and saves memories.

A cursor keeps a message from being processed twice. There is one run at a
time: a turn that ends during a run leaves its conversation for one more run.
Sorting what has accumulated is the dream's work, and messages that compaction
removed before the turn ended are not seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, TypedDict

from memlab.agent.compaction import as_it_was_said
from memlab.agent.fork import ForkResult, fork_context, run_forked_agent
from memlab.agent.request import RequestPrefix
from memlab.agent.session import without_exchanges
from memlab.agent.tool import Tool, ToolContext
from memlab.errors import pass_on_tape_miss
from memlab.events import (
    ExtractionCompleted,
    ExtractionFailed,
    ExtractionSkipped,
    ExtractionStarted,
    ExtractionStashed,
    NoticeFailed,
    RunCompleted,
    RunFailed,
    RunSkipped,
    RunStarted,
    RunStashed,
)
from memlab.evidence.attribution import whose_words
from memlab.extract.grounding import Attribution, attribute
from memlab.extract.store import WitnessedStore
from memlab.memdir.scan import (
    MemoryHeader,
    format_manifest,
    scan_memory_files,
)
from memlab.prompts import SHIPPED, Prompts
from memlab.prompts.blocks import block, message_line
from memlab.runtime import Runtime
from memlab.settings import Settings
from memlab.text import as_blocks


class Skip(StrEnum):
    """Why no fork looks at some messages."""

    OFF = "off"
    DAILY_LOG = "daily log"
    DIRECT_WRITE = "direct write"
    WITHHELD = "withheld"
    NOTHING_SAID = "nothing said"
    THROTTLE = "throttle"


@dataclass(frozen=True)
class Extraction:
    """One run: the memories it wrote, how many messages it looked at, and how
    it stopped.

    ``stopped`` is 'done', 'turn_limit', 'error', 'cut off' or 'switched off';
    all but the first are explained in ``error``. ``fork`` is None for a run
    that did not get to its end. ``notes`` say what the review replaced, kept
    or held back.
    """

    files: tuple[str, ...]
    messages: int
    turns: int
    stopped: str
    error: str
    fork: ForkResult | None = None
    notes: tuple[str, ...] = ()


class ExtractionHost:
    """What the extractor asks the conversation around it, and what it reports
    back.

    The defaults are those of a conversation in which everything may be saved.
    """

    def enabled(self) -> bool:
        """Tell whether memories may be saved now; asked again before every
        write.
        """
        return True

    def keeps_log(self) -> bool:
        """Tell whether the agent itself notes things down in a daily log, so
        that there is nothing to extract.
        """
        return False

    def withheld(self) -> Collection[str]:
        """Return the uuids of the messages from which nothing may be learned."""
        return frozenset()

    def project_instructions(self) -> str:
        """Return what CLAUDE.md says, so that it is not saved again."""
        return ""

    def time_of(self, uuid: str) -> datetime | None:
        """Return when a message was written; None means at the end of the
        turn.
        """
        return None

    def on_saved(self, run: Extraction) -> None:
        """Receive every run that wrote something, also one that was cut off."""

    def on_failed(self, run: Extraction) -> None:
        """Receive every run that ended with an error."""

    def on_cursor(self, cursor: str) -> None:
        """Receive the cursor whenever it has moved."""


@dataclass(frozen=True)
class Message:
    """A message of a conversation, and what was said in it."""

    uuid: str
    role: str
    text: str

    def __repr__(self) -> str:
        return self.uuid


def messages_of(prefix: RequestPrefix) -> list[Message]:
    """Return the messages of a conversation that have a name."""
    found = []
    for uuid, message in zip(prefix.uuids, prefix.messages, strict=False):
        texts = [
            block["text"]
            for block in as_blocks(message["content"])
            if block["type"] == "text"
        ]
        found.append(Message(uuid, message["role"], "\n".join(texts)))
    return found


def new_messages(messages: list[Message], cursor: str | None) -> list[Message]:
    """Return the messages after the one whose uuid is the cursor; all if there
    is none.
    """
    for number, message in enumerate(messages):
        if message.uuid == cursor:
            return messages[number + 1 :]
    return messages[:]


def agent_saved_itself(
    journal: list[dict[str, str]], session: str, messages: list[str]
) -> bool:
    """Tell whether the main agent saved something in a turn that began with
    one of these messages.
    """
    for line in journal:
        if (
            line["who"] == "main agent"
            and line["session"] == session
            and line["turn"] in messages
        ):
            return True
    return False


@dataclass(frozen=True)
class RunEvents:
    """The kinds of events by which runs over new messages are logged."""

    stashed: type[RunStashed]
    skipped: type[RunSkipped]
    started: type[RunStarted]
    completed: type[RunCompleted]
    failed: type[RunFailed]


@dataclass(kw_only=True, eq=False)
class Extractor:
    """A stop hook that saves memories; ``cursor`` names the last message that
    was processed.

    ``pending`` is the newest conversation that came during a run. ``context``
    is the main agent's, with its store. Nothing that fails in here reaches the
    person's turn. A subclass may have its forks write something else.
    """

    kinds: ClassVar[RunEvents] = RunEvents(
        ExtractionStashed,
        ExtractionSkipped,
        ExtractionStarted,
        ExtractionCompleted,
        ExtractionFailed,
    )
    # after a run that stopped so, no later run looks at its messages again
    final: ClassVar[tuple[str, ...]] = ("done", "switched off")

    runtime: Runtime
    tools: Sequence[Tool]
    context: ToolContext
    host: ExtractionHost = field(default_factory=ExtractionHost)
    cursor: str = ""
    pending: RequestPrefix | None = field(default=None, init=False)
    _turns: int = field(default=0, init=False)
    _ended: asyncio.Future[None] | None = field(default=None, init=False)
    _task: asyncio.Task[Any] | None = field(default=None, init=False)
    _stopping: bool = field(default=False, init=False)

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._ended is not None

    async def __call__(self, prefix: RequestPrefix) -> None:
        """Process a turn that has ended, or leave it to the run under way."""
        if self.running:
            self.pending = prefix
            new = self._new_in(prefix)
            self.runtime.events.emit(self.kinds.stashed(**_span(new)))
            return

        self.pending = None
        self._ended = asyncio.get_running_loop().create_future()
        self._task = asyncio.current_task()
        try:
            await self._extract(prefix)
            while self.pending:
                newest = self.pending
                self.pending = None
                await self._extract(newest, trailing=True)
        finally:
            self._ended.set_result(None)
            self._ended = None
            self._task = None
            self._stopping = False

    def stop(self) -> None:
        """End the run under way, if there is one, because saving was switched
        off.

        No later run looks at its messages again. May be called from any
        thread; so that nothing is written meanwhile, the host's ``enabled``
        has to say so already.
        """
        task = self._task
        if task is not None:
            task.get_loop().call_soon_threadsafe(self._cancel, task)

    async def drain(self) -> None:
        """Wait until no run is under way; a time limit is up to the caller."""
        while self._ended:
            await asyncio.shield(self._ended)

    async def _extract(
        self, prefix: RequestPrefix, *, trailing: bool = False
    ) -> None:
        """Process the messages after the cursor, once.

        If the run fails or is cut off, the cursor does not move, so the next
        run gets the same messages again. What the run raises is recorded and
        does not reach the person's turn; a TapeMiss does, and so does a
        cancellation, unless it comes from ``stop``.
        """
        new = self._new_in(prefix)
        if not new:
            return

        try:
            shared = without_exchanges(prefix, self.host.withheld())
            heard = self._hear(prefix, shared, new)
            skip = self._reason_to_skip(new, heard, trailing)
        # whatever it was, the person's turn has ended well
        except Exception as error:
            reason = self._in_words(error)
            self.runtime.events.emit(
                self.kinds.failed(reason=reason, files="", **_span(new))
            )
            return
        if skip is not None:
            self.runtime.events.emit(
                self.kinds.skipped(reason=skip.value, **_span(new))
            )
            # the throttled messages have not been looked at yet
            if skip is not Skip.THROTTLE:
                self._move_cursor(new[-1])
            return

        self.runtime.events.emit(self.kinds.started(**_span(new)))
        # filled while the fork runs, so that a cut-off run has it too
        saved: dict[str, None] = {}
        notes: list[str] = []
        fork: ForkResult | None = None
        stopped = "cut off"
        reason = "It was cut off."
        try:
            fork = await self._run_fork(shared, heard, saved, notes)
            stopped = fork.stopped
            reason = fork.error
        except asyncio.CancelledError:
            if not self._stopping:
                raise
            self._forgive_cancellation()
            stopped = "switched off"
            reason = "Saving was switched off."
        except Exception as error:
            stopped = "error"
            reason = self._in_words(error)
            pass_on_tape_miss(error)
        finally:  # after a cancellation, too
            if stopped != "done" and not self.host.enabled():
                stopped = "switched off"
            turns = fork.turns if fork else 0
            run = Extraction(
                tuple(saved),
                heard.count,
                turns,
                stopped,
                reason,
                fork,
                tuple(notes),
            )
            self._record(run, new)

    def _record(self, run: Extraction, new: Sequence[str]) -> None:
        """Log how a run ended and what it saved, and move the cursor if that
        was final.
        """
        self._log(run, new)
        last = new[-1]
        # what waits was said before that, too
        if run.stopped == "switched off" and self.pending:
            last = self.pending.uuids[-1]
            self.pending = None
        if run.stopped in self.final:
            self._move_cursor(last)
            self._turns = 0
        if run.files or run.notes or run.stopped == "error":
            try:
                if run.files or run.notes:
                    self.host.on_saved(run)
                if run.stopped == "error":
                    self.host.on_failed(run)
            except Exception as error:
                self.runtime.events.emit(
                    NoticeFailed(reason=self._in_words(error))
                )

    def _log(self, run: Extraction, new: Sequence[str]) -> None:
        files = ", ".join(run.files)
        if run.stopped != "done" or run.fork is None:
            failed = self.kinds.failed(
                reason=run.error, files=files, **_span(new)
            )
            self.runtime.events.emit(failed)
            return
        tokens = run.fork.tokens
        self.runtime.events.emit(
            self.kinds.completed(
                **_span(new),
                files=files,
                turns=run.turns,
                read=tokens.read,
                created=tokens.created,
                uncached=tokens.uncached,
                output=tokens.output,
                hit=run.fork.hit_percent,
            )
        )

    def _reason_to_skip(
        self, new: Sequence[str], heard: Attribution, trailing: bool
    ) -> Skip | None:
        """Return the reason to skip these messages, if any; only an eligible
        turn counts.
        """
        if self.host.keeps_log():
            return Skip.DAILY_LOG
        if self.context.memory is None or not self.host.enabled():
            return Skip.OFF
        if self._agent_wrote_memory(new):
            return Skip.DIRECT_WRITE
        if heard.count == 0:
            return Skip.WITHHELD
        if not heard.said:
            return Skip.NOTHING_SAID
        self._turns += 1
        if (
            not trailing
            and self._turns < self.runtime.settings.extract_every_turns
        ):
            return Skip.THROTTLE
        return None

    def _new_in(self, prefix: RequestPrefix) -> tuple[str, ...]:
        """Return the uuids of the messages after the cursor."""
        new = new_messages(messages_of(prefix), self.cursor or None)
        return tuple(message.uuid for message in new)

    def _agent_wrote_memory(self, new: Sequence[str]) -> bool:
        """Tell by the journal, which outlives a session, whether the main
        agent saved something.
        """
        if self.context.store is None:
            return False
        journal = [
            {"who": entry.who, "session": entry.session, "turn": entry.turn}
            for entry in self.context.store.history()
        ]
        return agent_saved_itself(journal, self.context.session, list(new))

    def _hear(
        self, whole: RequestPrefix, shared: RequestPrefix, new: Sequence[str]
    ) -> Attribution:
        """Sort out who said what; ``shared`` is the conversation without what
        is withheld.
        """
        kept = set(shared.uuids)
        fresh = [uuid for uuid in new if uuid in kept]
        times = [
            self.host.time_of(uuid) or self.runtime.clock.now()
            for uuid in fresh
        ]
        pairs = zip(whole.uuids, whole.messages, strict=True)
        withheld = [message for uuid, message in pairs if uuid not in kept]
        return attribute(shared.messages, fresh, times, withheld)

    async def _run_fork(
        self,
        prefix: RequestPrefix,
        heard: Attribution,
        saved: dict[str, None],
        notes: list[str],
    ) -> ForkResult:
        """Have a fork save what is worth it; each memory is in ``saved`` once
        it is written.
        """
        memory = self.context.memory or Path()
        settings = self.runtime.settings
        instructions = self.host.project_instructions()
        store = WitnessedStore(
            memory,
            heard,
            instructions=instructions,
            clock=self.runtime.clock,
            settings=settings,
            allowed=self.host.enabled,
            saved=saved,
            notes=notes,
            conversation=whose_words(*as_it_was_said(prefix)),
        )
        prompt = extraction_prompt(
            heard,
            self.context.show(memory),
            scan_memory_files(memory, settings, hides=self.context.hides),
            instructions=instructions,
            settings=settings,
            prompts=self.runtime.prompts,
        )
        context = fork_context(
            replace(self.context, store=store), who="extractor"
        )
        return await run_forked_agent(
            prefix,
            prompt,
            self.runtime,
            tools=self.tools,
            context=context,
            purpose="extract",
            max_turns=settings.extract_max_turns,
        )

    def _move_cursor(self, uuid: str) -> None:
        self.cursor = uuid
        self.host.on_cursor(uuid)

    def _cancel(self, task: asyncio.Task[Any]) -> None:
        if self._task is task:
            self._stopping = True
            task.cancel()

    def _forgive_cancellation(self) -> None:
        self._stopping = False
        if self._task:
            self._task.uncancel()

    def _in_words(self, error: Exception) -> str:
        return self.context.hide(f"{type(error).__name__}: {error}")


def extraction_prompt(
    heard: Attribution,
    directory: str,
    headers: Iterable[MemoryHeader],
    *,
    instructions: str,
    settings: Settings,
    prompts: Prompts = SHIPPED,
) -> str:
    """Fill in the prompt about the messages; ``directory`` is written as the
    model may see it.

    Of each new message the prompt has a line with its first words. The text
    itself is in the prefix that the fork shares with the conversation, so it
    is not sent twice.
    """
    lines = [
        message_line(message.uuid, message.at, message.role, message.text)
        for message in heard.messages
    ]
    return prompts.load(
        "extract",
        new_messages=block("new_messages", *lines, count=str(len(lines))),
        memory_directory=block("memory_directory", directory),
        manifest=block("manifest", format_manifest(headers, settings)),
        instructions=block("instructions", instructions),
        turns=str(settings.extract_max_turns),
    )


class _Span(TypedDict):
    messages: int
    first: str | None
    last: str | None


def _span(new: Sequence[str]) -> _Span:
    """Name a range of messages, as the events have it."""
    if not new:
        return {"messages": 0, "first": None, "last": None}
    return {"messages": len(new), "first": new[0], "last": new[-1]}

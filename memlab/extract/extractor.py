"""The extractor: after a turn, a fork looks at the messages since the last run
and saves memories.

A cursor keeps a message from being processed twice. There is one run at a
time: a turn that ends during a run leaves its conversation for one more run.
Whose words a memory has is judged where it is written (``memlab.evidence``).
Sorting what has accumulated is the dream's work, and messages that compaction
removed before the turn ended are not seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from memlab import events
from memlab.agent.fork import ForkResult, fork_context, run_forked_agent
from memlab.agent.request import RequestPrefix
from memlab.agent.session import without_exchanges
from memlab.agent.tool import Tool, ToolContext
from memlab.errors import pass_on_tape_miss
from memlab.evidence.attribution import said_in
from memlab.memdir.checks import EXTRACTOR
from memlab.memdir.places import INDEXES
from memlab.memdir.scan import format_manifest, scan_memory_files
from memlab.memdir.store import MemoryStore
from memlab.prompts import Prompts
from memlab.prompts.blocks import block, message_line
from memlab.runtime import Runtime
from memlab.settings import Settings

THROTTLE = "throttle"


@dataclass
class Extraction:
    """What a run wrote, what the person should know about that, and how it
    stopped.

    ``stopped`` is 'done', 'turn_limit', 'error', 'cut off' or 'switched off';
    all but the first are explained in ``error``. ``fork`` is None for a run
    that did not get to its end.
    """

    files: dict[str, None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    stopped: str = "cut off"
    error: str = "It was cut off."
    fork: ForkResult | None = None


class ExtractionHost:
    """What the extractor asks the conversation around it, and what it reports
    back.

    The defaults are those of a conversation in which everything may be saved.
    """

    def enabled(self) -> bool:
        """Tell whether memories may be saved; asked before every write."""
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
        """Return when a message was written, None if that is not known."""
        return None

    def on_end(self, run: Extraction) -> None:
        """Receive every run that wrote something or failed."""

    def on_cursor(self, cursor: str) -> None:
        """Receive the cursor whenever it has moved."""


@dataclass(frozen=True)
class Message:
    """A message of a conversation, and what was said in it: "" for the result
    of a tool.
    """

    uuid: str
    role: str
    text: str

    def __repr__(self) -> str:
        return self.uuid


def messages_of(prefix: RequestPrefix) -> list[Message]:
    """Return the messages of a conversation that have a name."""
    pairs = zip(prefix.uuids, prefix.messages, strict=False)
    return [Message(uuid, one["role"], said_in(one)) for uuid, one in pairs]


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
        is_ours = line["session"] == session and line["turn"] in messages
        if is_ours and line["who"] == "main agent":
            return True
    return False


@dataclass(kw_only=True, eq=False)
class Extractor:
    """A stop hook that saves memories; ``cursor`` names the last message that
    was processed.

    ``pending`` is the newest conversation that came during a run. ``context``
    is the main agent's, with its store. Nothing that fails in here reaches the
    person's turn. A subclass may have its forks write something else, and has
    its own kinds of events.
    """

    stashed: ClassVar[type[events.RunStashed]] = events.ExtractionStashed
    skipped: ClassVar[type[events.RunSkipped]] = events.ExtractionSkipped
    started: ClassVar[type[events.RunStarted]] = events.ExtractionStarted
    completed: ClassVar[type[events.RunCompleted]] = events.ExtractionCompleted
    failed: ClassVar[type[events.RunFailed]] = events.ExtractionFailed
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
    _fork: asyncio.Task[ForkResult] | None = field(default=None, init=False)

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._ended is not None

    async def __call__(self, prefix: RequestPrefix) -> None:
        """Process a turn that has ended, or leave it to the run under way."""
        if self.running:
            self.pending = prefix
            self._log(self.stashed, self._new_in(prefix))
            return

        self.pending = None
        self._ended = asyncio.get_running_loop().create_future()
        try:
            await self._extract(prefix)
            while self.pending:
                newest = self.pending
                self.pending = None
                await self._extract(newest, trailing=True)
        finally:
            self._ended.set_result(None)
            self._ended = None

    def stop(self) -> None:
        """End the run under way, if there is one, because saving was switched
        off.

        No later run looks at its messages again. May be called from any
        thread; so that nothing is written meanwhile, the host's ``enabled``
        has to say so already.
        """
        fork = self._fork
        if fork is not None:
            fork.get_loop().call_soon_threadsafe(fork.cancel)

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

        run, skip = Extraction(), ""
        try:
            shared = without_exchanges(prefix, self.host.withheld())
            heard = [one for one in messages_of(shared) if one.uuid in new]
            skip = self._reason_to_skip(new, heard, trailing)
            if skip:
                self._log(self.skipped, new, reason=skip)
                # the throttled messages have not been looked at yet
                if skip != THROTTLE:
                    self._move_cursor(new[-1])
                return

            self._log(self.started, new)
            fork = self._run_fork(shared, heard, run)
            self._fork = asyncio.ensure_future(fork)
            run.fork = await self._fork
            run.stopped, run.error = run.fork.stopped, run.fork.error
        except asyncio.CancelledError:
            this = asyncio.current_task()
            if this and this.cancelling():
                raise
            run.stopped, run.error = "switched off", "Saving was switched off."
        except Exception as error:
            run.stopped, run.error = "error", self._in_words(error)
            pass_on_tape_miss(error)
        finally:  # after a cancellation, too
            self._fork = None
            if not skip:
                self._record(run, new)

    def _record(self, run: Extraction, new: list[str]) -> None:
        """Log how a run ended and what it saved, and move the cursor if that
        was final.
        """
        files = ", ".join(run.files)
        if run.fork and run.stopped == "done":
            figures = asdict(run.fork.tokens) | {"hit": run.fork.hit_percent}
            turns = run.fork.turns
            self._log(self.completed, new, files=files, turns=turns, **figures)
        else:
            self._log(self.failed, new, reason=run.error, files=files)
        if run.stopped == "switched off" and self.pending:
            # what waits was said before that, too
            new, self.pending = [*self.pending.uuids], None
        if run.stopped in self.final:
            self._move_cursor(new[-1])
            self._turns = 0
        try:
            if run.files or run.notes or run.stopped == "error":
                self.host.on_end(run)
        # what it wrote is written, and not to be written again
        except Exception as error:
            failed = events.NoticeFailed(reason=self._in_words(error))
            self.runtime.events.emit(failed)

    def _reason_to_skip(
        self, new: list[str], heard: list[Message], trailing: bool
    ) -> str:
        """Return why no fork looks at these messages, or ""; only an eligible
        turn counts.

        ``heard`` are those of them that are not withheld.
        """
        store = self.context.store
        if self.host.keeps_log():
            return "daily log"
        is_off = self.context.memory is None or not self.host.enabled()
        if store is None or is_off:
            return "off"
        # the journal outlives a session
        journal = [
            {"who": one.who, "session": one.session, "turn": one.turn}
            for one in store.history()
        ]
        if agent_saved_itself(journal, self.context.session, new):
            return "direct write"
        if not heard:
            return "withheld"
        if not any(one.role == "user" and one.text for one in heard):
            return "nothing said"
        self._turns += 1
        is_early = self._turns < self.runtime.settings.extract_every_turns
        return THROTTLE if is_early and not trailing else ""

    async def _run_fork(
        self, prefix: RequestPrefix, heard: list[Message], run: Extraction
    ) -> ForkResult:
        """Have a fork save what is worth it, and note in ``run`` what it
        wrote.
        """
        runtime, context = self.runtime, self.context
        memory, settings = context.memory or Path(), runtime.settings
        store = MemoryStore(
            memory, clock=runtime.clock, settings=settings, writer=EXTRACTOR
        )
        store.notes = run.notes
        store.instructions = self.host.project_instructions()
        said = [one for one in heard if one.role == "user" and one.text]
        store.times = {one.uuid: self._time_of(one) for one in said}
        headers = scan_memory_files(
            memory, settings, hides=context.access.hides
        )
        prompt = extraction_prompt(
            runtime.prompts,
            settings,
            self._lines(heard),
            memory_directory=context.show(memory),
            manifest=format_manifest(headers, settings),
            instructions=store.instructions,
        )
        mine = fork_context(replace(context, store=store), who=EXTRACTOR)
        mine.conversation = lambda: prefix
        before = len(store.history())
        try:
            return await run_forked_agent(
                prefix,
                prompt,
                runtime,
                tools=self.tools,
                context=mine,
                purpose="extract",
                max_turns=settings.extract_max_turns,
            )
        finally:  # so that a cut-off run has it too
            for entry in store.history()[before:]:
                if (entry.who, entry.session) == (EXTRACTOR, context.session):
                    run.files |= dict.fromkeys(
                        one.file
                        for one in entry.changes
                        if one.file not in INDEXES
                    )

    def _new_in(self, prefix: RequestPrefix) -> list[str]:
        """Return the uuids of the messages after the cursor."""
        new = new_messages(messages_of(prefix), self.cursor or None)
        return [message.uuid for message in new]

    def _time_of(self, message: Message) -> datetime:
        return self.host.time_of(message.uuid) or self.runtime.clock.now()

    def _lines(self, heard: list[Message]) -> list[str]:
        """Return a line for each message in which something was said."""
        return [
            message_line(one.uuid, self._time_of(one), one.role, one.text)
            for one in heard
            if one.text
        ]

    def _move_cursor(self, uuid: str) -> None:
        self.cursor = uuid
        self.host.on_cursor(uuid)

    def _log(self, kind: type[Any], new: list[str], **about: Any) -> None:
        first, last = (new[0], new[-1]) if new else (None, None)
        event = kind(messages=len(new), first=first, last=last, **about)
        self.runtime.events.emit(event)

    def _in_words(self, error: Exception) -> str:
        return self.context.hide(f"{type(error).__name__}: {error}")


def extraction_prompt(
    prompts: Prompts, settings: Settings, lines: list[str], **blocks: str
) -> str:
    """Fill in the prompt. ``blocks`` has the memory directory as the model may
    see it, the manifest, and the project's instructions.

    Of each new message there is a line with its first words. The text itself
    is in the prefix that the fork shares with the conversation, so it is not
    sent twice.
    """
    return prompts.load(
        "extract",
        turns=str(settings.extract_max_turns),
        new_messages=block("new_messages", *lines, count=str(len(lines))),
        **{tag: block(tag, text) for tag, text in blocks.items()},
    )

"""The extractor: after a turn, a fork looks at the messages since the last run and saves memories.

A cursor keeps a message from being looked at twice. One run at a time: whoever comes meanwhile
leaves the newest conversation for one more run. Left out: sorting what has gathered, which is the
dream's work, and messages that compaction took before the turn ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab.agent.fork import ForkResult, carried_out_writes, fork_context, run_forked_agent
from memlab.agent.off_record import without_exchanges
from memlab.agent.request import RequestPrefix
from memlab.agent.tool import Tool, ToolContext
from memlab.clock import Clock
from memlab.events import EventLog
from memlab.extract.asking import extraction_prompt
from memlab.extract.store import WitnessedStore
from memlab.memdir.attribution import Heard, hear
from memlab.memdir.scan import scan_memory_files
from memlab.settings import Settings

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


@dataclass(frozen=True)
class Extraction:
    """One run: the memories it wrote, how many messages it looked at, and how it stopped.

    ``stopped`` is 'done', 'turn_limit', 'error', 'cut off' or 'switched off'; all but the first
    are explained in ``error``. ``fork`` is None for a run that did not get to its end.
    """

    files: tuple[str, ...]
    messages: int
    turns: int
    stopped: str
    error: str
    fork: ForkResult | None = None


def new_messages(prefix: RequestPrefix, cursor: str) -> tuple[str, ...]:
    """Give the uuids of the messages after the cursor; of all, if the cursor's message is gone."""
    start = prefix.uuids.index(cursor) + 1 if cursor in prefix.uuids else 0
    return prefix.uuids[start:]


@dataclass(kw_only=True, eq=False)
class Extractor:
    """A stop hook with a memory of its own: ``cursor`` names the last message dealt with.

    ``pending`` is the newest conversation that came during a run. ``times`` tells when a message
    was written, by uuid; where it does not know, the end of the turn counts. ``withheld`` gives the
    messages from which nothing may be learned. ``on_saved`` gets every run that wrote something,
    one that was cut off as well, ``on_failed`` every run that ended with an error, and
    ``on_cursor`` the cursor when it has moved. Nothing that fails in here reaches the person's
    turn.
    """

    client: AsyncAnthropic
    tools: Sequence[Tool]
    context: ToolContext
    clock: Clock
    settings: Settings
    events: EventLog
    project_instructions: Callable[[], str] | str = ""
    enabled: Callable[[], bool] = lambda: True
    on_saved: Callable[[Extraction], object] = lambda extraction: None
    on_failed: Callable[[Extraction], object] = lambda extraction: None
    on_cursor: Callable[[str], object] = lambda cursor: None
    times: Callable[[str], datetime | None] = lambda uuid: None
    withheld: Callable[[], Collection[str]] = frozenset
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
        """Deal with a turn that has ended, or leave it to the run under way."""
        if self.running:
            self.pending = prefix
            self.events.emit("extract_stashed", **_span(new_messages(prefix, self.cursor)))
            return
        self.pending = None
        self._ended = asyncio.get_running_loop().create_future()
        self._task = asyncio.current_task()
        try:
            await self._extract(prefix)
            while newest := self.pending:
                self.pending = None
                await self._extract(newest, trailing=True)
        finally:
            self._ended.set_result(None)
            self._ended = None
            self._task = None
            self._stopping = False

    def stop(self) -> None:
        """End the run under way, if there is one, because saving was switched off.

        No later run looks at its messages again. May be called from any thread; so that nothing is
        written meanwhile, ``enabled`` has to say so already.
        """
        task = self._task
        if task is not None:
            task.get_loop().call_soon_threadsafe(self._cancel, task)

    async def drain(self) -> None:
        """Wait until no run is under way; how long at most is up to the caller."""
        while self._ended:
            await asyncio.shield(self._ended)

    async def _extract(self, prefix: RequestPrefix, *, trailing: bool = False) -> None:
        """Process the messages after the cursor, once.

        If the run fails or is cut off, the cursor does not move, so the next run gets the same
        messages again. What the run raises is recorded and does not reach the person's turn; a
        cancellation does, unless it comes from ``stop``.
        """
        new = new_messages(prefix, self.cursor)
        if not new:
            return
        span = _span(new)

        try:
            shared = without_exchanges(prefix, self.withheld())
            heard = self._hear(prefix, shared, new)
            skip = self._reason_to_skip(prefix.messages[-len(new) :], heard, trailing)
        except Exception as error:  # whatever it was, the person's turn has ended well
            self.events.emit("extract_failed", reason=self._in_words(error), files="", **span)
            return
        if skip:
            self.events.emit("extract_skipped", reason=skip, **span)
            if skip != "throttle":  # the throttled messages have not been looked at yet
                self._move_cursor(new[-1])
            return

        self.events.emit("extract_started", **span)
        saved: dict[str, None] = {}  # filled while the fork runs, so that a cut-off run has it too
        fork, stopped, reason = None, "cut off", "It was cut off."
        try:
            fork = await self._run_fork(shared, heard, saved)
            stopped, reason = fork.stopped, fork.error
        except asyncio.CancelledError:
            if not self._stopping:
                raise
            self._forgive_cancellation()
            stopped, reason = "switched off", "Saving was switched off."
        except Exception as error:
            stopped, reason = "error", self._in_words(error)
        finally:  # after a cancellation, too
            if stopped != "done" and not self.enabled():
                stopped = "switched off"
            turns = fork.turns if fork else 0
            run = Extraction(tuple(saved), heard.count, turns, stopped, reason, fork)
            self._record(run, new[-1], span)

    def _record(self, run: Extraction, last: str, span: Mapping[str, Any]) -> None:
        """Say how a run ended and what it saved, and move the cursor if that was final."""
        files = ", ".join(run.files)
        if run.stopped == "done" and run.fork:
            tokens = run.fork.tokens
            hit = run.fork.hit_percent
            self.events.emit("extracted", **span, files=files, turns=run.turns, **tokens, hit=hit)
        else:
            self.events.emit("extract_failed", reason=run.error, files=files, **span)
        switched_off = run.stopped == "switched off"
        if switched_off and self.pending:  # what waits was said before that, too
            last, self.pending = self.pending.uuids[-1], None
        if switched_off or run.stopped == "done":
            self._move_cursor(last)
            self._turns = 0
        if run.files or run.stopped == "error":
            try:
                if run.files:
                    self.on_saved(run)
                if run.stopped == "error":
                    self.on_failed(run)
            except Exception as error:
                self.events.emit("notice_failed", reason=self._in_words(error))

    def _reason_to_skip(
        self, new: Sequence[Mapping[str, Any]], heard: Heard, trailing: bool
    ) -> str:
        """Give the reason to skip a turn, "" for none; only an eligible turn counts."""
        if self.context.memory is None or not self.enabled():
            return "off"
        if carried_out_writes(new, self.context):
            return "direct write"
        if heard.count == 0:
            return "withheld"
        if not heard.said:
            return "nothing said"
        self._turns += 1
        due = trailing or self._turns >= self.settings.extract_every_turns
        return "" if due else "throttle"

    def _hear(self, whole: RequestPrefix, shared: RequestPrefix, new: Sequence[str]) -> Heard:
        """Sort out who said what; ``shared`` is the conversation without what is withheld."""
        kept = set(shared.uuids)
        fresh = [uuid for uuid in new if uuid in kept]
        times = [self.times(uuid) or self.clock.now() for uuid in fresh]
        pairs = zip(whole.uuids, whole.messages, strict=True)
        withheld = [message for uuid, message in pairs if uuid not in kept]
        return hear(shared.messages, fresh, times, withheld)

    async def _run_fork(
        self, prefix: RequestPrefix, heard: Heard, saved: dict[str, None]
    ) -> ForkResult:
        """Have a fork save what is worth it; each memory is in ``saved`` once it is written."""
        memory = self.context.memory or Path()
        given = self.project_instructions
        rules = given if isinstance(given, str) else given()
        store = WitnessedStore(
            memory,
            heard,
            instructions=rules,
            clock=self.clock,
            settings=self.settings,
            allowed=self.enabled,
            saved=saved,
        )
        headers, shown = scan_memory_files(memory, self.settings), self.context.show(memory)
        context = fork_context(self.context, who="extractor", store=store)
        return await run_forked_agent(
            prefix,
            extraction_prompt(heard, shown, headers, instructions=rules, settings=self.settings),
            client=self.client,
            tools=self.tools,
            context=context,
            purpose="extract",
            max_turns=self.settings.extract_max_turns,
            clock=self.clock,
            settings=self.settings,
            events=self.events,
        )

    def _move_cursor(self, uuid: str) -> None:
        self.cursor = uuid
        self.on_cursor(uuid)

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


def _span(new: Sequence[str]) -> dict[str, Any]:
    return {"messages": len(new), "first": new[0], "last": new[-1]} if new else {"messages": 0}

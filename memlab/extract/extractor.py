"""The extractor: after a turn, a fork looks at the messages since the last run and saves memories.

A cursor keeps a message from being looked at twice. One run at a time: whoever comes meanwhile
leaves the newest conversation for one more run. Left out: sorting what has gathered, which is the
dream's work, and messages that compaction took before the turn ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab.agent.fork import ForkResult, carried_out_writes, fork_context, run_forked_agent
from memlab.agent.request import RequestPrefix
from memlab.agent.tool import Tool, ToolContext
from memlab.clock import Clock
from memlab.events import EventLog
from memlab.extract.asking import extraction_prompt
from memlab.extract.heard import Heard, hear
from memlab.extract.store import WitnessedStore
from memlab.memdir.scan import scan_memory_files
from memlab.settings import Settings

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


@dataclass(frozen=True)
class Extraction:
    """One run: the memories it wrote, how many messages it looked at, and how it stopped.

    ``stopped`` is 'done', 'turn_limit' or 'error', the latter two said in ``error``.
    """

    files: tuple[str, ...]
    messages: int
    turns: int
    stopped: str
    error: str
    fork: ForkResult


def new_messages(prefix: RequestPrefix, cursor: str) -> tuple[str, ...]:
    """Give the uuids of the messages after the cursor; of all, if the cursor's message is gone."""
    start = prefix.uuids.index(cursor) + 1 if cursor in prefix.uuids else 0
    return prefix.uuids[start:]


@dataclass(kw_only=True, eq=False)
class Extractor:
    """A stop hook with a memory of its own: ``cursor`` names the last message dealt with.

    ``pending`` is the newest conversation that came during a run. ``times`` tells when a message
    was written, by uuid; where it does not know, the end of the turn counts. ``on_saved`` gets
    every run that wrote something. Nothing that fails in here reaches the person's turn.
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
    times: Callable[[str], datetime | None] = lambda uuid: None
    cursor: str = ""
    pending: RequestPrefix | None = field(default=None, init=False)
    _turns: int = field(default=0, init=False)
    _ended: asyncio.Future[None] | None = field(default=None, init=False)

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
        self.pending, self._ended = None, asyncio.get_running_loop().create_future()
        try:
            await self._deal_with(prefix)
            while newest := self.pending:
                self.pending = None
                await self._deal_with(newest, trailing=True)
        finally:
            self._ended.set_result(None)
            self._ended = None

    async def drain(self) -> None:
        """Wait until no run is under way; how long at most is up to the caller."""
        while self._ended:
            await asyncio.shield(self._ended)

    async def _deal_with(self, prefix: RequestPrefix, *, trailing: bool = False) -> None:
        """Run over what is new, or say why not; a run that fails leaves the cursor where it was."""
        if not (new := new_messages(prefix, self.cursor)):
            return
        span = _span(new)
        try:
            times = [self.times(uuid) or self.clock.now() for uuid in new]
            heard = hear(prefix.messages, new, times)
            if reason := self._why_not(prefix, heard, trailing):
                self.events.emit("extract_skipped", reason=reason, **span)
                self.cursor = self.cursor if reason == "throttle" else new[-1]
                return
            self.events.emit("extract_started", **span)
            done = await self._run(prefix, heard)
            files = ", ".join(done.files)
            if done.stopped == "done":
                self.cursor, self._turns = new[-1], 0
                told = span | {"files": files, "turns": done.turns} | done.fork.tokens
                self.events.emit("extracted", **told, hit=done.fork.hit_percent)
            else:
                self.events.emit("extract_failed", reason=done.error, files=files, **span)
            if done.files:
                self.on_saved(done)
        except asyncio.CancelledError:
            self.events.emit("extract_failed", reason="It was cut off.", **span)
            raise
        except Exception as error:  # whatever it was, the person's turn has ended well
            reason = self.context.hide(f"{type(error).__name__}: {error}")
            self.events.emit("extract_failed", reason=reason, **span)

    def _why_not(self, prefix: RequestPrefix, heard: Heard, trailing: bool) -> str:
        """Give the reason to skip a turn, "" for none; only an eligible turn counts."""
        if self.context.memory is None or not self.enabled():
            return "off"
        if carried_out_writes(prefix.messages[-heard.count :], self.context):
            return "direct write"
        if not heard.said:
            return "nothing said"
        self._turns += 1
        due = trailing or self._turns >= self.settings.extract_every_turns
        return "" if due else "throttle"

    async def _run(self, prefix: RequestPrefix, heard: Heard) -> Extraction:
        memory = self.context.memory or Path()
        told, (clock, settings) = self.project_instructions, (self.clock, self.settings)
        rules = told if isinstance(told, str) else told()
        store = WitnessedStore(memory, heard, instructions=rules, clock=clock, settings=settings)
        headers, shown = scan_memory_files(memory, settings), self.context.show(memory)
        context = fork_context(self.context, who="extractor", store=store)
        said: list[Mapping[str, Any]] = []  # a fork that ends in a refusal keeps none of its own
        fork = await run_forked_agent(
            prefix,
            extraction_prompt(heard, shown, headers, instructions=rules, settings=settings),
            client=self.client,
            tools=self.tools,
            context=context,
            purpose="extract",
            max_turns=settings.extract_max_turns,
            clock=clock,
            settings=settings,
            events=self.events,
            on_message=said.append,
        )
        files = carried_out_writes(said, context)
        return Extraction(files, heard.count, fork.turns, fork.stopped, fork.error, fork)


def _span(new: Sequence[str]) -> dict[str, Any]:
    return {"messages": len(new), "first": new[0], "last": new[-1]} if new else {"messages": 0}

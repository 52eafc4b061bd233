"""The dreams of one conversation: healed at its start, checked for after each
turn, or asked for.

How a dream goes is in ``dream``, and when one is due in ``gates``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from memlab.agent.request import RequestPrefix
from memlab.agent.session import without_exchanges
from memlab.agent.tool import Tool, ToolContext
from memlab.dream.dream import Decide, Dream, DreamTask
from memlab.dream.gates import (
    GateReport,
    ScanThrottle,
    Situation,
    check_gates,
)
from memlab.dream.lock import ConsolidationLock
from memlab.dream.plan import WaitingReview
from memlab.dream.receipt import BECAUSE, HOW_TO_REVIEW
from memlab.dream.stage import DreamError, staged_copies, sweep_staging
from memlab.errors import MemlabError
from memlab.memdir.toggles import Toggles
from memlab.runtime import Runtime


@dataclass(kw_only=True)
class Dreams:
    """Starts dreams; ``task`` is the one under way or the newest.

    ``toggles`` is asked at each check, and by a dream before it changes
    anything. ``withheld`` is called when a dream begins: it keeps off-record
    messages out of the transcripts, and gives those of the conversation. With
    ``decide`` the person decides on each change, without it the review alone
    does. ``on_end`` gets each dream that ended.
    """

    runtime: Runtime
    tools: Sequence[Tool]
    context: ToolContext
    toggles: Callable[[], Toggles]
    withheld: Callable[[], Collection[str]]
    on_end: Callable[[DreamTask], object]
    decide: Decide | None = None
    task: DreamTask | None = None

    def __post_init__(self) -> None:
        store, sessions = self.context.store, self.context.sessions
        assert store
        assert sessions
        self.memory, self.sessions = store.directory, sessions
        self.lock = ConsolidationLock(
            self.memory,
            clock=self.runtime.clock,
            settings=self.runtime.settings,
        )
        self.waiting = WaitingReview(
            store, self.lock, sessions, self.context.is_memory
        )
        self.throttle = ScanThrottle()

    def heal(self) -> str:
        """Put right what a dream that crashed has left, and say so; "" where
        nothing was wrong.
        """
        notice = ""
        with suppress(MemlabError, OSError):
            notice = self.lock.heal() or ""
            left = staged_copies(self.memory) or self.lock.left.exists()
            if left and self.lock.try_acquire():
                try:  # no dream begins a copy meanwhile
                    sweep_staging(self.memory)
                finally:
                    self.lock.rollback()
        return notice

    def reminder(self) -> str:
        """Say that a dream waits for the person's review; "" where none does."""
        try:
            changes = self.waiting.look()
        except MemlabError as error:
            return str(error)
        if not changes:
            return ""
        at = datetime.fromisoformat(changes[0].at)
        why = changes[0].group.partition(BECAUSE)[2]
        return (
            f"The dream of {at:%Y-%m-%d %H:%M} is waiting for your review:"
            f" {why}. {HOW_TO_REVIEW}."
        )

    async def check(self, prefix: RequestPrefix) -> DreamTask | None:
        """Dream if it is time to: for the end of a turn."""
        report = self.look()
        return await self._run(report, prefix) if report else None

    async def now(
        self, prefix: RequestPrefix, *, policy: str = ""
    ) -> DreamTask:
        """Dream because a person wants it, whenever the last one was; raises
        DreamError if barred.

        ``policy`` is ``ask``, ``apply`` or ``dry_run``, instead of the usual
        one.
        """
        report = self.look(manual=True)
        if report.shut is not None:
            why = report.shut.reason.removeprefix("No dream now: ")
            raise DreamError(f"no dream now: {why}")
        return await self._run(report, prefix, policy)

    def stop(self) -> bool:
        """End the dream under way and leave memory as it was; False if there
        is none.
        """
        return self.task is not None and self.task.stop()

    def look(self, *, manual: bool = False) -> GateReport:
        """Ask the gates whether a dream is due, or may run by hand."""
        return check_gates(
            Situation(
                lock=self.lock,
                toggles=self.toggles(),
                sessions=self.sessions,
                current_session=self.context.session,
                clock=self.runtime.clock,
                settings=self.runtime.settings,
                throttle=self.throttle,
                manual=manual,
            )
        )

    async def _run(
        self, report: GateReport, prefix: RequestPrefix, policy: str = ""
    ) -> DreamTask:
        self.task = task = DreamTask()
        dream = Dream(
            runtime=self.runtime,
            tools=self.tools,
            context=self.context,
            lock=self.lock,
            policy=policy or ("ask" if self.decide else "apply"),
            decide=self.decide,
            allowed=lambda: self.toggles().auto_memory,
        )
        await dream.run(
            without_exchanges(prefix, self.withheld()),
            sessions=report.sessions,
            hours_since=report.hours_since,
            task=task,
        )
        self.on_end(task)
        return task

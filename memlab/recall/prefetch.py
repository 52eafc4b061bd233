"""Prefetch: recall runs while the main call is prepared, and its result joins the turn when ready.

What arrives within the wait goes in front of the first call, what arrives later goes with tool
results, and what arrives too late with the next turn. What a recall does is passed in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Sequence
from datetime import datetime
from typing import Any

from memlab.clock import Clock
from memlab.events import EventLog
from memlab.settings import Settings

# The person's words and the tools used lately → texts to attach.
Recall = Callable[[str, Sequence[str]], Coroutine[Any, Any, Sequence[str]]]


class Prefetch:
    """The running recalls: usually one, and an older one if that was late.

    Each ends as one event ``prefetch`` whose ``when`` is ``in time``, ``after tools``, ``late``,
    ``cancelled`` or ``failed``, and whose ``seconds`` run from its start.
    """

    def __init__(
        self, recall: Recall, *, clock: Clock, settings: Settings, events: EventLog
    ) -> None:
        self._recall, self._clock = recall, clock
        self._settings, self._events = settings, events
        self._started: dict[asyncio.Task[Sequence[str]], datetime] = {}
        self._newest: asyncio.Task[Sequence[str]] | None = None

    @property
    def tasks(self) -> tuple[asyncio.Task[Sequence[str]], ...]:
        """The recalls whose result nobody has taken yet, oldest first."""
        return tuple(self._started)

    def start(self, query: str, recent_tools: Sequence[str] = ()) -> tuple[str, ...]:
        """Begin a turn's recall; gives the results that came too late for earlier turns."""
        self._newest = None
        late = self.collect()
        work = self._recall(query, tuple(recent_tools))
        self._newest = asyncio.get_running_loop().create_task(work, name="prefetch")
        self._newest.add_done_callback(_seen)
        self._started[self._newest] = self._clock.now()
        return late

    async def wait(self) -> tuple[str, ...]:
        """Wait for this turn's recall, at most ``prefetch_wait_seconds``; gives what is there."""
        newest = [task for task in self.tasks if task is self._newest]
        await wait_within(newest, self._settings.prefetch_wait_seconds, self._clock)
        return self._take("in time")

    def collect(self) -> tuple[str, ...]:
        """Give what has arrived in the meantime, without waiting."""
        return self._take("after tools")

    def cancel(self) -> list[asyncio.Task[Sequence[str]]]:
        """Stop every recall that still runs, and give these; what has arrived already is kept."""
        running = [task for task in self.tasks if not task.done()]
        for task in running:
            task.cancel()
            self._ended(task, "cancelled")
        return running

    def _take(self, when: str) -> tuple[str, ...]:
        found: list[str] = []
        for task in self.tasks:
            if task.done():
                error = None if task.cancelled() else task.exception()
                texts = () if error or task.cancelled() else tuple(task.result())
                in_turn = when if task is self._newest else "late"
                ended = "failed" if error else "cancelled" if task.cancelled() else in_turn
                self._ended(task, ended, texts, str(error or ""))
                found += texts
        return tuple(found)

    def _ended(
        self, task: asyncio.Task[Any], when: str, texts: Sequence[str] = (), error: str = ""
    ) -> None:
        seconds = round((self._clock.now() - self._started.pop(task)).total_seconds(), 3)
        more = {"error": error} if error else {}
        self._events.emit("prefetch", when=when, seconds=seconds, found=len(texts), **more)


def _seen(task: asyncio.Task[Any]) -> None:
    """Retrieve a failure, so that asyncio does not warn about it."""
    if not task.cancelled():
        task.exception()


async def wait_within(
    tasks: Collection[asyncio.Task[Any]], seconds: float, clock: Clock
) -> list[asyncio.Task[Any]]:
    """Wait at most so many seconds until all tasks are done; gives those that are not done.

    What a task raises stays in the task.
    """
    left = [task for task in tasks if not task.done()]
    if not left or seconds <= 0:
        return left
    timer = asyncio.get_running_loop().create_task(clock.sleep(seconds), name="timer")
    try:
        while left and not timer.done():
            await asyncio.wait({timer, *left}, return_when=asyncio.FIRST_COMPLETED)
            left = [task for task in left if not task.done()]
    finally:
        timer.cancel()
    return left

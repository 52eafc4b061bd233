"""Prefetch: recall runs while the main call is prepared, and its result joins
the turn when ready.

What arrives within the wait goes in front of the first call, what arrives
later goes with tool results, and what arrives too late with the next turn.
What a recall does is passed in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memlab.clock import wait_within
from memlab.errors import pass_on_tape_miss
from memlab.events import Prefetched
from memlab.runtime import Runtime

# The person's words and the tools used lately → texts to attach.
Recall = Callable[[str, Sequence[str]], Coroutine[Any, Any, Sequence[str]]]


@dataclass(frozen=True)
class Recalled:
    """A recall that has come: ``in time``, ``after tools`` or ``late``, and
    its texts.
    """

    when: str
    texts: tuple[str, ...]


class Prefetch:
    """The running recalls: usually one, and an older one if that was late.

    Each ends as one event ``Prefetched``.
    """

    def __init__(self, recall: Recall, runtime: Runtime) -> None:
        self._recall = recall
        self._runtime = runtime
        self._started: dict[asyncio.Task[list[str]], datetime] = {}
        self._newest: asyncio.Task[list[str]] | None = None

    @property
    def tasks(self) -> tuple[asyncio.Task[list[str]], ...]:
        """The recalls whose result nobody has taken yet, oldest first."""
        return tuple(self._started)

    def start(
        self, query: str, recent_tools: Sequence[str] = ()
    ) -> tuple[Recalled, ...]:
        """Begin a turn's recall; returns what was too late for the turns
        before it.
        """
        self._newest = None
        late = self.collect()
        work = self._texts(query, tuple(recent_tools))
        self._newest = asyncio.get_running_loop().create_task(
            work, name="prefetch"
        )
        self._newest.add_done_callback(_seen)
        self._started[self._newest] = self._runtime.clock.now()
        return late

    async def _texts(
        self, query: str, recent_tools: Sequence[str]
    ) -> list[str]:
        return list(await self._recall(query, recent_tools))

    async def wait(self) -> tuple[Recalled, ...]:
        """Wait for this turn's recall, at most ``prefetch_wait_seconds``;
        returns what has come.
        """
        newest = [task for task in self.tasks if task is self._newest]
        seconds = self._runtime.settings.prefetch_wait_seconds
        await wait_within(newest, seconds, self._runtime.clock)
        return self._take("in time")

    def collect(self) -> tuple[Recalled, ...]:
        """Return what has come meanwhile, without waiting."""
        return self._take("after tools")

    def cancel(self) -> list[asyncio.Task[list[str]]]:
        """Stop every recall that still runs, and return these; what has come
        already is kept.
        """
        running = [task for task in self.tasks if not task.done()]
        for task in running:
            task.cancel()
            self._ended(task, "cancelled")
        return running

    def _take(self, when_newest: str) -> tuple[Recalled, ...]:
        running = list(self.tasks)
        texts = take_ready(running)
        arrived: list[Recalled] = []
        for task in self.tasks:
            if task in running:
                continue
            if task.cancelled():
                self._ended(task, "cancelled")
                continue
            error = task.exception()
            if error is not None:
                self._ended(task, "failed", error=error)
                continue
            when = when_newest if task is self._newest else "late"
            found = len(task.result())
            self._ended(task, when, found=found)
            arrived.append(Recalled(when, tuple(texts[:found])))
            del texts[:found]
        return tuple(arrived)

    def _ended(
        self,
        task: asyncio.Task[Any],
        when: str,
        *,
        found: int = 0,
        error: BaseException | None = None,
    ) -> None:
        """Write an event; raises what a tape misses, which is no failure of
        recall.
        """
        started = self._started.pop(task)
        seconds = round(
            (self._runtime.clock.now() - started).total_seconds(), 3
        )
        said = str(error) if error else ""
        self._runtime.events.emit(
            Prefetched(
                when=when, seconds=seconds, found=found, error=said or None
            )
        )
        pass_on_tape_miss(error)


def take_ready(recalls: list[Any]) -> list[str]:
    """Remove the tasks that have ended; return the texts that the successful
    ones found, oldest first.
    """
    texts: list[str] = []
    for recall in list(recalls):
        if not recall.done():
            continue
        recalls.remove(recall)
        if not recall.cancelled() and recall.exception() is None:
            texts += recall.result()
    return texts


def _seen(task: asyncio.Task[Any]) -> None:
    """Retrieve a failure, so that asyncio does not warn about it."""
    if not task.cancelled():
        task.exception()

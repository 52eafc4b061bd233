"""Prefetch: recall runs while the main call is prepared, and its result joins
the turn when ready.

What arrives within the wait goes in front of the first call, what arrives
later goes with tool results, and what arrives too late with the next turn.
What a recall does is passed in. Meanwhile the model may have changed, removed
or read a memory that was recalled: it is not attached any more, because its
old text would contradict what the model has just seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memlab.clock import wait_within
from memlab.errors import pass_on_tape_miss
from memlab.events import Prefetched
from memlab.recall.attach import Attachment, Surfaced
from memlab.runtime import Runtime

# The person's words and the tools used lately → what to attach.
Recall = Callable[
    [str, Sequence[str]], Coroutine[Any, Any, Sequence[Attachment]]
]


@dataclass(frozen=True)
class Recalled:
    """A recall that has come: ``in time``, ``after tools`` or ``late``, and
    what is attached of it.
    """

    when: str
    attachments: tuple[Attachment, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The reminders."""
        return tuple(one.text for one in self.attachments)


class Prefetch:
    """The running recalls: usually one, and an older one if that was late.

    ``read_files`` has the files that the model has read, each with the hash of
    what it saw. What is not attached after all is taken out of ``surfaced``,
    so that it can be recalled again. Each recall ends as one event
    ``Prefetched``.
    """

    def __init__(
        self,
        recall: Recall,
        runtime: Runtime,
        read_files: Mapping[Path, str] | None = None,
        surfaced: Surfaced | None = None,
    ) -> None:
        self._recall = recall
        self._runtime = runtime
        self._read_files = {} if read_files is None else read_files
        self._surfaced = surfaced or Surfaced()
        self._running: dict[asyncio.Task[Any], _Begun] = {}
        self._newest: asyncio.Task[Any] | None = None

    @property
    def tasks(self) -> tuple[asyncio.Task[Any], ...]:
        """The recalls whose result nobody has taken yet, oldest first."""
        return tuple(self._running)

    def start(
        self, query: str, recent_tools: Sequence[str] = ()
    ) -> tuple[Recalled, ...]:
        """Begin a turn's recall; returns what was too late for the turns
        before it.
        """
        self._newest = None
        late = self.collect()
        work = self._recall(query, tuple(recent_tools))
        task = asyncio.get_running_loop().create_task(work, name="prefetch")
        # a failure is retrieved, so that asyncio does not warn about it
        task.add_done_callback(lambda one: one.cancelled() or one.exception())
        now = self._runtime.clock.now()
        self._running[task] = _Begun(now, dict(self._read_files))
        self._newest = task
        return late

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

    def cancel(self) -> list[asyncio.Task[Any]]:
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
        found = take_ready(running)
        arrived: list[Recalled] = []
        for task in self.tasks:
            if task in running:
                continue
            if task.cancelled():
                self._ended(task, "cancelled")
            elif error := task.exception():
                self._ended(task, "failed", error=str(error))
                pass_on_tape_miss(error)
            else:
                when = when_newest if task is self._newest else "late"
                count = len(task.result())
                wanted = self._still_wanted(task, found[:count])
                del found[:count]
                self._ended(task, when, found=len(wanted))
                arrived.append(Recalled(when, wanted))
        return tuple(arrived)

    def _still_wanted(
        self, task: asyncio.Task[Any], attachments: Sequence[Attachment]
    ) -> tuple[Attachment, ...]:
        """Leave out what has changed or gone, and what the model has read,
        since the recall began.
        """
        before = self._running[task].read_files
        read = {path for path, _ in self._read_files.items() - before.items()}
        wanted: list[Attachment] = []
        for one in attachments:
            if one.header.path in read:
                continue
            if one.is_current:
                wanted.append(one)
            else:  # what it says now may be recalled
                self._surfaced.files.pop(one.filename, None)
        return tuple(wanted)

    def _ended(
        self,
        task: asyncio.Task[Any],
        when: str,
        *,
        found: int = 0,
        error: str | None = None,
    ) -> None:
        taken = self._runtime.clock.now() - self._running.pop(task).at
        seconds = round(taken.total_seconds(), 3)
        self._runtime.events.emit(
            Prefetched(when=when, seconds=seconds, found=found, error=error)
        )


@dataclass(frozen=True)
class _Begun:
    """When a recall began, and what the model had read by then."""

    at: datetime
    read_files: Mapping[Path, str]


def take_ready(recalls: list[Any]) -> list[Any]:
    """Remove the tasks that have ended; return what the successful ones
    found, oldest first.
    """
    texts: list[Any] = []
    for recall in list(recalls):
        if not recall.done():
            continue
        recalls.remove(recall)
        if not recall.cancelled() and recall.exception() is None:
            texts += recall.result()
    return texts

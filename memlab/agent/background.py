"""What goes on behind the turns: the stop hooks, which nobody waits for until
the program ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from memlab.agent.request import RequestPrefix
from memlab.clock import wait_within
from memlab.errors import TapeMiss, tape_miss
from memlab.events import BackgroundCutOff, StopHookFailed
from memlab.runtime import Runtime

StopHook = Callable[[RequestPrefix], Coroutine[Any, Any, object]]


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
        run = self._run(name, hook, prefix)
        task = asyncio.get_running_loop().create_task(run, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(
        self, name: str, hook: StopHook, prefix: RequestPrefix
    ) -> None:
        try:
            await hook(prefix)
        except Exception as error:
            self._miss = self._miss or tape_miss(error)
            what = f"{type(error).__name__}: {error}"
            self._runtime.events.emit(StopHookFailed(hook=name, error=what))

    async def drain(
        self,
        limit: float | None = None,
        also: Iterable[asyncio.Task[Any]] = (),
    ) -> tuple[str, ...]:
        """Await all hooks, and other tasks, for ``drain_seconds`` at most;
        returns what was cut off.
        """
        seconds = limit
        if seconds is None:
            seconds = self._runtime.settings.drain_seconds
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

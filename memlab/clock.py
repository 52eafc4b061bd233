"""Time: the system's clock, the course clock, and the arithmetic between dates
and file times.

Every component receives its clock. The course clock is an autojump clock: when
every task waits, time jumps to the moment at which the next one wakes. It does
not replace the event loop, which belongs to Jupyter, so it does not notice
real waits (threads, sockets).
"""

from __future__ import annotations

import asyncio
import heapq
import uuid
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

STORY_START = datetime(2026, 3, 30, 9, 0, tzinfo=UTC)
SETTLE_YIELDS = 60
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_nanoseconds(moment: datetime) -> int:
    """Give a moment as the modification time of a file, exact to the
    microsecond.
    """
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1_000


def from_nanoseconds(mtime: int) -> datetime:
    """Give the moment of a file's modification time.

    A file system may contain years that no calendar has: they become the first
    or the last moment.
    """
    try:
        return _EPOCH + timedelta(microseconds=mtime // 1_000)
    except OverflowError:
        return (datetime.max if mtime > 0 else datetime.min).replace(
            tzinfo=UTC
        )


class Clock(Protocol):
    """What memlab needs of time: the present, a way to wait, and names for new
    things.
    """

    def now(self) -> datetime:
        """Return the present, in UTC."""

    def local(self, moment: datetime) -> datetime:
        """Give a moment in the person's own time zone, which decides the day
        that it is for them.
        """

    async def sleep(self, seconds: float) -> None:
        """Wait for this number of seconds on this clock."""

    def new_id(self, prefix: str = "") -> str:
        """Give a name that this clock has given to nothing else."""


class SystemClock:
    """The real time of this machine; names come from uuid4."""

    def now(self) -> datetime:
        """Return the present, in UTC."""
        return datetime.now(UTC)

    def local(self, moment: datetime) -> datetime:
        """Give a moment in the time zone of this machine."""
        return moment.astimezone()

    async def sleep(self, seconds: float) -> None:
        """Wait for this number of real seconds."""
        await asyncio.sleep(seconds)

    def new_id(self, prefix: str = "") -> str:
        """Return a random name: the prefix with 32 hex digits, or a uuid4
        without a prefix.
        """
        return f"{prefix}{uuid.uuid4().hex}" if prefix else str(uuid.uuid4())


class CourseClock:
    """A clock that starts on the story's date; it moves when advanced, or when
    all tasks wait.

    Sleepers wake in order of time, ties in order of falling asleep, so that
    concurrent work has one order on every run. Before each jump the event loop
    gets ``SETTLE_YIELDS`` turns, so that tasks which are still able to run do.
    """

    def __init__(self, start: datetime = STORY_START) -> None:
        self._now = start
        self._sleepers: list[tuple[datetime, int, asyncio.Future[None]]] = []
        self._slept = 0
        self._named = 0
        self._pump: asyncio.Task[None] | None = None

    def now(self) -> datetime:
        """Return the present of the story, in UTC."""
        return self._now

    def local(self, moment: datetime) -> datetime:
        """Give a moment in UTC, where the story takes place."""
        return moment.astimezone(UTC)

    def new_id(self, prefix: str = "") -> str:
        """Return the next name of a counter: ``prefix0001``, or without prefix
        one like a uuid4.
        """
        self._named += 1
        if prefix:
            return f"{prefix}{self._named:04d}"
        return f"00000000-0000-4000-8000-{self._named:012d}"

    def advance(self, seconds: float) -> None:
        """Advance by this number of seconds, and wake in order all tasks that
        are due by then.

        A task that wakes sees the new present, not the moment it had asked
        for.
        """
        if seconds < 0:
            raise ValueError(
                f"time only moves forward, and {seconds} is negative"
            )
        self._now += timedelta(seconds=seconds)
        while self._sleepers and self._sleepers[0][0] <= self._now:
            _wake(heapq.heappop(self._sleepers)[2])

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has advanced by this number of seconds."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        loop = asyncio.get_running_loop()
        waker: asyncio.Future[None] = loop.create_future()
        self._slept += 1
        until = self._now + timedelta(seconds=seconds)
        heapq.heappush(self._sleepers, (until, self._slept, waker))
        if (
            self._pump is None
            or self._pump.done()
            or self._pump.get_loop() is not loop
        ):
            self._pump = loop.create_task(self._run(loop))
        await waker

    async def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._sleepers:
            for _ in range(SETTLE_YIELDS):
                await asyncio.sleep(0)
            while self._sleepers and not _waits_on(self._sleepers[0][2], loop):
                heapq.heappop(self._sleepers)
            if self._sleepers:
                until, _, waker = heapq.heappop(self._sleepers)
                self._now = max(self._now, until)
                _wake(waker)


async def wait_within(
    tasks: Collection[asyncio.Task[Any]], seconds: float, clock: Clock
) -> list[asyncio.Task[Any]]:
    """Wait until all tasks are done, for so many seconds at most; returns
    those that are not done.

    What a task raises stays in the task.
    """
    left = [task for task in tasks if not task.done()]
    if not left or seconds <= 0:
        return left
    timer = asyncio.get_running_loop().create_task(
        clock.sleep(seconds), name="timer"
    )
    try:
        while left and not timer.done():
            await asyncio.wait(
                {timer, *left}, return_when=asyncio.FIRST_COMPLETED
            )
            left = [task for task in left if not task.done()]
    finally:
        timer.cancel()
    return left


def _waits_on(
    waker: asyncio.Future[None], loop: asyncio.AbstractEventLoop
) -> bool:
    return not waker.done() and waker.get_loop() is loop


def _wake(waker: asyncio.Future[None]) -> None:
    if not waker.done() and not waker.get_loop().is_closed():
        waker.set_result(None)

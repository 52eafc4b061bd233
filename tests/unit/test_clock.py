"""The two clocks: order, jumps, cancellation, names; and file times."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memlab.clock import STORY_START, CourseClock, SystemClock, from_nanoseconds, to_nanoseconds


def played(
    work: Callable[[CourseClock, Any], Coroutine[Any, Any, None]],
) -> list[tuple[float, str]]:
    """Who woke when, with a task ``sleeper(name, seconds)``."""
    clock = CourseClock()
    log: list[tuple[float, str]] = []

    async def sleeper(name: str, *waits: float) -> None:
        for wait in waits:
            await clock.sleep(wait)
        log.append(((clock.now() - STORY_START).total_seconds(), name))

    asyncio.run(work(clock, sleeper))
    return log


@pytest.mark.behaviour("O1")
def test_sleepers_wake_in_order_of_time_and_then_of_falling_asleep() -> None:
    async def work(clock: CourseClock, sleeper: Any) -> None:
        waits = {"late": 3, "tie 1": 2, "tie 2": 2, "nested": (1, 0, 2.5), "early": 0.5}
        await asyncio.gather(
            *(sleeper(n, *(w if isinstance(w, tuple) else (w,))) for n, w in waits.items())
        )

    found = [(0.5, "early"), (2.0, "tie 1"), (2.0, "tie 2"), (3.0, "late"), (3.5, "nested")]
    assert played(work) == found


@pytest.mark.behaviour("O1")
def test_a_task_that_can_still_run_goes_before_time_does() -> None:
    async def work(clock: CourseClock, sleeper: Any) -> None:
        asleep = asyncio.create_task(sleeper("asleep", 1.0))
        for _ in range(20):
            await asyncio.sleep(0)
        await sleeper("busy")
        await asleep

    assert played(work) == [(0.0, "busy"), (1.0, "asleep")]


def test_advance_wakes_who_is_due_and_a_cancelled_sleeper_moves_nothing() -> None:
    async def work(clock: CourseClock, sleeper: Any) -> None:
        tasks = [asyncio.create_task(sleeper(f"{n}", n)) for n in (5, 15, 50)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        clock.advance(10)
        await asyncio.gather(*tasks, return_exceptions=True)
        with pytest.raises(ValueError, match="only moves forward"):
            clock.advance(-1)

    assert played(work) == [(10.0, "5"), (50.0, "50")]


def test_one_clock_serves_one_loop_after_another_also_after_one_that_died() -> None:
    clock = CourseClock()

    async def leaves_one_behind() -> None:
        task = asyncio.create_task(clock.sleep(5))
        await asyncio.sleep(0)
        del task

    asyncio.run(clock.sleep(1))
    asyncio.run(leaves_one_behind())
    asyncio.run(clock.sleep(1))
    assert (clock.now() - STORY_START).total_seconds() == 2.0


@pytest.mark.behaviour("O3")
def test_names_count_up_in_the_course_and_never_repeat_outside() -> None:
    clock, system = CourseClock(), SystemClock()
    assert clock.new_id("msg_") == "msg_0001"
    assert clock.new_id() == "00000000-0000-4000-8000-000000000002"
    assert len({system.new_id(prefix) for prefix in ("", "a-") for _ in range(100)}) == 200
    assert abs(system.now() - datetime.now(UTC)) < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("moment", "mtime"),
    [
        (datetime(1970, 1, 1, tzinfo=UTC), 0),
        (datetime(2026, 3, 29, 12, 0, 0, 1, tzinfo=UTC), 1_774_785_600_000_001_000),
        (datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), -1_000),
        (datetime.max.replace(tzinfo=UTC), 253_402_300_799_999_999_000),
    ],
)
def test_a_moment_is_a_file_time_to_the_microsecond(moment: datetime, mtime: int) -> None:
    assert to_nanoseconds(moment) == mtime
    assert from_nanoseconds(mtime) == from_nanoseconds(mtime + 999) == moment
    for odd, end in ((2**80, datetime.max), (-(2**80), datetime.min)):
        assert from_nanoseconds(odd) == end.replace(tzinfo=UTC), "no calendar has it"

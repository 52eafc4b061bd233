"""The two clocks: order, jumps, cancellation, names; and file times."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta, timezone

import pytest

from memlab.clock import (
    STORY_START,
    CourseClock,
    SystemClock,
    from_nanoseconds,
    to_nanoseconds,
)


def seconds(clock: CourseClock) -> float:
    return (clock.now() - STORY_START).total_seconds()


async def sleeper(clock: CourseClock, name: str, wait: float, log: list[tuple[float, str]]) -> None:
    await clock.sleep(wait)
    log.append((seconds(clock), name))


@pytest.mark.behaviour("O1")
def test_sleepers_wake_in_order_of_time_and_ties_in_order_of_falling_asleep() -> None:
    clock, log = CourseClock(), []

    async def run() -> None:
        waits = [("late", 3.0), ("tie 1", 2.0), ("tie 2", 2.0), ("early", 0.5)]
        await asyncio.gather(*(sleeper(clock, name, wait, log) for name, wait in waits))

    asyncio.run(run())
    assert log == [(0.5, "early"), (2.0, "tie 1"), (2.0, "tie 2"), (3.0, "late")]


@pytest.mark.behaviour("O1")
def test_a_task_that_can_still_run_goes_before_time_does() -> None:
    clock, log = CourseClock(), []

    async def busy() -> None:
        for _ in range(20):
            await asyncio.sleep(0)
        log.append((seconds(clock), "busy"))

    async def run() -> None:
        await asyncio.gather(sleeper(clock, "asleep", 1.0, log), busy())

    asyncio.run(run())
    assert log == [(0.0, "busy"), (1.0, "asleep")]


def test_nested_sleeps_add_up() -> None:
    clock = CourseClock()

    async def run() -> None:
        await clock.sleep(1)
        await clock.sleep(0)
        await clock.sleep(2.5)

    asyncio.run(run())
    assert seconds(clock) == 3.5


def test_advance_wakes_whoever_is_due_and_nobody_else() -> None:
    clock, log = CourseClock(), []

    async def run() -> None:
        due = asyncio.create_task(sleeper(clock, "due", 5, log))
        not_due = asyncio.create_task(sleeper(clock, "not due", 50, log))
        await asyncio.sleep(0)
        clock.advance(10)
        await due
        assert log == [(10.0, "due")]
        await not_due

    asyncio.run(run())
    assert log[-1] == (50.0, "not due")


def test_a_cancelled_sleeper_does_not_move_time() -> None:
    clock, log = CourseClock(), []

    async def run() -> None:
        gone = asyncio.create_task(sleeper(clock, "gone", 1, log))
        stays = asyncio.create_task(sleeper(clock, "stays", 2, log))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.gather(gone, stays, return_exceptions=True)

    asyncio.run(run())
    assert log == [(2.0, "stays")]


def test_one_clock_serves_one_event_loop_after_another() -> None:
    clock = CourseClock()
    for _ in range(3):
        asyncio.run(clock.sleep(1))
    assert seconds(clock) == 3.0


def test_a_loop_that_died_with_sleepers_does_not_hold_up_the_next() -> None:
    clock = CourseClock()

    async def leaves_one_behind() -> None:
        task = asyncio.create_task(clock.sleep(5))
        await asyncio.sleep(0)
        del task

    asyncio.run(leaves_one_behind())
    asyncio.run(clock.sleep(1))
    assert seconds(clock) == 1.0


def test_time_does_not_go_back() -> None:
    with pytest.raises(ValueError, match="only moves forward"):
        CourseClock().advance(-1)


@pytest.mark.behaviour("O3")
def test_names_count_up_and_look_like_what_they_stand_for() -> None:
    clock = CourseClock()
    assert clock.new_id("msg_") == "msg_0001"
    assert clock.new_id() == "00000000-0000-4000-8000-000000000002"


def test_the_system_clock_tells_the_time_and_never_repeats_a_name() -> None:
    clock = SystemClock()
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=5)
    names = {clock.new_id() for _ in range(100)} | {clock.new_id("a-") for _ in range(100)}
    assert len(names) == 200
    asyncio.run(clock.sleep(0))


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
    assert from_nanoseconds(mtime) == moment
    assert from_nanoseconds(mtime + 999) == moment, "what is smaller than a microsecond is cut"


def test_a_file_time_that_no_calendar_has_is_the_first_or_the_last_moment() -> None:
    assert from_nanoseconds(2**80) == datetime.max.replace(tzinfo=UTC)
    assert from_nanoseconds(-(2**80)) == datetime.min.replace(tzinfo=UTC)


def test_a_zone_makes_no_difference_to_a_file_time() -> None:
    noon = datetime(2026, 3, 29, 12, tzinfo=UTC)
    assert to_nanoseconds(noon.astimezone(timezone(timedelta(hours=9)))) == to_nanoseconds(noon)

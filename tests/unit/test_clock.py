"""The two clocks: order, jumps, cancellation, names; and file times."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from memlab import clock as clocks
from memlab.clock import STORY_START, CourseClock, SystemClock

SCENES = {
    # in order of time, and then of falling asleep
    "late 3, tie1 2, tie2 2, early 0.5": "0.5 early, 2 tie1, 2 tie2, 3 late",
    # a task that can still run goes before time does
    "asleep 1, busy 0": "0 busy, 1 asleep",
    # after 0.1 s, time is moved on by ten seconds; one who is cancelled moves nothing
    "5 5, 50 50, jump 0.1, cancelled 15": "10.1 jump, 10.1 5, 50 50",
}


@pytest.mark.behaviour("O1")
@pytest.mark.parametrize("scene", SCENES)
def test_sleepers_wake_in_order(scene: str) -> None:
    clock, log = CourseClock(), list[str]()
    asyncio.run(clock.sleep(0))  # one clock serves one loop after another

    async def sleeper(name: str, wait: str) -> None:
        for _ in range(20 if name == "busy" else 0):
            await asyncio.sleep(0)
        await clock.sleep(float(wait))
        clock.advance(10 if name == "jump" else 0)
        log.append(f"{(clock.now() - STORY_START).total_seconds():g} {name}")

    async def work() -> None:
        who = [one.split() for one in scene.split(", ")]
        tasks = [asyncio.create_task(sleeper(*one)) for one in who]
        await asyncio.sleep(0)
        if "cancelled" in scene:
            tasks[-1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(work())
    assert ", ".join(log) == SCENES[scene]
    with pytest.raises(ValueError, match="only moves forward"):
        clock.advance(-1)


@pytest.mark.behaviour("O3")
def test_names_count_up_in_the_course_and_never_repeat_outside() -> None:
    clock, system = CourseClock(), SystemClock()
    names = [clock.new_id("msg_"), clock.new_id()]
    assert names == ["msg_0001", "00000000-0000-4000-8000-000000000002"]
    assert len({system.new_id("a-") for _ in range(100)}) == 100


def test_a_moment_is_a_file_time_to_the_microsecond() -> None:
    noon = datetime(2026, 3, 29, 12, 0, 0, 1, tzinfo=UTC)
    early = datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    for moment, mtime in ((noon, 1_774_785_600_000_001_000), (early, -1_000)):
        assert clocks.to_nanoseconds(moment) == mtime
        assert clocks.from_nanoseconds(mtime + 999) == moment
    assert clocks.from_nanoseconds(2**80) == datetime.max.replace(tzinfo=UTC)

"""Prefetch on the course clock: in time, after tools, late, cancelled; and what a wait costs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

import pytest

from memlab.clock import CourseClock, wait_within
from memlab.events import Prefetched
from memlab.models.connect import make_runtime
from memlab.recall.prefetch import Prefetch, Recalled
from memlab.settings import Settings

pytestmark = pytest.mark.filterwarnings("error")


class Stage:
    """A recall that takes so many seconds, and a stopwatch."""

    def __init__(self, takes: float, wait: float = 1.0) -> None:
        self.takes, self.asked = takes, list[tuple[str, tuple[str, ...]]]()
        self.clock = CourseClock()
        self.began = self.clock.now()
        settings = Settings().with_changes(prefetch_wait_seconds=wait)
        runtime = make_runtime("offline", clock=self.clock, settings=settings)
        self.events = runtime.events
        self.prefetch = Prefetch(self.recall, runtime)

    async def recall(self, query: str, tools: Sequence[str]) -> list[str]:
        self.asked.append((query, tuple(tools)))
        await self.clock.sleep(self.takes)
        if query == "fail":
            raise RuntimeError("the disk is gone")
        return [f"about {query}"] if query != "nothing" else []

    @property
    def seconds(self) -> float:
        return round((self.clock.now() - self.began).total_seconds(), 3)

    @property
    def log(self) -> list[tuple[str, float, int]]:
        events = self.events.of(Prefetched)
        return [(one.when, one.seconds, one.found) for one in events]


def run(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    complaints: list[Any] = []

    async def main() -> Any:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        result = await work()
        for _ in range(200):
            await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return result

    result = asyncio.run(main())
    assert complaints == []
    return result


def texts(recalls: Iterable[Recalled]) -> tuple[str, ...]:
    """What these recalls attach to a turn."""
    return tuple(text for recalled in recalls for text in recalled.texts)


class TestOneTurn:
    @pytest.mark.parametrize(
        ("takes", "wait", "got", "waited", "log"),
        [
            (0.6, 1.0, ("about tides",), 0.6, [("in time", 0.6, 1)]),
            (1.0, 1.0, ("about tides",), 1.0, [("in time", 1.0, 1)]),
            (1.7, 1.0, (), 1.0, []),
            (0.6, 0.0, (), 0.0, []),
            (0.0, 1.0, ("about tides",), 0.0, [("in time", 0.0, 1)]),
        ],
    )
    def test_the_wait_is_no_longer_than_recall_takes_nor_than_the_setting(
        self, takes: float, wait: float, got: tuple[str, ...], waited: float, log: list[Any]
    ) -> None:
        stage = Stage(takes, wait)

        async def turn() -> tuple[tuple[str, ...], float]:
            assert texts(stage.prefetch.start("tides", ["Read"])) == ()
            found = texts(await stage.prefetch.wait())
            at, logged = stage.seconds, stage.log
            assert logged == log
            stage.prefetch.cancel()
            return found, at

        assert run(turn) == (got, waited)
        assert stage.asked in ([("tides", ("Read",))], [])

    @pytest.mark.behaviour("F7")
    def test_after_tools(self) -> None:
        stage = Stage(takes=2.5)

        async def turn() -> None:
            stage.prefetch.start("tides")
            assert texts(await stage.prefetch.wait()) == ()
            assert texts(stage.prefetch.collect()) == ()
            await stage.clock.sleep(3)
            assert texts(stage.prefetch.collect()) == ("about tides",)
            assert texts(stage.prefetch.collect()) == ()

        run(turn)
        assert stage.log == [("after tools", 4.0, 1)]

    def test_nothing_found_is_logged_too(self) -> None:
        stage = Stage(takes=0.2)

        async def turn() -> None:
            stage.prefetch.start("nothing")
            assert texts(await stage.prefetch.wait()) == ()

        run(turn)
        assert stage.log == [("in time", 0.2, 0)]

    def test_a_recall_that_fails_costs_the_turn_nothing(self) -> None:
        stage = Stage(takes=0.2)

        async def turn() -> None:
            stage.prefetch.start("fail")
            assert texts(await stage.prefetch.wait()) == ()

        run(turn)
        (failed,) = stage.events.of(Prefetched)
        assert failed.when == "failed"
        assert failed.error == "the disk is gone"

    def test_a_failure_nobody_waited_for_makes_no_noise(self) -> None:
        stage = Stage(takes=0.2, wait=0)

        async def turn() -> None:
            stage.prefetch.start("fail")
            await stage.clock.sleep(5)

        run(turn)


class TestLate:
    def test_what_came_after_the_turn_goes_to_the_next_one(self) -> None:
        stage = Stage(takes=2.0)

        async def turns() -> None:
            stage.prefetch.start("tides")
            await stage.prefetch.wait()
            await stage.clock.sleep(5)
            assert texts(stage.prefetch.start("ferry")) == ("about tides",)
            assert stage.log == [("late", 6.0, 1)]
            stage.takes = 0.5
            await stage.clock.sleep(4)
            assert texts(stage.prefetch.collect()) == ("about ferry",)

        run(turns)

    def test_what_is_still_under_way_then_comes_with_the_next_turns_own(self) -> None:
        stage = Stage(takes=3.0)

        async def turns() -> None:
            stage.prefetch.start("tides")
            await stage.prefetch.wait()
            stage.takes = 0.4
            assert texts(stage.prefetch.start("ferry")) == ()
            assert texts(await stage.prefetch.wait()) == ("about ferry",)
            await stage.clock.sleep(2)
            assert texts(stage.prefetch.collect()) == ("about tides",)

        run(turns)
        assert stage.log == [("in time", 0.4, 1), ("late", 3.4, 1)]


class TestCancel:
    @pytest.mark.behaviour("F7")
    def test_what_runs_is_stopped_and_what_has_come_is_kept(self) -> None:
        stage = Stage(takes=0.5, wait=0)

        async def turns() -> None:
            stage.prefetch.start("tides")
            await stage.clock.sleep(1)
            stage.takes = 60
            late = stage.prefetch.start("ferry")
            assert texts(late) == ("about tides",)
            await stage.clock.sleep(1)
            stopped = stage.prefetch.cancel()
            await asyncio.wait(stopped)
            assert [task.cancelled() for task in stopped] == [True]
            assert stage.prefetch.tasks == ()

        run(turns)
        assert stage.log == [("late", 1.0, 1), ("cancelled", 1.0, 0)]

    def test_finished_but_not_taken_survives_a_cancel(self) -> None:
        stage = Stage(takes=0.5, wait=0)

        async def turns() -> None:
            stage.prefetch.start("tides")
            await stage.clock.sleep(1)
            assert stage.prefetch.cancel() == []
            assert texts(stage.prefetch.start("ferry")) == ("about tides",)
            stage.prefetch.cancel()

        run(turns)

    def test_cancelled_in_the_wait_itself(self) -> None:
        stage = Stage(takes=0.8)

        async def turn() -> None:
            stage.prefetch.start("tides")
            await stage.prefetch.wait()

        async def abort() -> None:
            task = asyncio.create_task(turn())
            await stage.clock.sleep(0.3)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            stage.prefetch.cancel()

        run(abort)
        assert stage.log == [("cancelled", 0.3, 0)]

    def test_before_the_recall_has_begun(self) -> None:
        stage = Stage(takes=0.8)

        async def turn() -> None:
            stage.prefetch.start("tides")
            stage.prefetch.cancel()

        run(turn)
        assert stage.asked == []
        assert stage.log == [("cancelled", 0.0, 0)]


class TestWaitWithin:
    @pytest.mark.parametrize(
        ("limit", "left", "took"), [(5, 0, 2.0), (1.5, 1, 1.5), (0.5, 2, 0.5), (0, 2, 0.0)]
    )
    def test_it_waits_for_all_but_not_longer(self, limit: float, left: int, took: float) -> None:
        clock = CourseClock()
        began = clock.now()

        async def work() -> tuple[int, float]:
            tasks = [asyncio.create_task(clock.sleep(seconds)) for seconds in (1, 2)]
            not_done = await wait_within(tasks, limit, clock)
            at = (clock.now() - began).total_seconds()
            for task in tasks:
                task.cancel()
            return len(not_done), at

        assert run(work) == (left, took)

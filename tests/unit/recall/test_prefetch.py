"""Prefetch on the course clock: in time, after tools, late, cancelled; and what has changed
meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock, wait_within
from memlab.events import Prefetched
from memlab.models.connect import make_runtime
from memlab.recall.attach import Surfaced, surface
from memlab.recall.prefetch import Prefetch, Recalled
from memlab.settings import Settings
from tests.unit.recall.helpers import NOW, attachment, write

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
        self.read_files: dict[Path, str] = {}
        self.surfaced = Surfaced()
        self.prefetch = Prefetch(self.recall, runtime, self.read_files, self.surfaced)
        self.found: list[Any] = []

    async def recall(self, query: str, tools: Sequence[str]) -> list[Any]:
        self.asked.append((query, tuple(tools)))
        await self.clock.sleep(self.takes)
        if query == "fail":
            raise RuntimeError("the disk is gone")
        return self.found or [attachment(f"about {query}")]

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


@pytest.mark.parametrize(
    ("takes", "wait", "got", "waited"),
    [(0.6, 1.0, 1, 0.6), (1.0, 1.0, 1, 1.0), (1.7, 1.0, 0, 1.0), (0.6, 0.0, 0, 0.0)],
)
def test_the_wait_is_no_longer_than_recall_takes_nor_than_the_setting(
    takes: float, wait: float, got: int, waited: float
) -> None:
    stage = Stage(takes, wait)

    async def turn() -> tuple[int, float]:
        assert texts(stage.prefetch.start("tides", ["Read"])) == ()
        found = texts(await stage.prefetch.wait())
        at = stage.seconds
        assert stage.log == [("in time", takes, 1)] * got
        stage.prefetch.cancel()
        return len(found), at

    assert run(turn) == (got, waited)
    assert stage.asked in ([("tides", ("Read",))], [])


@pytest.mark.behaviour("F7")
def test_after_tools() -> None:
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


def test_a_recall_that_fails_costs_the_turn_nothing_and_makes_no_noise() -> None:
    stage = Stage(takes=0.2)

    async def turn() -> None:
        stage.prefetch.start("fail")
        assert texts(await stage.prefetch.wait()) == ()
        stage.prefetch.start("fail")
        await stage.clock.sleep(5)

    run(turn)
    (failed,) = stage.events.of(Prefetched)
    assert (failed.when, failed.error) == ("failed", "the disk is gone")


@pytest.mark.behaviour("F7")
def test_what_came_after_its_turn_goes_to_the_next_one() -> None:
    stage = Stage(takes=2.0)

    async def turns() -> None:
        stage.prefetch.start("tides")
        await stage.prefetch.wait()
        await stage.clock.sleep(5)
        assert texts(stage.prefetch.start("ferry")) == ("about tides",)
        await stage.clock.sleep(1)
        stage.takes = 0.4
        assert texts(stage.prefetch.start("boats")) == ()
        assert texts(await stage.prefetch.wait()) == ("about boats",)
        await stage.clock.sleep(2)
        assert texts(stage.prefetch.collect()) == ("about ferry",)

    run(turns)
    assert stage.log == [("late", 6.0, 1), ("in time", 0.4, 1), ("late", 3.4, 1)]


@pytest.mark.behaviour("F7")
def test_what_runs_is_stopped_and_what_has_come_is_kept() -> None:
    stage = Stage(takes=0.5, wait=0)

    async def turns() -> None:
        stage.prefetch.start("tides")
        await stage.clock.sleep(1)
        assert stage.prefetch.cancel() == []
        stage.takes = 60
        assert texts(stage.prefetch.start("ferry")) == ("about tides",)
        await stage.clock.sleep(1)
        stopped = stage.prefetch.cancel()
        await asyncio.wait(stopped)
        assert [task.cancelled() for task in stopped] == [True]
        assert stage.prefetch.tasks == ()

    run(turns)
    assert stage.log == [("late", 1.0, 1), ("cancelled", 1.0, 0)]


@pytest.mark.behaviour("F7")
def test_what_has_changed_gone_or_been_read_since_the_recall_began_is_not_attached(
    tmp_path: Path,
) -> None:
    names = ("kept.md", "changed.md", "gone.md", "read.md", "seen.md")
    headers = [write(tmp_path, name, name) for name in names]
    stage = Stage(takes=2.0)
    shown = surface(headers, stage.surfaced, now=NOW, settings=Settings())
    stage.found = list(shown.attachments)
    stage.read_files[tmp_path / "seen.md"] = "before the recall began"

    async def turn() -> list[str]:
        stage.prefetch.start("tides")
        await stage.prefetch.wait()
        write(tmp_path, "changed.md", "what the model has just written")
        (tmp_path / "gone.md").unlink()
        stage.read_files[tmp_path / "read.md"] = "now"
        await stage.clock.sleep(2)
        (recalled,) = stage.prefetch.collect()
        return [one.filename for one in recalled.attachments]

    assert run(turn) == ["kept.md", "seen.md"]
    assert stage.surfaced.files.keys() == {"kept.md", "read.md", "seen.md"}, "recalled again"
    assert stage.log == [("after tools", 3.0, 2)]


def test_a_wait_is_for_all_tasks_but_not_longer() -> None:
    clock = CourseClock()

    async def work() -> list[int]:
        tasks = [asyncio.create_task(clock.sleep(seconds)) for seconds in (1, 2)]
        left = [len(await wait_within(tasks, limit, clock)) for limit in (0, 0.5, 0.5, 5)]
        assert clock.now().second == 2
        return left

    assert run(work) == [2, 2, 1, 0]

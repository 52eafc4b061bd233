from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from memlab.dream import DreamTask
from tests.unit.agent.helpers import run
from tests.unit.dream.helpers import DreamSetup, dream_setup, dreamer


@pytest.fixture
def setup() -> Iterator[DreamSetup]:
    with dream_setup() as setup:
        yield setup


@pytest.mark.behaviour("K2")
def test_a_task_tells_live_what_its_dream_does(setup: DreamSetup) -> None:
    seen: list[tuple[str, int, int]] = []
    task = DreamTask()

    async def watched() -> None:
        running = asyncio.create_task(setup.dream().run(setup.prefix(), task=task))
        while not running.done():
            row = (task.phase, task.tool_counts.total(), len(task.files_touched))
            if seen[-1:] != [row]:
                seen.append(row)
            await asyncio.sleep(0)

    with dreamer(setup.model, *setup.merge()):
        run(watched)
    assert list(dict.fromkeys(row[0] for row in seen)) == ["starting", "updating"]
    assert task.phase == "done"
    assert seen == sorted(seen, key=lambda row: row[1:])
    assert task.tool_counts == {"Read": 3, "Write": 2}
    assert task.files_touched == ("tabs.md", "tabs-again.md")
    assert task.last_text == "Two memories of tabs are one now."
    assert task.started
    assert task.started <= setup.clock.now()


def test_a_refused_write_is_no_touch(setup: DreamSetup) -> None:
    task = setup.sleep([setup.write("../out.md", "x")], "Done.")
    assert task.files_touched == ()
    assert task.tool_counts == {"Write": 1}


@pytest.mark.behaviour("K2")
def test_the_pill_shows_only_while_it_runs(setup: DreamSetup) -> None:
    task = DreamTask()
    assert task.pill == ""
    with dreamer(setup.model, "All is well."):
        run(lambda: setup.dream().run(setup.prefix(), task=task))
    assert task.pill == ""


def test_asking_is_seen_and_over(setup: DreamSetup) -> None:
    task, seen = DreamTask(), list[bool]()

    async def decide(receipt: object) -> set[str]:
        seen.append(task.asking)
        await setup.clock.sleep(60)
        return set()

    with dreamer(setup.model, *setup.merge()):
        run(lambda: setup.dream(policy="ask", decide=decide).run(setup.prefix(), task=task))
    assert seen == [True]
    assert task.asking is False


def test_a_stop_while_asked_is_a_stop(setup: DreamSetup) -> None:
    task = DreamTask()

    async def decide(receipt: object) -> set[str]:
        task.stop()
        await asyncio.sleep(0)
        return {"tabs.md"}

    with dreamer(setup.model, *setup.merge()):
        run(lambda: setup.dream(policy="ask", decide=decide).run(setup.prefix(), task=task))
    assert task.phase == "stopped"
    assert "at the start of a line" in (setup.memory / "tabs-again.md").read_text()


def test_only_the_first_end_counts() -> None:
    task = DreamTask()
    task.end("stopped", "It was stopped.")
    task.end("done", "The dream changed 3 memories.")
    assert (task.phase, task.notice) == ("stopped", "It was stopped.")

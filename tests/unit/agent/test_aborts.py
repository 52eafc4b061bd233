"""A turn may end at any moment: the conversation is whole, nothing is pending, the next works."""

from __future__ import annotations

import asyncio
import gc
import random
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from memlab.agent.loop import Agent, Observer
from memlab.agent.permissions import main_permissions
from memlab.agent.tool import Tool
from memlab.agent.tools import standard_tools
from memlab.agent.transcript import load_transcript
from memlab.recall.prefetch import Prefetch
from memlab.settings import Settings
from tests.unit.agent.helpers import (
    AgentSetup,
    Turns,
    Watcher,
    blocks,
    check_whole,
    results,
    run,
    settle,
    text_of,
    use,
)
from tests.unit.recall.helpers import attachment

pytestmark = pytest.mark.filterwarnings("error")

BATCHES = [0, 1, *(pytest.param(batch, marks=pytest.mark.slow) for batch in range(2, 8))]
ABORTS_EACH = 25
FREE: dict[str, Any] = {"type": "object", "properties": {}}


def stage(setup: AgentSetup, wait: float, name: str) -> tuple[Agent, dict[str, bool]]:
    """An agent with a recall beside it, and a tool that takes four seconds and says so."""
    now = {"in a tool": False}

    async def recall(query: str, tools: Sequence[str]) -> list[Any]:
        await setup.clock.sleep(random.Random(name).uniform(0.2, 3))
        return [attachment("<system-reminder>\nThe tide turns at noon.\n</system-reminder>")]

    async def slow(given: Mapping[str, Any], context: Any) -> str:
        now["in a tool"] = True
        await setup.clock.sleep(4)
        now["in a tool"] = False
        return "slow and steady"

    settings = Settings().with_changes(prefetch_wait_seconds=wait)
    runtime = setup.runtime(settings=settings)
    agent = setup.agent(
        tools=(*standard_tools(), Tool("slow", "Takes its time.", FREE, slow)),
        transcript=setup.transcript(name),
        prefetch=Prefetch(recall, runtime),
    )
    return agent, now


def others() -> list[str]:
    """The tasks that still live, other than the one that asks and the clock's."""
    alive = asyncio.all_tasks() - {asyncio.current_task()}
    return [repr(task) for task in alive if "CourseClock._run" not in repr(task)]


STORY: Turns = {
    "Do it all.": [
        [
            use("Write", file_path="~/tidebook/one.txt", content="1\n"),
            use("slow"),
            use("Write", file_path="~/tidebook/two.txt", content="2\n"),
        ],
        "First the one, then the slow one, then the two: all three are done and nothing is left.",
    ],
    "Say hello.": ["Hello."],
}


async def abort(setup: AgentSetup, chance: random.Random, name: str) -> str:
    """Abort one turn at a random moment, check what is left, and give the phase it was in."""
    for file in ("one.txt", "two.txt"):
        (setup.project / file).unlink(missing_ok=True)
    setup.context.read_files.clear()
    agent, now = stage(setup, chance.choice([0.0, 1.0]), name)
    asked = len(setup.model.requests)
    task = asyncio.create_task(agent.run_turn("Do it all."))
    await setup.clock.sleep(chance.choice([0.0, chance.uniform(0, 1), chance.uniform(1, 9)]))
    for _ in range(chance.randrange(60)):
        await asyncio.sleep(0)
    if task.done() or not agent.messages:
        phase = "after the turn" if task.done() else "before the turn"
    elif len(setup.model.requests) == asked:
        phase = "before the call"
    else:
        phase = "in a tool" if now["in a tool"] else "in the stream"
    by_hand = chance.random() < 0.5
    agent.interrupt() if by_hand else task.cancel()
    try:
        result = await task
        assert (result.stop_reason == "interrupted") is (phase != "after the turn")
    except asyncio.CancelledError:
        assert not by_hand
    await settle()
    assert others() == []
    check_whole(agent)
    told = {block["tool_use_id"]: block for block in results(agent)}
    called = [call for message in agent.messages for call in blocks(message, "tool_use")]
    for call, file in zip(called[::2], ("one.txt", "two.txt"), strict=False):
        written = (setup.project / file).exists()
        assert told[call["id"]].get("is_error", False) is not written
    assert (await agent.run_turn("Say hello.")).text == "Hello."
    assert await agent.drain() == ()
    check_whole(agent)
    return phase


@pytest.mark.parametrize("batch", BATCHES)
def test_a_turn_can_be_aborted_at_any_moment(setup: AgentSetup, batch: int) -> None:
    with warnings.catch_warnings():  # what other tests have left
        warnings.simplefilter("ignore")
        gc.collect()
    setup.plays(STORY)
    chance = random.Random(batch)

    async def all_aborts() -> Counter[str]:
        names = [f"session-{batch}-{number}" for number in range(ABORTS_EACH)]
        return Counter([await abort(setup, chance, name) for name in names])

    phases = run(all_aborts)
    gc.collect()
    print(dict(sorted(phases.items())))
    assert {"before the call", "in the stream", "in a tool"} <= set(phases)
    assert phases["after the turn"] < ABORTS_EACH / 5


class TestWhatIsSaid:
    def test_an_aborted_call_is_answered_and_a_finished_one_keeps_its_result(
        self, setup: AgentSetup
    ) -> None:
        setup.plays(STORY)
        agent, now = stage(setup, 0, "told")

        async def until_in_the_tool() -> None:
            task = asyncio.create_task(agent.run_turn("Do it all."))
            while not now["in a tool"]:
                await setup.clock.sleep(0.1)
            agent.interrupt()
            result = await task
            assert (result.stop_reason, result.error) == ("interrupted", "Interrupted.")

        run(until_in_the_tool)
        done, slow, second = results(agent)
        assert done["content"] == "Wrote ~/tidebook/one.txt, 1 line."
        assert slow["content"].startswith("The person interrupted")
        assert (slow["is_error"], second["is_error"]) == (True, True)
        assert "The person interrupted" in text_of(agent.messages[-1])

    def test_what_was_said_before_the_abort_is_kept(self, setup: AgentSetup) -> None:
        setup.plays({"Tell me.": ["Kayaks are boats with one hole, canoes have a larger one."]})
        watcher = Watcher()
        heard = watcher.texts
        agent = setup.agent(observer=watcher)

        async def until_heard() -> None:
            task = asyncio.create_task(agent.run_turn("Tell me."))
            while not heard:
                await setup.clock.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        run(until_heard)
        assert text_of(agent.messages[1]) == "".join(heard)
        assert text_of(agent.messages[1]).startswith("Kayaks are")

    def test_ctrl_c_inside_a_tool(self, setup: AgentSetup) -> None:
        def keys(given: Mapping[str, Any], context: Any) -> str:
            raise KeyboardInterrupt

        setup.plays(
            {"Try it.": [[use("keys"), use("Glob", pattern="*")]], "Say hello.": ["Hello."]}
        )
        agent = setup.agent(
            tools=(*standard_tools(), Tool("keys", "…", FREE, keys)), transcript=setup.transcript()
        )
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(agent.run_turn("Try it."))
        check_whole(agent)
        assert [result["is_error"] for result in results(agent)] == [True, True]
        assert run(lambda: agent.run_turn("Say hello.")).text == "Hello."

    def test_ctrl_c_while_the_person_is_asked(self, setup: AgentSetup) -> None:
        asked = asyncio.Event()

        async def ask(question: str) -> bool:
            asked.set()
            await asyncio.Event().wait()
            return True

        setup.plays({"Write it.": [[use("Write", file_path="x.txt", content="x")]]})
        agent = setup.agent(permission=main_permissions(setup.context, ask))

        async def until_asked() -> None:
            task = asyncio.create_task(agent.run_turn("Write it."))
            await asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert others() == []

        run(until_asked)
        check_whole(agent)
        assert not (setup.project / "x.txt").exists()

    def test_a_turn_whose_coroutine_is_closed(self, setup: AgentSetup) -> None:
        agent, _ = stage(setup, 1, "closed")

        async def close_it() -> None:
            turn = agent.run_turn("Do it all.")
            turn.send(None)
            turn.close()
            await settle()
            assert others() == []

        run(close_it)
        check_whole(agent)
        assert agent.messages[0]["content"] == "Do it all."

    def test_an_error_of_ours_leaves_a_whole_conversation_too(self, setup: AgentSetup) -> None:
        setup.plays(STORY)

        class BrokenScreen(Observer):
            def on_text(self, text: str) -> None:
                raise OSError("the terminal is gone")

        agent = setup.agent(observer=BrokenScreen(), transcript=setup.transcript())
        with pytest.raises(OSError, match="terminal"):
            run(lambda: agent.run_turn("Say hello."))
        check_whole(agent)

    def test_killed_between_call_and_result_then_resumed(self, setup: AgentSetup) -> None:
        setup.plays(STORY)
        agent, now = stage(setup, 0, "killed")
        assert agent.transcript

        async def as_it_was_in_the_tool() -> bytes:
            task = asyncio.create_task(agent.run_turn("Do it all."))
            while not now["in a tool"]:
                await setup.clock.sleep(0.1)
            assert agent.transcript
            content = agent.transcript.path.read_bytes()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return content

        agent.transcript.path.write_bytes(run(as_it_was_in_the_tool))
        loaded = load_transcript(agent.transcript.path)
        assert blocks(loaded.messages[-1], "tool_use")
        again = setup.agent(
            transcript=setup.transcript("killed", parent=loaded.uuids[-1]), history=loaded
        )
        check_whole(again)
        assert [block["content"].split(".")[0] for block in results(again)] == [
            "The session ended before a result was written down"
        ] * 3
        assert run(lambda: again.run_turn("Say hello.")).text == "Hello."
        check_whole(again)

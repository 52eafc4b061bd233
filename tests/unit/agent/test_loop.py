"""The loop: what is sent, in which order tools run, and how a turn can end."""

from __future__ import annotations

import asyncio
import json
import random
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from memlab.agent.tool import Tool
from memlab.agent.tools import standard_tools
from memlab.agent.transcript import load_transcript
from memlab.events import Prefetched
from memlab.models import FAULTS, Latency
from memlab.models.wire import Reply
from memlab.recall.prefetch import Prefetch
from tests.house import House, check_whole, results, run, use, words
from tests.unit.recall.helpers import header

READS = [use("Read", file_path="~/tidebook/a.py"), use("Read", file_path="b.py")]
MARK = pytest.mark
ABORTS = [9, pytest.param(30, marks=MARK.slow), pytest.param(300, marks=MARK.soak)]
TOLD = "many|overload|failed|refused|in time|reached|broke|overload|declined|cut"


@pytest.fixture
def two(house: House) -> House:
    """A project with two files, which the model compares."""
    (house.project / "a.py").write_text("first = 1\n")
    (house.project / "b.py").write_text("second = 2\n")
    house.plays({"Compare them.": [READS, "They differ."], "Say hello.": ["Hello."]})
    return house


def other(work: Any) -> tuple[Tool, ...]:
    """The six tools and one of another origin."""
    schema = {"type": "object", "properties": {}}
    return (*standard_tools(), Tool("other", "Not ours.", schema, work))


@pytest.mark.behaviour("O4", "G1")
def test_each_request_begins_with_the_one_before(two: House) -> None:
    def broken(given: Any, context: Any) -> str:
        raise OSError(f"lost {context.project}/x.py")

    path = {"file_path": "~/tidebook/c.py"}
    writes = use("Write", **path, content="3\n")
    calls = [use("other"), use("Fly"), writes, use("Read", **path)]
    two.plays({"Try.": [calls, "Tried."], "Again.": [READS, READS, "Never said."]})
    agent = two.agent(system="S" * 5_000, tools=other(broken), max_turns=2)
    result = run(agent.run_turn("Compare them.", ["<system-reminder>"]))
    assert (result.text, result.stop_reason) == ("They differ.", "end_turn")
    assert words(agent.messages[0]).endswith("<system-reminder>\nCompare them.")
    run(agent.run_turn("Try."))
    shown = [one["content"] for one in results(agent)]  # in the order asked
    assert [shown[n][7:] for n in (0, 1, 5)] == ["first = 1", "second = 2", "3"]
    assert "OSError: lost ~/tidebook/x.py" in shown[2]
    assert "There is no tool 'Fly'" in shown[3]
    for last, one in pairwise(one.account for one in two.model.requests):
        assert one.read == last.read + last.created
    for body in two.sent():  # a mark behind the system prompt, and one behind the last message
        assert "cache_control" in body["system"][-1]
        assert "cache_control" in body["messages"][-1]["content"][-1]
        assert json.dumps(body).count("cache_control") == 2
        assert str(two.home) not in json.dumps(body)
    result = run(agent.run_turn("Again."))
    assert (result.stop_reason, result.calls) == ("turn_limit", 2)


@pytest.mark.parametrize("row", [*zip(FAULTS, TOLD.split("|"), strict=False)])
def test_after_a_fault_the_next_turn_works(two: House, row: tuple[str, str]) -> None:
    fault, told = row
    fails = other(lambda given, context: two.model.faults.add(fault))
    agent = two.agent(transcript=two.transcript(), tools=fails)
    two.plays({"Later.": [[use("other")], "Kayaks have one hole, canoes a wide one."]})
    two.model.faults.add(fault)
    for number, said in enumerate(("Compare them.", "Later.")):
        result = run(agent.run_turn(said))
        assert (told in result.error, len(result.tools_used)) == (True, number)
        check_whole(agent)
        two.model.faults.clear()
        assert run(agent.run_turn("Say hello.")).text == "Hello."
        # what was asked stays, so that "go on" works; what the model declined goes
        assert (said in json.dumps(two.sent()[-1])) is (fault != "refusal")
    text = json.dumps(agent.messages)
    assert (fault in ("cut_stream", "stream_error")) is ("is incomplete" in text)
    assert fault != "cut_stream" or "Kayaks have" in text


def test_half_a_call_is_not_carried_out(two: House) -> None:
    call = {"type": "tool_use", "id": "toolu_1"} | use("Write", file_path="x", content="x")
    two.model.roles["main"] = lambda request: Reply([call], "max_tokens")
    result = run(two.agent().run_turn("Write it."))
    assert (bool(result.error), result.tools_used) == (True, ())


@pytest.mark.behaviour("G3")
def test_stop_hooks_are_awaited_for_ten_seconds(two: House) -> None:
    seen: list[Any] = []

    async def extraction(prefix: Any) -> None:
        await two.clock.sleep(9)
        seen.append(len(prefix.messages))
        raise RuntimeError("out of ink")

    async def endless(prefix: Any) -> None:
        await two.clock.sleep(3_600)

    agent = two.agent(stop_hooks=(extraction, endless))

    async def turns() -> None:
        for fault in ("overloaded", "refusal", "truncated"):  # none of these ends well
            two.model.faults.add(fault)
            assert (await agent.run_turn("Compare them.")).error
        assert (await agent.run_turn("Say hello.")).text == "Hello."
        assert not seen
        began = two.clock.now()
        assert await agent.drain() == ("endless",)
        assert (two.clock.now() - began).total_seconds() == 10

    run(turns())
    assert seen == [len(agent.messages)]
    assert {"drain_cut_off", "stop_hook_failed"} <= {one.name for one in two.events}


def recalling(house: House, seconds: float, wait: float) -> Prefetch:
    """A recall that takes so long, of which a turn awaits so much; the main call needs 1.2 s."""
    house.model.latency = {"main": Latency(1.2, 0.02)}

    async def recall(query: str, tools: Any) -> list[Any]:
        await house.clock.sleep(seconds)
        text = f"<system-reminder>\nabout: {query}\n</system-reminder>"
        return [SimpleNamespace(text=text, header=header("a.md"), is_current=True)]

    settings = house.settings.with_changes(prefetch_wait_seconds=wait)
    return Prefetch(recall, house.runtime(settings=settings))


RECALLS = "0.5 1 0.5 0 in time, 2 1 1 1 after tools, 1.1 0 0 1 late, 30 0 0 2 cancelled"


@pytest.mark.behaviour("F7")
@pytest.mark.parametrize("row", RECALLS.split(", "))
def test_a_recall_joins_the_turn_as_soon_as_it_is_there(two: House, row: str) -> None:
    seconds, wait, begins, first, when = row.split(" ", 4)
    said = {"late": "Say hello.", "cancelled": "Fail."}.get(when, "Compare them.")
    agent = two.agent(prefetch=recalling(two, float(seconds), float(wait)))
    if said == "Fail.":
        two.model.faults.add("overloaded")
    began = two.clock.now()
    run(agent.run_turn(said))
    run(agent.run_turn("Say hello."))
    waited = (two.model.requests[0].at - began).total_seconds()
    has = [f"about: {said}" in json.dumps(body) for body in two.sent()[:2]]
    assert round(waited, 2) == float(begins)
    assert has == [n >= int(first) for n in range(2)]
    assert next(iter(two.events.of(Prefetched))).when == when


@pytest.mark.parametrize("count", ABORTS)
def test_a_turn_can_be_aborted_at_any_moment(two: House, count: int) -> None:
    """It has a recall beside it, and a tool of 4 s between two writes."""
    chance, phases, in_tool = random.Random(count), set[str](), asyncio.Event()

    async def slow(given: Any, context: Any) -> None:
        in_tool.set()
        await two.clock.sleep(4)
        in_tool.clear()

    async def abort(name: str) -> None:
        files = [two.project / f"{name}.{number}" for number in range(2)]
        first, last = [use("Write", file_path=str(one), content="x") for one in files]
        two.plays({name: [[first, use("other"), last], "Done: " + "so " * 40]})
        prefetch = recalling(two, 0.7, chance.choice([0.0, 1.0]))
        more = {"tools": other(slow), "transcript": two.transcript(name)}
        agent, asked = two.agent(prefetch=prefetch, **more), len(two.model.requests)
        task = asyncio.create_task(agent.run_turn(name))
        await two.clock.sleep(chance.uniform(0, chance.choice([0, 2, 8])))
        for _ in range(chance.randrange(60)):
            await asyncio.sleep(0)
        phase = "stream" if len(two.model.requests) > asked else "before"
        phases.add("tool" if in_tool.is_set() else phase)
        hand, done = chance.random() < 0.5, task.done()
        agent.interrupt() if hand else task.cancel()
        in_tool.clear()
        [end] = await asyncio.gather(task, return_exceptions=True)
        if done or hand:
            assert end.stop_reason == ("end_turn" if done else "interrupted")
        for _ in range(2):  # each result says whether the call was carried out
            check_whole(agent)
            told = [one.get("is_error", False) for one in results(agent)] or [True] * 3
            assert [not file.exists() for file in files] == told[::2]
            assert (await agent.run_turn("Say hello.")).text == "Hello."
            assert await agent.drain() == ()

    for number in range(count):
        run(abort(f"turn-{number}"))
    assert phases == {"before", "stream", "tool"}


def test_killed_in_a_tool_it_is_resumed(two: House) -> None:
    path = two.transcript().path

    def killed(given: Any, context: Any) -> str:
        (two.folder / "killed.jsonl").write_bytes(path.read_bytes())
        raise KeyboardInterrupt

    two.plays({"Try it.": [[READS[0], use("other")]]})
    agent = two.agent(tools=other(killed), transcript=two.transcript())
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(agent.run_turn("Try it."))
    check_whole(agent)
    loaded = load_transcript(two.folder / "killed.jsonl")
    transcript = two.transcript("killed", parent=loaded.newest)
    agent = two.agent(transcript=transcript, history=loaded)
    assert ["may have run" in one["content"] for one in results(agent)] == [True, True]
    assert run(agent.run_turn("Say \ud800.")).error == ""
    check_whole(agent)

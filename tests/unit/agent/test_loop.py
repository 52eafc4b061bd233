"""The loop: what is sent, in which order tools run, and how a turn can end."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from memlab.agent.loop import AgentError
from memlab.agent.tool import Tool
from memlab.agent.tools import standard_tools
from memlab.agent.transcript import load_transcript
from memlab.events import BackgroundCutOff, Prefetched, StopHookFailed
from memlab.ledger import Ledger
from memlab.models import FAULTS, Latency
from memlab.models.connect import make_runtime
from memlab.models.wire import Reply
from memlab.recall.prefetch import Prefetch
from tests.house import House, check_whole, results, run, use, words
from tests.unit.recall.helpers import attachment

READS = [use("Read", file_path="~/tidebook/a.py"), use("Read", file_path="b.py")]
ABORTS = [9, pytest.param(30, marks=pytest.mark.slow), pytest.param(300, marks=pytest.mark.soak)]
TOLD = "many|overloaded|failed|refused|in time|reached|broke|overloaded|declined|cut"


@pytest.fixture
def two(house: House) -> House:
    """A project with two files, which the model compares."""
    (house.project / "a.py").write_text("first = 1\n")
    (house.project / "b.py").write_text("second = 2\n")
    house.plays({"Compare them.": [READS, "They differ."], "Say hello.": ["Hello."]})
    return house


def other(name: str, work: Any) -> tuple[Tool, ...]:
    """The six tools and one of another origin."""
    schema = {"type": "object", "properties": {}}
    return (*standard_tools(), Tool(name, "Not one of ours.", schema, work))


@pytest.mark.behaviour("G1")
def test_tools_run_in_the_order_asked(two: House) -> None:
    path = "~/tidebook/c.py"
    then = [use("Write", file_path=path, content="3\n"), use("Read", file_path=path)]
    two.plays({"Do both.": [then, "Done."]})
    agent = two.agent(transcript=two.transcript())
    result = run(agent.run_turn("Compare them.", ["<system-reminder>Tide.</system-reminder>"]))
    assert (result.text, result.stop_reason, result.calls) == ("They differ.", "end_turn", 2)
    assert [one["role"] for one in agent.messages] == ["user", "assistant"] * 2
    assert words(agent.messages[0]).endswith("</system-reminder>\nCompare them.")
    shown = [one["content"] for one in agent.messages[2]["content"]]
    assert shown == ["     1\tfirst = 1", "     1\tsecond = 2"]
    run(agent.run_turn("Do both."))
    assert results(agent)[-1]["content"] == "     1\t3"
    check_whole(agent)


@pytest.mark.behaviour("G1")
def test_the_cap_and_turns_that_do_not_begin(two: House) -> None:
    two.plays({"Again.": [READS, READS, READS, "Never said."]})
    agent = two.agent(max_turns=2, transcript=two.transcript())
    result = run(agent.run_turn("Again."))
    assert (result.stop_reason, result.calls) == ("turn_limit", 2)
    assert "2 calls" in result.error
    check_whole(agent)
    two.model.latency = {"main": Latency(1.2, 0.02)}

    async def both() -> Any:
        with pytest.raises(AgentError, match="nothing"):
            await agent.run_turn("  \n")
        first = asyncio.create_task(agent.run_turn("Say \ud800 hello."))
        await asyncio.sleep(0)
        with pytest.raises(AgentError, match="under way"):
            await agent.run_turn("Say hello.")
        return await first

    assert run(both()).error == ""
    assert agent.messages[-2]["content"] == "Say ? hello."


@pytest.mark.behaviour("O4", "G1")
def test_each_request_begins_with_the_one_before(two: House) -> None:
    def broken(given: Any, context: Any) -> str:
        raise OSError(f"lost {context.project}/x.py")

    two.plays({"Try.": [[use("broken"), use("Glob", pattern="*"), use("Fly")], "Tried."]})
    ledger = Ledger()
    client = make_runtime("offline", model=two.model, ledger=ledger).client
    parts = {"runtime": two.runtime(client=client), "tools": other("broken", broken)}
    agent = two.agent(system="S" * 5_000, **parts)
    prefix = agent.prefix()
    for said in ("Try.", "Compare them.", "Say hello."):
        run(agent.run_turn(said))
    calls = list(ledger)
    assert [one.read for one in calls[1:]] == [one.read + one.created for one in calls[:-1]]
    assert calls[-1].read > 1_000
    for body in two.sent():  # a mark behind the system prompt, and one behind the last message
        assert "cache_control" in body["system"][-1]
        assert "cache_control" in body["messages"][-1]["content"][-1]
        assert json.dumps(body).count("cache_control") == 2
    sent = json.dumps(two.sent()[-1])
    assert "OSError: lost ~/tidebook/x.py" in sent
    assert "There is no tool 'Fly'" in sent
    assert str(two.home) not in sent
    assert (len(prefix.messages), "cache_control" in json.dumps(agent.messages)) == (0, False)


@pytest.mark.parametrize(("fault", "told"), [*zip(FAULTS, TOLD.split("|"), strict=False)])
def test_after_a_fault_the_next_turn_works(two: House, fault: str, told: str) -> None:
    fails = other("fails", lambda given, context: two.model.faults.add(fault))
    agent = two.agent(transcript=two.transcript(), tools=fails)
    two.plays({"Fail later.": [[use("fails")], "Kayaks have one hole, canoes a larger one."]})
    two.model.faults.add(fault)
    for said in ("Compare them.", "Fail later."):
        before = len(agent.messages)
        result = run(agent.run_turn(said))
        assert told in result.error
        assert (len(agent.messages) == before) is (fault == "refusal")
        check_whole(agent)
        two.model.faults.clear()
        assert run(agent.run_turn("Say hello.")).text == "Hello."
        # what was asked stays, so that "go on" works; what the model declined goes
        assert (said in json.dumps(two.sent()[-1])) is (fault != "refusal")
    text = json.dumps(agent.messages)
    assert (fault in ("cut_stream", "stream_error")) is ("is incomplete" in text)
    assert fault != "cut_stream" or "Kayaks have" in text


@pytest.mark.parametrize("kind", ["no end", "no JSON", "truncated"])
def test_half_a_call_is_not_carried_out(two: House, kind: str) -> None:
    def half(parts: Any, *more: Any) -> Any:
        cut = [(wait, data.replace(b'{\\"fi', b'}{\\"fi')) for wait, data in parts]
        return play(cut if kind == "no JSON" else parts[:-2], *more)

    play, write = two.model._play, use("Write", file_path="half.txt", content="x")
    two.answers("main", [write], "Done.")
    answer = two.model.roles["main"]
    if kind == "truncated":
        call = {"type": "tool_use", "id": "toolu_1", **write}
        two.model.roles["main"] = lambda request: Reply([call], "max_tokens")
    else:
        two.model._play = half  # type: ignore[method-assign]
    agent = two.agent(transcript=two.transcript())
    result = run(agent.run_turn("Write it."))
    assert (bool(result.error), result.tools_used) == (True, ())
    assert not (two.project / "half.txt").exists()
    check_whole(agent)
    two.model._play, two.model.roles["main"] = play, answer  # type: ignore[method-assign]
    assert run(agent.run_turn("Write it.")).text == "Done."


@pytest.mark.behaviour("G3")
def test_stop_hooks_are_awaited_for_ten_seconds(
    two: House,
) -> None:
    seen: list[Any] = []

    async def extraction(prefix: Any) -> None:
        await two.clock.sleep(9)
        seen.append(len(prefix.messages))
        raise RuntimeError("out of ink")

    async def endless(prefix: Any) -> None:
        try:
            await two.clock.sleep(3_600)
        finally:
            seen.append("cut off")

    agent = two.agent(stop_hooks=(extraction,))

    async def turns() -> tuple[Any, ...]:
        for fault in ("overloaded", "refusal", "truncated"):
            two.model.faults.add(fault)
            assert (await agent.run_turn("Compare them.")).error
        await agent.run_turn("Say hello.")
        count = len(agent.messages)
        agent.stop_hooks = (extraction, endless)
        assert ((await agent.run_turn("Say hello.")).text, seen) == ("Hello.", [])
        began = two.clock.now()
        left = await agent.drain()
        return count, left, (two.clock.now() - began).total_seconds()

    count, left, seconds = run(turns())
    assert (left, seconds, seen) == (("endless",), 10, [count, count + 2, "cut off"])
    assert [one.figures["tasks"] for one in two.events.of(BackgroundCutOff)] == ["endless"]
    assert [one.hook for one in two.events.of(StopHookFailed)] == ["extraction"] * 2


def recalling(house: House, seconds: float, wait: float) -> Prefetch:
    """A recall that takes so long, of which a turn awaits so much; the main call needs 1.2 s."""
    house.model.latency = {"main": Latency(1.2, 0.02)}

    async def recall(query: str, tools: Any) -> list[Any]:
        await house.clock.sleep(seconds)
        return [attachment(f"<system-reminder>\nabout: {query}\n</system-reminder>")]

    settings = house.settings.with_changes(prefetch_wait_seconds=wait)
    return Prefetch(recall, house.runtime(settings=settings))


@pytest.mark.behaviour("F7")
@pytest.mark.parametrize(
    ("seconds", "wait", "begins", "first", "when"),
    [
        *((0.5, 1.0, 0.5, 0, "in time"), (2.0, 1.0, 1.0, 1, "after tools")),
        *((1.1, 0.0, 0.0, 1, "late"), (30.0, 0.0, 0.0, 2, "cancelled")),
    ],
)
def test_a_recall_joins_the_turn_as_soon_as_it_is_there(
    two: House, seconds: float, wait: float, begins: float, first: int, when: str
) -> None:
    said = {"late": "Say hello.", "cancelled": "Fail."}.get(when, "Compare them.")
    agent = two.agent(prefetch=recalling(two, seconds, wait), transcript=two.transcript())
    if said == "Fail.":
        two.model.faults.add("overloaded")
    began = two.clock.now().timestamp()
    run(agent.run_turn(said))
    run(agent.run_turn("Say hello."))
    check_whole(agent)
    assert round(two.model.requests[0].at.timestamp() - began, 2) == begins
    has = [f"about: {said}" in json.dumps(body) for body in two.sent()[:2]]
    assert has == [number >= first for number in range(2)]
    assert next(iter(two.events.of(Prefetched))).when == when


class Aborted:
    """A turn with a recall beside it and a tool of 4 s between two writes, to be aborted."""

    def __init__(self, house: House, name: str, wait: float = 0.0) -> None:
        self.files = [house.project / f"{name}.{number}" for number in range(2)]
        one, two = [use("Write", file_path=str(file), content="x\n") for file in self.files]
        house.plays({name: [[one, use("slow"), two], "All three are done: " + "so " * 40]})
        self.in_tool = asyncio.Event()

        async def slow(given: Any, context: Any) -> None:
            self.in_tool.set()
            await house.clock.sleep(4)
            self.in_tool.clear()

        prefetch = recalling(house, 0.7, wait)
        more = {"tools": other("slow", slow), "transcript": house.transcript(name)}
        self.agent = house.agent(prefetch=prefetch, **more)
        self.turn = self.agent.run_turn(name)

    async def end(self, by: str, task: Any, done: bool = False) -> None:
        """Stop it; each result says whether the call was carried out, and the next turn works."""
        self.agent.interrupt() if by == "hand" else task.cancel()
        try:
            assert (await task).stop_reason == ("end_turn" if done else "interrupted")
        except asyncio.CancelledError:
            assert by != "hand"
        self.check()
        assert (await self.agent.run_turn("Say hello.")).text == "Hello."
        assert await self.agent.drain() == ()
        self.check()

    def check(self) -> None:
        check_whole(self.agent)
        told = [one.get("is_error", False) for one in results(self.agent)] or [True] * 3
        assert [not file.exists() for file in self.files] == told[::2]


@pytest.mark.parametrize("count", ABORTS)
def test_a_turn_can_be_aborted_at_any_moment(two: House, count: int) -> None:
    chance, phases = random.Random(count), list[str]()

    async def abort(name: str, seconds: tuple[float, float]) -> None:
        one, asked = Aborted(two, name, chance.choice([0.0, 1.0])), len(two.model.requests)
        task = asyncio.create_task(one.turn)
        await two.clock.sleep(chance.uniform(*seconds))
        for _ in range(chance.randrange(60)):
            await asyncio.sleep(0)
        is_called = len(two.model.requests) > asked
        phase = "tool" if one.in_tool.is_set() else "stream" if is_called else "before"
        phases.append("done" if task.done() else phase)
        await one.end(chance.choice(["hand", "outside"]), task, task.done())

    for number in range(count):
        run(abort(f"turn-{number}", [(0, 0), (0.5, 2), (2, 8)][number % 3]))
    assert {"before", "stream", "tool"} <= set(phases)
    assert phases.count("done") < count / 3


def test_killed_in_a_tool_it_is_resumed(two: House) -> None:
    killed = Aborted(two, "killed")
    path = two.transcript("killed").path

    async def as_it_was_in_the_tool() -> bytes:
        task = asyncio.create_task(killed.turn)
        await killed.in_tool.wait()
        content = path.read_bytes()
        await killed.end("hand", task)
        return content

    path.write_bytes(run(as_it_was_in_the_tool()))
    # who was interrupted by hand is told, and keeps what was done
    assert "Wrote" in results(killed.agent)[0]["content"]
    assert "interrupted" in words(killed.agent.messages[2])
    loaded = load_transcript(path)
    agent = two.agent(transcript=two.transcript("killed", parent=loaded.newest), history=loaded)
    check_whole(agent)
    assert [(one["is_error"], "may have run" in one["content"]) for one in results(agent)] == [
        (True, True)
    ] * 3
    assert run(agent.run_turn("Say hello.")).text == "Hello."
    check_whole(agent)


def test_ctrl_c_in_a_tool_leaves_a_whole_conversation(two: House) -> None:
    def keys(given: Any, context: Any) -> str:
        raise KeyboardInterrupt

    two.plays({"Try it.": [[use("keys"), READS[0]]]})
    agent = two.agent(tools=other("keys", keys), transcript=two.transcript())
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(agent.run_turn("Try it."))
    assert [one["is_error"] for one in results(agent)] == [True, True]
    check_whole(agent)
    assert run(agent.run_turn("Say hello.")).text == "Hello."

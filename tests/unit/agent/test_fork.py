"""The fork: the same request with one message more, fewer rights, and nothing left behind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from memlab.agent import Agent, ForkResult, fork_context, run_forked_agent, standard_tools
from memlab.agent.loop import Observer
from memlab.agent.request import RequestPrefix
from memlab.agent.tool import Tool, ToolOutcome
from memlab.events import ForkEnded, ToolDenied
from memlab.runtime import Runtime
from tests.unit.agent.helpers import AgentSetup, Turns, blocks, run, use

LONG = "".join(f"{number}: the tide turns at {number % 12} o'clock.\n" for number in range(400))
NOTE = "---\nname: short answers\ndescription: How to answer.\ntype: user\n---\nKeep it short.\n"
TALK: Turns = {
    "Read the log.": [[use("Read", file_path="~/tidebook/log.txt")], "I have read it."],
    "Thanks.": ["You are welcome."],
    "Look around.": [[use("Read", file_path="~/tidebook/log.txt")], "I have looked."],
    "Save it.": [[use("Write", file_path="{memory}/short-answers.md", content=NOTE)], "Saved."],
    "Say it in a word.": ["Tides."],
}


@pytest.fixture
def talk(setup: AgentSetup) -> AgentSetup:
    setup.file("log.txt", LONG)
    setup.memory.mkdir(parents=True)
    place = "~" + str(setup.memory).removeprefix(str(setup.home))
    setup.plays(json.loads(json.dumps(TALK).replace("{memory}", place)))
    return setup


async def fork_of(
    setup: AgentSetup,
    prefix: RequestPrefix,
    prompt: str,
    *,
    runtime: Runtime | None = None,
    **more: Any,
) -> ForkResult:
    parts: dict[str, Any] = {
        "tools": standard_tools(),
        "context": fork_context(setup.context, who="extractor"),
        "purpose": "fork",
        "max_turns": 5,
    }
    return await run_forked_agent(prefix, prompt, runtime or setup.runtime(), **parts | more)


def after_talking(
    setup: AgentSetup,
    then: Callable[[Agent], Any],
    words: Sequence[str] = ("Read the log.", "Thanks."),
) -> Any:
    async def work() -> Any:
        agent = setup.agent(transcript=setup.transcript())
        for said in words:
            await agent.run_turn(said)
        return await then(agent)

    return run(work)


def bare(body: Any) -> Any:
    """A request without its cache marks; text is blocks, however it was written."""
    if isinstance(body, list):
        return [bare(one) for one in body]
    if isinstance(body, Mapping):
        whole = {key: bare(one) for key, one in body.items() if key != "cache_control"}
        if isinstance(whole.get("content"), str) and "role" in whole:
            whole["content"] = [{"type": "text", "text": whole["content"]}]
        return whole
    return body


class TestTheRequest:
    @pytest.mark.behaviour("H1")
    def test_it_is_the_parents_up_to_the_last_message(self, talk: AgentSetup) -> None:
        agent, forked = after_talking(talk, lambda agent: _and(agent, fork_of, talk, "Go."))
        first = bare(talk.sent("fork")[0])
        parent = bare(agent.prefix().body())
        assert first["messages"][:-1] == parent["messages"]
        assert first["messages"][-1] == {"role": "user", "content": [_text("Go.")]}
        for part in ("model", "system", "tools", "max_tokens"):
            assert first[part] == parent[part]
        assert forked.stopped == "done"

    @pytest.mark.behaviour("H6")
    def test_all_up_to_the_parents_last_mark_is_read_from_the_cache(self, talk: AgentSetup) -> None:
        _, forked = after_talking(talk, lambda agent: _and(agent, fork_of, talk, "Go."))
        last = [one for one in talk.model.requests if one.purpose == "main"][-1].account
        assert forked.first is not None
        assert forked.first.read == last.read + last.created
        assert forked.first.read > 2_000
        assert forked.hit_percent > 90

    @pytest.mark.behaviour("H2")
    def test_with_one_tool_fewer_nothing_is_read(self, talk: AgentSetup) -> None:
        async def fewer(agent: Agent) -> ForkResult:
            prefix = agent.prefix()
            less = replace(prefix, tools=prefix.tools[:-1])
            return await fork_of(talk, less, "Go.", tools=standard_tools()[:-1])

        forked = after_talking(talk, fewer)
        assert forked.first.read == 0
        assert talk.model.requests[-1].account.reason == "tools_changed"


class TestWhatItLeavesBehind:
    @pytest.mark.behaviour("H1")
    def test_no_line_in_the_transcript_and_nothing_in_the_conversation(
        self, talk: AgentSetup
    ) -> None:
        async def both(agent: Agent) -> Any:
            path = agent.transcript.path if agent.transcript else None
            assert path
            lines, messages = path.read_bytes(), list(agent.messages)
            await fork_of(talk, agent.prefix(), "Look around.")
            assert path.read_bytes() == lines
            assert agent.messages == messages
            await agent.run_turn("Thanks.")  # the twin: a turn of its own does leave something
            assert path.read_bytes() != lines
            return agent

        after_talking(talk, both)

    @pytest.mark.behaviour("H1")
    def test_stop_hooks_do_not_run_for_it(self, talk: AgentSetup) -> None:
        ran: list[RequestPrefix] = []

        async def hook(prefix: RequestPrefix) -> None:
            ran.append(prefix)
            await fork_of(talk, prefix, "Look around.")

        async def work() -> None:
            agent = talk.agent(stop_hooks=[hook])
            await agent.run_turn("Thanks.")
            await agent.drain()

        run(work)
        assert len(ran) == 1
        assert [one.purpose for one in talk.model.requests] == ["main", "fork", "fork"]

    def test_what_the_parent_has_read_is_not_read_by_the_fork(self, talk: AgentSetup) -> None:
        _, forked = after_talking(talk, lambda agent: _and(agent, fork_of, talk, "Look around."))
        assert talk.context.read_files
        assert blocks(forked.messages[1], "tool_use")[0]["name"] == "Read"
        assert fork_context(talk.context, who="x").read_files == {}


class TestItsRights:
    def test_it_may_write_a_memory_and_the_journal_says_who(self, talk: AgentSetup) -> None:
        _, forked = after_talking(talk, lambda agent: _and(agent, fork_of, talk, "Save it."))
        assert forked.files == ("short-answers.md",)
        assert (forked.denied, forked.stopped) == (0, "done")
        assert talk.context.store is not None
        assert talk.context.store.history()[-1].who == "extractor"

    @pytest.mark.behaviour("H2")
    @pytest.mark.parametrize(
        ("call", "why"),
        [
            (use("Write", file_path="~/tidebook/new.py", content="x = 1"), "leads out of"),
            (use("Bash", command="rm -rf tidebook"), "rm"),
            (use("Bash", command="cat /etc/passwd"), "passwd"),
            (use("Read", file_path="/etc/passwd"), "leads elsewhere"),
            (use("mcp__boats__rent", boat="seal"), "cannot be used in the background"),
            (use("Task", prompt="fork again"), "cannot be used in the background"),
        ],
        ids=lambda value: value["name"] if isinstance(value, dict) else "",
    )
    def test_a_refusal_is_a_result_that_the_model_reads(
        self, talk: AgentSetup, call: dict[str, Any], why: str
    ) -> None:
        ran: list[str] = []

        def other(name: str) -> Tool:
            return Tool(name, "Not ours.", {"type": "object"}, lambda *_: str(ran.append(name)))

        others = [other("mcp__boats__rent"), other("Task")]
        tools = (*standard_tools(), *others)
        talk.plays({"Try.": [[call], "So be it."]})

        async def work() -> ForkResult:
            agent = talk.agent(tools=tools)
            await agent.run_turn("Thanks.")
            return await fork_of(talk, agent.prefix(), "Try.", tools=tools)

        forked = run(work)
        answer = blocks(forked.messages[2], "tool_result")[0]
        assert answer["is_error"]
        assert why in answer["content"]
        assert (forked.denied, forked.text, ran) == (1, "So be it.", [])
        denied = talk.events.of(ToolDenied)
        assert [(one.by, one.tool) for one in denied] == [("fork", call["name"])]
        assert not (talk.project / "new.py").exists()
        assert talk.project.exists()

    def test_the_shell_it_has_reads_where_it_may(self, talk: AgentSetup) -> None:
        talk.plays({"Count.": [[use("Bash", command="grep -c tide log.txt")], "Counted."]})
        _, forked = after_talking(talk, lambda agent: _and(agent, fork_of, talk, "Count."))
        assert blocks(forked.messages[2], "tool_result")[0]["content"] == "400"


class TestHowItEnds:
    def test_at_its_turn_cap(self, talk: AgentSetup) -> None:
        again = [use("Glob", pattern="*.py")]
        talk.plays({"Again.": [again, again, again, "Never."]})
        more = {"max_turns": 2}
        _, forked = after_talking(talk, lambda agent: _and(agent, fork_of, talk, "Again.", **more))
        assert (forked.stopped, forked.turns) == ("turn_limit", 2)
        assert forked.error == "It reached its limit of 2 turns."

    @pytest.mark.parametrize(
        ("fault", "why"),
        [
            ("overloaded", "overloaded"),
            ("timeout", "did not answer"),
            ("cut_stream", "broke off"),
            ("refusal", "declined"),
            ("truncated", "cut at its full length"),
        ],
    )
    def test_a_failing_call_is_told_and_harms_nothing(
        self, talk: AgentSetup, fault: str, why: str
    ) -> None:
        async def work(agent: Agent) -> ForkResult:
            talk.model.faults.add(fault, purpose="fork", times=9)
            forked = await fork_of(talk, agent.prefix(), "Look around.")
            assert (await agent.run_turn("Thanks.")).text == "You are welcome."
            return forked

        forked = after_talking(talk, work)
        assert forked.stopped == "error"
        assert why in forked.error
        assert "go on" not in forked.error

    def test_what_it_wrote_before_a_refusal_is_told(self, talk: AgentSetup) -> None:
        async def work(agent: Agent) -> ForkResult:
            class RefusedNext(Observer):
                def on_tool(self, outcome: ToolOutcome) -> None:
                    talk.model.faults.add("refusal", purpose="fork")

            return await fork_of(talk, agent.prefix(), "Save it.", observer=RefusedNext())

        forked = after_talking(talk, work)
        assert (forked.stopped, forked.files) == ("error", ("short-answers.md",))

    def test_cancelling_the_caller_cancels_it(self, talk: AgentSetup) -> None:
        async def work(agent: Agent) -> None:
            task = asyncio.create_task(fork_of(talk, agent.prefix(), "Look around."))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await agent.run_turn("Thanks.")).text == "You are welcome."

        after_talking(talk, work)

    @pytest.mark.behaviour("H6")
    def test_the_log_has_its_figures(self, talk: AgentSetup) -> None:
        _, forked = after_talking(talk, lambda agent: _and(agent, fork_of, talk, "Look around."))
        (event,) = talk.events.of(ForkEnded)
        assert event.figures == {
            "by": "fork",
            "ended": "done",
            "turns": 2,
            **forked.tokens.by_kind(),
            "hit": forked.hit_percent,
            "denied": 0,
        }


async def _and(agent: Agent, work: Any, setup: AgentSetup, prompt: str, **more: Any) -> Any:
    return agent, await work(setup, agent.prefix(), prompt, **more)


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}

"""The loop: what is sent, in which order tools run, and how a turn can end."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memlab.agent.loop import AgentError, TurnResult
from memlab.agent.tool import Tool, ToolError
from memlab.agent.tools import standard_tools
from memlab.events import BackgroundCutOff, Prefetched, StopHookFailed
from memlab.ledger import Ledger
from memlab.models import FAULTS, OfflineModel
from memlab.models.connect import choose_model, make_runtime
from memlab.recall.prefetch import Prefetch
from tests.model_server import ModelServer
from tests.unit.agent.helpers import (
    AgentSetup,
    Turns,
    Watcher,
    blocks,
    check_whole,
    results,
    run,
    text_of,
    use,
)
from tests.unit.recall.helpers import attachment

TWO_FILES: Turns = {
    "Compare them.": [
        [use("Read", file_path="~/tidebook/a.py"), use("Read", file_path="~/tidebook/b.py")],
        "They differ.",
    ],
    "Go on.": ["Gone on."],
    "Say hello.": ["Hello."],
}


@pytest.fixture
def two(setup: AgentSetup) -> AgentSetup:
    setup.file("a.py", "first = 1\n")
    setup.file("b.py", "second = 2\n")
    setup.plays(TWO_FILES)
    return setup


class TestATurn:
    @pytest.mark.behaviour("G1")
    def test_tools_run_in_the_order_asked_and_go_back_in_one_message(self, two: AgentSetup) -> None:
        agent = two.agent()
        result = run(lambda: agent.run_turn("Compare them."))
        assert result.text == "They differ."
        assert result.stop_reason == "end_turn"
        assert (result.calls, result.tools_used) == (2, ("Read", "Read"))
        assert [message["role"] for message in agent.messages] == [
            "user",
            "assistant",
            "user",
            "assistant",
        ]
        calls = [call["id"] for call in blocks(agent.messages[1], "tool_use")]
        answers = blocks(agent.messages[2], "tool_result")
        assert [answer["tool_use_id"] for answer in answers] == calls
        assert [answer["content"] for answer in answers] == [
            "     1\tfirst = 1",
            "     1\tsecond = 2",
        ]

    def test_a_later_call_of_one_answer_sees_what_an_earlier_one_did(
        self, setup: AgentSetup
    ) -> None:
        setup.plays(
            {
                "Do both.": [
                    [
                        use("Write", file_path="~/tidebook/new.txt", content="written\n"),
                        use("Read", file_path="~/tidebook/new.txt"),
                    ],
                    "Done.",
                ]
            }
        )
        agent = setup.agent()
        run(lambda: agent.run_turn("Do both."))
        assert results(agent)[1]["content"] == "     1\twritten"

    @pytest.mark.behaviour("O4")
    def test_no_path_of_this_machine_is_sent(self, two: AgentSetup) -> None:
        two.plays({"Where?": [[use("Glob", pattern="*"), use("Read", file_path="c.py")], "There."]})
        agent = two.agent()
        run(lambda: agent.run_turn("Where?"))
        sent = json.dumps([exchange.body for exchange in two.model.requests])
        assert "~/tidebook/a.py" in sent
        assert str(two.home) not in sent
        assert str(two.home) in json.dumps({"positive control": str(two.project)})

    def test_text_arrives_while_it_is_written(self, two: AgentSetup) -> None:
        watcher = Watcher()
        heard = watcher.texts
        agent = two.agent(observer=watcher)
        run(lambda: agent.run_turn("What is on Robin's mind today, apart from boats?"))
        assert len(heard) > 1
        assert "".join(heard) == text_of(agent.messages[-1])

    def test_attachments_stand_before_the_words(self, two: AgentSetup) -> None:
        agent = two.agent()
        note = "<system-reminder>\nThe tide turns.\n</system-reminder>"
        result = run(lambda: agent.run_turn("Say hello.", [note]))
        assert [block["text"] for block in blocks(agent.messages[0], "text")] == [
            note,
            "Say hello.",
        ]
        assert result.text == "Hello."

    @pytest.mark.behaviour("G1")
    def test_the_cap_ends_a_turn_and_the_next_one_works(self, two: AgentSetup) -> None:
        again = [use("Glob", pattern="*.py")]
        two.plays({"Again and again.": [again, again, again, "Never said."]})
        agent = two.agent(max_turns=2)
        result = run(lambda: agent.run_turn("Again and again."))
        assert (result.stop_reason, result.calls) == ("turn_limit", 2)
        assert "Stopped after 2 calls" in result.error
        check_whole(agent)
        assert run(lambda: agent.run_turn("Say hello.")).text == "Hello."

    def test_nothing_to_answer_and_two_turns_at_once_are_refused(self, two: AgentSetup) -> None:
        agent = two.agent()

        async def both() -> None:
            with pytest.raises(AgentError, match="nothing to answer"):
                await agent.run_turn("  \n")
            first = asyncio.create_task(agent.run_turn("Say hello."))
            await asyncio.sleep(0)
            with pytest.raises(AgentError, match="under way"):
                await agent.run_turn("Say hello.")
            assert (await first).text == "Hello."

        run(both)
        assert len(agent.messages) == 2

    def test_words_that_are_no_valid_text_are_sent_all_the_same(self, two: AgentSetup) -> None:
        agent = two.agent()
        result = run(lambda: agent.run_turn("Say \ud800 hello."))
        assert result.error == ""
        assert agent.messages[0]["content"] == "Say ? hello."


class TestTheRequest:
    def test_the_cache_is_marked_behind_system_and_last_message(self, two: AgentSetup) -> None:
        agent = two.agent()
        run(lambda: agent.run_turn("Compare them."))
        for body in two.sent():
            assert [block.get("cache_control") for block in body["system"]] == [
                {"type": "ephemeral"}
            ]
            marked = [
                (number, place)
                for number, message in enumerate(body["messages"])
                for place, block in enumerate(
                    blocks(message, "text") + blocks(message, "tool_result")
                )
                if "cache_control" in block
            ]
            last = body["messages"][-1]
            assert marked == [(len(body["messages"]) - 1, len(last["content"]) - 1)]
        assert not any(
            "cache_control" in block for one in agent.messages for block in blocks(one, "text")
        )

    def test_each_request_begins_with_the_one_before(self, two: AgentSetup) -> None:
        ledger = Ledger()
        client = make_runtime("offline", model=two.model, ledger=ledger).client
        agent = two.agent(runtime=two.runtime(client=client), system="S" * 5_000)

        async def turns() -> None:
            for words in ("Compare them.", "Go on.", "Say hello."):
                await agent.run_turn(words)

        run(turns)
        calls = list(ledger)
        assert [call.read for call in calls[1:]] == [
            call.read + call.created for call in calls[:-1]
        ]
        assert calls[-1].read > 1_000

    def test_a_fork_of_the_prefix_reads_all_that_the_parent_marked(self, two: AgentSetup) -> None:
        ledger = Ledger()
        client = make_runtime("offline", model=two.model, ledger=ledger).client
        agent = two.agent(runtime=two.runtime(client=client), system="S" * 5_000)
        run(lambda: agent.run_turn("Compare them."))
        before, prefix = list(ledger)[-1], agent.prefix()
        fork = {"role": "user", "content": "And now in one line."}
        body = type(prefix)(
            prefix.model, prefix.system, prefix.tools, (*prefix.messages, fork)
        ).body()
        run(lambda: client.messages.create(**body))
        assert list(ledger)[-1].read == before.read + before.created

    def test_a_prefix_does_not_change_with_the_conversation(self, two: AgentSetup) -> None:
        agent = two.agent()
        run(lambda: agent.run_turn("Compare them."))
        prefix = agent.prefix()
        kept = json.dumps(prefix.messages)
        run(lambda: agent.run_turn("Say hello."))
        assert json.dumps(prefix.messages) == kept
        assert len(prefix.messages) == len(prefix.uuids) == 4
        assert len(agent.prefix().messages) == 6

    def test_tools_are_named_in_one_order_with_what_they_take(self, two: AgentSetup) -> None:
        run(lambda: two.agent().run_turn("Say hello."))
        sent = two.sent()[0]["tools"]
        assert [tool["name"] for tool in sent] == ["Read", "Grep", "Glob", "Bash", "Edit", "Write"]
        assert sent[0]["input_schema"]["required"] == ["file_path"]
        assert sent[1]["input_schema"]["properties"]["output_mode"]["enum"] == [
            "files_with_matches",
            "content",
            "count",
        ]
        assert all(len(tool["description"]) > 40 for tool in sent)
        assert standard_tools() == standard_tools()

    def test_the_loopback_server_gets_the_same_requests(self, two: AgentSetup) -> None:
        def bodies(client: Any) -> list[Any]:
            agent = two.agent(runtime=two.runtime(client=client))

            async def turns() -> None:
                for words in ("Compare them.", "Say hello."):
                    assert (await agent.run_turn(words)).error == ""
                await client.close()

            first = len(two.model.requests)
            run(turns)
            return [one.body for one in two.model.requests[first:]]

        in_process = bodies(make_runtime("offline", model=two.model).client)
        two.model.latency = {}
        server = ModelServer(two.model).start()
        try:
            by_socket = bodies(make_runtime(choose_model("live", base_url=server.url)).client)
        finally:
            server.stop()
        assert len(by_socket) == 3
        assert by_socket == in_process


FAULT_WORDS = {
    "rate_limited": "Too many requests for now. Wait a minute.",
    "overloaded": "The model's service is overloaded. Wait a minute.",
    "server_error": "The model's service has failed.",
    "bad_request": "The model's service refused the request: scripted fault",
    "timeout": "The model's service did not answer in time.",
    "connect_error": "The model's service cannot be reached, or broke off.",
    "cut_stream": "The model's service cannot be reached, or broke off.",
    "stream_error": "The model's service is overloaded. Wait a minute.",
    "refusal": "The model declined.",
    "truncated": "The answer was cut at its greatest length.",
}


class TestWhenTheModelFails:
    def test_every_fault_is_in_the_table(self) -> None:
        assert set(FAULT_WORDS) == set(FAULTS) - {"bad_json"}

    @pytest.mark.parametrize("fault", FAULT_WORDS)
    @pytest.mark.parametrize("call", [1, 2])
    def test_the_person_is_told_and_the_next_turn_works(
        self, two: AgentSetup, fault: str, call: int
    ) -> None:
        agent = two.agent(transcript=two.transcript())

        async def turn() -> TurnResult:
            if call == 2:
                seen = two.events.subscribe(
                    lambda event: two.model.faults.add(fault) if event.name == "tool" else None
                )
                result = await agent.run_turn("Compare them.")
                seen()
                two.model.faults.clear()
                return result
            two.model.faults.add(fault)
            return await agent.run_turn("Compare them.")

        result = run(turn)
        assert result.error.startswith(FAULT_WORDS[fault])
        assert "/" not in result.error
        check_whole(agent)
        assert run(lambda: agent.run_turn("Say hello.")).text == "Hello."
        check_whole(agent)

    def test_half_an_answer_is_kept_and_said_to_be_half(self, two: AgentSetup) -> None:
        two.plays({"Tell me.": ["The boats are red, blue and, since the paint ran out, pink."]})
        two.model.faults.add("cut_stream")
        agent = two.agent()
        run(lambda: agent.run_turn("Tell me."))
        assert text_of(agent.messages[1]).startswith("The boats are red")
        assert "is incomplete" in text_of(agent.messages[2])

    def test_a_refused_turn_is_out_of_the_conversation(self, two: AgentSetup) -> None:
        agent = two.agent(transcript=two.transcript())
        run(lambda: agent.run_turn("Say hello."))
        two.model.faults.add("refusal")
        result = run(lambda: agent.run_turn("Compare them."))
        assert result.stop_reason == "refusal"
        assert len(agent.messages) == 2
        check_whole(agent)
        run(lambda: agent.run_turn("Go on."))
        assert "Compare them." not in json.dumps(two.sent()[-1])
        assert agent.transcript
        assert "Compare them." in agent.transcript.path.read_text(encoding="utf-8")

    def test_a_tool_call_that_was_cut_is_not_carried_out(self, two: AgentSetup) -> None:
        write = use("Write", file_path="~/tidebook/half.txt", content="x" * 9_000)
        two.plays({"Write it.": [[write], "Done."]})
        two.model.faults.add("truncated")
        agent = two.agent()
        result = run(lambda: agent.run_turn("Write it."))
        assert "cut at its greatest length" in result.error
        assert not (two.project / "half.txt").exists()
        assert result.tools_used == ()

    def test_the_turn_after_a_failure_still_holds_what_was_asked(self, two: AgentSetup) -> None:
        two.model.faults.add("overloaded")
        agent = two.agent()
        run(lambda: agent.run_turn("Compare them."))
        run(lambda: agent.run_turn("Go on."))
        assert "Compare them." in json.dumps(two.sent()[-1])


class Tampering(OfflineModel):
    """A model whose next streams are changed on the way."""

    change: Callable[[Sequence[tuple[float, bytes]]], Sequence[tuple[float, bytes]]] | None = None

    def _play(self, parts: Any, *more: Any) -> Any:
        """Answer, and change what goes over the wire."""
        return super()._play(self.change(parts) if self.change else parts, *more)


class TestStreamsThatAreNotWhole:
    @pytest.mark.parametrize(
        ("change", "told"),
        [
            (lambda parts: parts[:-2], "The model's service broke off."),
            (lambda parts: parts[:4], "The model's service broke off."),
            (
                lambda parts: [
                    (wait, data.replace(b'"{\\"fi', b'"}{\\"fi')) for wait, data in parts
                ],
                "The model's answer cannot be read.",
            ),
        ],
        ids=["without its end", "in a tool call", "tool input that is no JSON"],
    )
    def test_nothing_is_run_and_the_next_turn_works(
        self, two: AgentSetup, change: Any, told: str
    ) -> None:
        two.model = Tampering(clock=two.clock, scripts=two.model.scripts)
        two.model.change = change
        agent = two.agent(transcript=two.transcript())
        result = run(lambda: agent.run_turn("Compare them."))
        assert result.error.startswith(told)
        assert result.tools_used == ()
        check_whole(agent)
        two.model.change = None
        assert run(lambda: agent.run_turn("Compare them.")).text == "They differ."


def broken(given: Any, context: Any) -> str:
    raise RuntimeError("no such luck")


def silent(given: Any, context: Any) -> str:
    return "\n"


async def slow(given: Any, context: Any) -> str:
    await context.clock.sleep(5)
    return "after five seconds"


def flood(given: Any, context: Any) -> str:
    return "flood " * 2_000_000


FREE: dict[str, Any] = {"type": "object", "properties": {}}
OTHERS = tuple(
    Tool(run.__name__, "A tool of another origin.", FREE, run)
    for run in (broken, silent, slow, flood)
)


class TestOtherTools:
    @pytest.mark.behaviour("G1")
    @pytest.mark.parametrize(
        ("name", "told", "wrong"),
        [
            ("broken", "RuntimeError: no such luck", True),
            ("silent", "(no output)", False),
            ("slow", "after five seconds", False),
            ("unknown", "There is no tool 'unknown'. There are: Read, Grep, Glob, Bash", True),
        ],
    )
    def test_whatever_a_tool_does_the_model_gets_a_result(
        self, two: AgentSetup, name: str, told: str, wrong: bool
    ) -> None:
        two.plays({"Try it.": [[use(name)], "Tried."]})
        agent = two.agent(tools=(*standard_tools(), *OTHERS))
        assert run(lambda: agent.run_turn("Try it.")).text == "Tried."
        (result,) = results(agent)
        assert result["content"].startswith(told)
        assert result.get("is_error", False) is wrong

    def test_twelve_megabytes_are_cut_and_the_cut_is_said(self, two: AgentSetup) -> None:
        two.plays({"Try it.": [[use("flood")], "Tried."]})
        agent = two.agent(tools=OTHERS)
        run(lambda: agent.run_turn("Try it."))
        content = results(agent)[0]["content"]
        assert len(content) < 41_000
        assert content.endswith("[cut: 40000 of 12000000 bytes are shown]")

    @pytest.mark.behaviour("O4")
    def test_an_error_tells_no_path_of_this_machine(self, two: AgentSetup) -> None:
        def leaking(given: Any, context: Any) -> str:
            raise ToolError("lost", where=context.project / "x.py")

        two.plays({"Try it.": [[use("leaking")], "Tried."]})
        agent = two.agent(tools=(Tool("leaking", "…", FREE, leaking),))
        run(lambda: agent.run_turn("Try it."))
        assert results(agent)[0]["content"] == "~/tidebook/x.py: lost"


class TestStopHooks:
    @pytest.mark.behaviour("G3")
    def test_they_start_when_a_turn_ends_well_and_see_it_as_it_was(self, two: AgentSetup) -> None:
        seen: list[int] = []

        async def extraction(prefix: Any) -> None:
            await two.clock.sleep(3)
            seen.append(len(prefix.messages))

        agent = two.agent(stop_hooks=(extraction,))

        async def turns() -> tuple[str, ...]:
            await agent.run_turn("Compare them.")
            assert seen == []
            await agent.run_turn("Say hello.")
            return await agent.drain()

        assert run(turns) == ()
        assert seen == [4, 6]

    @pytest.mark.behaviour("G3")
    @pytest.mark.parametrize("fault", ["overloaded", "refusal", "truncated"])
    def test_they_do_not_start_when_it_does_not(self, two: AgentSetup, fault: str) -> None:
        async def extraction(prefix: Any) -> None:
            raise AssertionError

        agent = two.agent(stop_hooks=(extraction,))
        two.model.faults.add(fault)
        run(lambda: agent.run_turn("Say hello."))
        assert run(agent.drain) == ()
        assert two.events.of(StopHookFailed) == []

    def test_a_failing_hook_is_logged_and_harms_nothing(self, two: AgentSetup) -> None:
        async def extraction(prefix: Any) -> None:
            raise RuntimeError("out of ink")

        agent = two.agent(stop_hooks=(extraction,))

        async def turns() -> None:
            await agent.run_turn("Say hello.")
            await agent.drain()
            assert (await agent.run_turn("Go on.")).text == "Gone on."
            await agent.drain()

        run(turns)
        (first, _) = two.events.of(StopHookFailed)
        assert first.figures == {"hook": "extraction", "error": "RuntimeError: out of ink"}

    @pytest.mark.behaviour("G3")
    def test_shutdown_waits_ten_seconds_then_cuts_off_and_says_so(self, two: AgentSetup) -> None:
        ends: list[str] = []

        async def quick(prefix: Any) -> None:
            await two.clock.sleep(9)
            ends.append("quick")

        async def endless(prefix: Any) -> None:
            try:
                await two.clock.sleep(3_600)
            finally:
                ends.append("endless was cut off")

        agent = two.agent(stop_hooks=(quick, endless))

        async def turns() -> tuple[float, tuple[str, ...]]:
            await agent.run_turn("Say hello.")
            began = two.clock.now()
            left = await agent.drain()
            return (two.clock.now() - began).total_seconds(), left

        seconds, left = run(turns)
        assert (seconds, left) == (10.0, ("endless",))
        assert ends == ["quick", "endless was cut off"]
        (cut,) = two.events.of(BackgroundCutOff)
        assert cut.figures == {"after": 10.0, "tasks": "endless"}


class TestRecallBesideATurn:
    """Figures on the clock: the main call needs 1.2 s to its first word."""

    def turns(
        self, setup: AgentSetup, takes: float, wait: float, *words: str
    ) -> list[tuple[float, str]]:
        """When each request of the turns was sent, in seconds, and which reminder it held."""
        settings = setup.settings.with_changes(prefetch_wait_seconds=wait)

        async def recall(query: str, tools: Any) -> list[Any]:
            await setup.clock.sleep(takes)
            return [attachment(f"<system-reminder>\nabout: {query}\n</system-reminder>")]

        prefetch = Prefetch(recall, setup.runtime(settings=settings))
        agent = setup.agent(prefetch=prefetch, transcript=setup.transcript())
        began = setup.clock.now()

        async def all_turns() -> None:
            for said in words:
                assert (await agent.run_turn(said)).error == ""
            await agent.drain()

        run(all_turns)
        check_whole(agent)
        return [
            (round((one.at - began).total_seconds(), 2), said_of(one.body))
            for one in setup.model.requests
        ]

    def test_with_no_wait_the_main_call_starts_at_once(self, two: AgentSetup) -> None:
        sent = self.turns(two, 0.5, 0.0, "Compare them.")
        assert sent[0] == (0.0, "")
        assert sent[1][1] == "about: Compare them."
        assert [one.when for one in two.events.of(Prefetched)] == ["after tools"]

    @pytest.mark.behaviour("F7")
    def test_with_a_wait_it_starts_as_soon_as_recall_has_answered(self, two: AgentSetup) -> None:
        sent = self.turns(two, 0.5, 1.0, "Compare them.")
        assert sent[0] == (0.5, "about: Compare them.")
        assert [one.when for one in two.events.of(Prefetched)] == ["in time"]

    @pytest.mark.behaviour("F7")
    def test_with_a_slow_recall_it_starts_after_the_wait(self, two: AgentSetup) -> None:
        sent = self.turns(two, 2.0, 1.0, "Compare them.")
        assert [one[1] for one in sent] == ["", "about: Compare them."]
        assert sent[0][0] == 1.0

    @pytest.mark.behaviour("F7")
    def test_too_late_for_its_turn_it_goes_in_front_of_the_next(self, two: AgentSetup) -> None:
        sent = self.turns(two, 1.1, 0.0, "Say hello.", "Go on.")
        assert [one[1] for one in sent] == ["", "about: Say hello."]
        events = [(one.when, one.found) for one in two.events.of(Prefetched)]
        assert events == [("late", 1)]

    def test_a_failed_turn_takes_its_recall_with_it(self, two: AgentSetup) -> None:
        two.model.faults.add("overloaded")
        with pytest.raises(AssertionError, match="overloaded"):
            self.turns(two, 30.0, 0.0, "Say hello.")
        events = [(one.when, one.seconds) for one in two.events.of(Prefetched)]
        assert events == [("cancelled", 1.2)]


def said_of(body: Any) -> str:
    """The newest recall in a request."""
    found = re.findall(r"about: [^\\]+(?=\\n)", json.dumps(body))
    return str(found[-1]) if found else ""


class TestOutcomes:
    """What the tools of a turn did is part of its result."""

    def test_memory_files_that_were_written_or_removed(self, two: AgentSetup) -> None:
        memory = "~/.memlab/projects/-home-robin-tidebook/memory"
        tabs = "---\nname: Tabs\ndescription: tabs\ntype: user\n---\n\nTabs, never spaces.\n"
        gone = "---\nname: gone\ndropped: no longer wanted\n---\n"
        secret = tabs.replace("Tabs, never", "Password: hunter2hunter2, never")

        def write(file: str, text: str) -> dict[str, Any]:
            return use("Write", file_path=file, content=text)

        two.plays(
            {
                "Save it.": [
                    [write(f"{memory}/tabs.md", tabs), write(f"{memory}/deep/er.md", tabs)],
                    [write(f"{memory}/tabs.md", gone), write(f"{memory}/refused.md", secret)],
                    [write("~/tidebook/code.py", "x = 1\n"), use("Fly", to="Brannay")],
                    "Done.",
                ]
            }
        )
        watcher = Watcher()
        result = run(lambda: two.agent(observer=watcher).run_turn("Save it."))
        assert result.saved == ("deep/er.md",)
        assert result.memory_files == ("tabs.md", "deep/er.md")
        assert [outcome.status for outcome in result.outcomes] == [
            *("ran", "ran", "ran", "failed", "ran", "failed"),
        ]
        assert watcher.outcomes == result.outcomes
        assert "There is no tool 'Fly'" in result.outcomes[-1].reason

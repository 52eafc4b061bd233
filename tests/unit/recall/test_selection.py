"""The side-query against a real SDK client: what is asked, what counts, and every way to fail."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest

from memlab.clock import CourseClock
from memlab.events import MemoriesSelected
from memlab.ledger import Ledger, Tokens
from memlab.memdir.scan import MemoryHeader, format_manifest
from memlab.models import OfflineModel
from memlab.models.connect import make_runtime
from memlab.models.offline import FAULTS, Latency
from memlab.prompts.blocks import read_blocks
from memlab.recall.selection import SCHEMA, Selection, select_relevant_memories, selection_request
from memlab.settings import Settings
from tests.unit.recall.helpers import answering, choosing, client_of, header, names, run

TABS = header("tabs.md", "indentation is by tabs, quotes are single")
TIDE = header("gullwing.md", "the feed the tide times come from", days=2)
REST = [header(f"other-{number}.md", f"something else {number}", days=9) for number in range(6)]
ALL = [TABS, TIDE, *REST]
QUERY = "Where do the tide times come from?"


class SelectionSetup:
    """A course clock, a log, and one selection after the other."""

    def __init__(self, client: Any = None, latency: Mapping[str, Latency] | None = None) -> None:
        self.clock, self.ledger = CourseClock(), Ledger()
        self.model = OfflineModel(clock=self.clock, latency=latency)
        self.runtime = make_runtime("offline", model=self.model, ledger=self.ledger).with_changes(
            client=client
        )
        self.client = self.runtime.client
        self.events = self.runtime.events

    async def select(
        self, query: str = QUERY, headers: Any = ALL, settings: Settings | None = None, **more: Any
    ) -> Selection:
        return await select_relevant_memories(
            query,
            headers,
            self.runtime.with_changes(settings=settings),
            **more,
        )

    @property
    def log(self) -> list[Mapping[str, Any]]:
        return [event.figures for event in self.events.of(MemoriesSelected)]


def selected(client: Any, *given: Any, **more: Any) -> Selection:
    setup = SelectionSetup(client)
    found: Selection = run(setup.select(*given, **more))
    assert len(setup.log) == 1
    return found


class TestTheRequest:
    @pytest.mark.behaviour("F2")
    def test_it_is_short_has_a_schema_and_says_what_it_is_for(self) -> None:
        request = selection_request(
            QUERY,
            ALL,
            settings=Settings(),
            recent_tools=["Read", "Bash"],
            already_shown=["tabs.md"],
        )
        assert request["model"] == Settings().select_model
        assert request["max_tokens"] == 256
        assert request["extra_headers"] == {"X-Memlab-Purpose": "select"}
        assert request["output_config"]["format"] == {"type": "json_schema", "schema": SCHEMA}
        [system] = request["system"]
        assert read_blocks(system["text"])["manifest"][0].body == format_manifest(ALL)
        assert "at most 5" in system["text"]
        assert '{"selected_memories": []}' in system["text"]
        asked = read_blocks(request["messages"][0]["content"])
        assert {tag: found[0].body for tag, found in asked.items()} == {
            "query": QUERY,
            "already_shown": "tabs.md",
            "tools_in_use": "Read, Bash",
        }

    def test_what_varies_in_a_session_is_after_the_part_that_is_cached(self) -> None:
        first = selection_request(QUERY, ALL, settings=Settings())
        later = selection_request(
            "Which tide?",
            ALL,
            settings=Settings(),
            recent_tools=["Read"],
            already_shown=["tabs.md"],
        )
        assert first["system"] == later["system"]
        assert first["system"][-1]["cache_control"] == {"type": "ephemeral"}
        assert first["messages"] != later["messages"]

    def test_it_reaches_the_service_as_it_is_with_thinking_turned_off(self) -> None:
        asked: list[Any] = []
        selected(choosing("tabs.md", asked=asked), recent_tools=["Read"])
        built = selection_request(QUERY, ALL, settings=Settings(), recent_tools=["Read"])
        built.pop("extra_headers")
        assert asked == [{**built, "thinking": {"type": "disabled"}}]

    def test_half_a_character_in_the_query_does_not_stop_it(self) -> None:
        asked: list[Any] = []
        found = selected(choosing("tabs.md", asked=asked), "tabs \udcff?")
        assert found.by == "model"
        assert "tabs ??" in asked[0]["messages"][0]["content"]

    def test_the_ledger_knows_it_by_its_purpose(self) -> None:
        setup = SelectionSetup()
        run(setup.select())
        assert [call.purpose for call in setup.ledger] == ["select"]


class TestTheChoice:
    def test_what_the_model_names_is_chosen_in_its_order(self) -> None:
        found = selected(choosing("gullwing.md", "tabs.md"))
        assert (names(found.chosen), found.by, found.error) == (
            ["gullwing.md", "tabs.md"],
            "model",
            "",
        )
        assert found.manifest == format_manifest(ALL)

    def test_an_empty_list_is_kept(self) -> None:
        found = selected(choosing())
        assert (found.chosen, found.by) == ((), "model")
        assert names(found.fallback) == ["gullwing.md"]

    @pytest.mark.behaviour("F2")
    def test_an_invented_name_is_dropped_and_logged(self) -> None:
        setup = SelectionSetup(choosing("../secret.md", "tabs.md"))
        found = run(setup.select())
        assert names(found.chosen) == ["tabs.md"]
        assert found.invented == ("../secret.md",)
        assert setup.log[0]["invented"] == ["../secret.md"]

    @pytest.mark.behaviour("F2")
    def test_only_invented_names_are_no_answer_so_words_choose(self) -> None:
        found = selected(choosing("a.md", "b.md"))
        assert (found.by, found.error) == ("fallback", "only invented names")
        assert names(found.chosen) == names(found.fallback) == ["gullwing.md"]
        assert found.invented == ("a.md", "b.md")

    @pytest.mark.behaviour("F2")
    def test_doubles_count_once_and_more_than_five_are_cut(self) -> None:
        found = selected(choosing("tabs.md", "tabs.md", *names(REST)))
        assert names(found.chosen) == ["tabs.md", *names(REST[:4])]
        assert found.capped == tuple(names(REST[4:]))

    def test_the_limit_is_a_setting(self) -> None:
        few = Settings().with_changes(select_max_memories=1)
        found = selected(choosing("tabs.md", "gullwing.md"), settings=few)
        assert names(found.chosen) == ["tabs.md"]
        assert len(found.fallback) <= 1

    @pytest.mark.behaviour("F9")
    def test_the_log_has_sizes_time_and_tokens(self) -> None:
        setup = SelectionSetup()
        found = run(setup.select())
        told = setup.log[0]
        assert (told["by"], told["manifest"], told["chosen"]) == ("model", 8, ["gullwing.md"])
        assert told["manifest_tokens"] > 50
        assert told["seconds"] == found.seconds > 0
        assert told["input_tokens"] == found.tokens.uncached > 100
        assert told["output_tokens"] > 0
        assert told["cache_read_input_tokens"] == 0


@pytest.mark.parametrize(("query", "headers"), [(QUERY, []), ("", ALL), (" \n", ALL)])
def test_without_memory_or_query_there_is_no_call(query: str, headers: Any) -> None:
    setup = SelectionSetup()
    assert run(setup.select(query, headers)) == Selection()
    assert setup.model.requests == []
    run(setup.select())
    assert len(setup.model.requests) == 1


REASONS = {
    "rate_limited": "RateLimitError 429",
    "overloaded": "OverloadedError 529",
    "server_error": "InternalServerError 500",
    "bad_request": "BadRequestError 400: scripted fault",
    "timeout": "TimeoutError",
    "connect_error": "APIConnectionError",
    "cut_stream": "APIConnectionError",
    "refusal": "refusal",
    "truncated": "truncated",
    "bad_json": "unparsable",
}


class TestFaults:
    def test_every_fault_that_a_plain_call_can_meet_is_here(self) -> None:
        assert set(FAULTS) - set(REASONS) == {"stream_error"}

    @pytest.mark.behaviour("F8")
    @pytest.mark.parametrize(("fault", "reason"), REASONS.items())
    def test_words_choose_and_the_event_says_why(self, fault: str, reason: str) -> None:
        setup = SelectionSetup()
        setup.model.faults.add(fault, purpose="select")
        found = run(setup.select())
        assert (names(found.chosen), found.by, found.error) == (["gullwing.md"], "fallback", reason)
        assert (setup.log[0]["by"], setup.log[0]["error"]) == ("fallback", reason)
        assert run(setup.select()).by == "model"

    @pytest.mark.behaviour("F8")
    @pytest.mark.parametrize("fault", ["overloaded", "bad_json"])
    def test_words_that_find_nothing_attach_nothing(self, fault: str) -> None:
        setup = SelectionSetup()
        setup.model.faults.add(fault, purpose="select")
        assert run(setup.select("How are you?")).chosen == ()

    @pytest.mark.parametrize(
        "body", [b"", b"{", b"<html>busy</html>", b'"text"', b"[]", b"null", b'{"type": "message"}']
    )
    @pytest.mark.parametrize("kind", ["application/json", "text/html"])
    def test_an_answer_that_is_no_message(self, body: bytes, kind: str) -> None:
        def respond(request: httpx2.Request) -> httpx2.Response:
            return httpx2.Response(200, content=body, headers={"content-type": kind})

        found = selected(client_of(respond))
        assert (names(found.chosen), found.by) == (["gullwing.md"], "fallback")
        assert found.error

    def test_tokens_of_a_useless_answer_are_told_all_the_same(self) -> None:
        found = selected(answering("nothing to read"))
        assert found.tokens == Tokens(uncached=7, read=5, output=3)

    def test_another_ranking_can_stand_in(self) -> None:
        def first(query: str, headers: Any, limit: int) -> list[MemoryHeader]:
            return list(headers)[:1]

        found = selected(answering("no"), rank=first)
        assert names(found.chosen) == ["tabs.md"]

    def test_documentation_of_a_tool_in_use_is_no_fallback_and_its_warning_is(self) -> None:
        usage = header("q-usage.md", "mcp__tide__table: usage and options", days=5)
        trap = header("q-trap.md", "trap: mcp__tide__table swaps its columns", days=6)
        headers = [usage, trap, *REST]
        query = "fill the tide table again"
        idle = selected(answering("no"), query, headers)
        assert {*names(idle.chosen)} == {"q-usage.md", "q-trap.md"}
        busy = selected(answering("no"), query, headers, recent_tools=["mcp__tide__table"])
        assert names(busy.chosen) == ["q-trap.md"]


class TestTime:
    def test_no_answer_in_time_ends_the_wait_on_the_clock(self) -> None:
        setup = SelectionSetup(latency={"select": Latency(3_600, 0)})
        begun = setup.clock.now()
        found = run(setup.select())
        assert (found.by, found.error) == ("fallback", "TimeoutError")
        limit = Settings().select_timeout_seconds
        assert found.seconds == limit == (setup.clock.now() - begun).total_seconds()

    def test_the_limit_can_be_another(self) -> None:
        slow = {"select": Latency(30, 0)}
        short, long = (Settings().with_changes(select_timeout_seconds=n) for n in (29, 31))
        assert run(SelectionSetup(latency=slow).select(settings=short)).seconds == 29
        assert run(SelectionSetup(latency=slow).select(settings=long)).by == "model"

    def test_a_cancellation_passes_through_and_leaves_nothing_behind(self) -> None:
        setup = SelectionSetup()

        async def scene() -> bool:
            task = asyncio.create_task(setup.select())
            await setup.clock.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return task.cancelled()

        assert run(scene())
        assert len(setup.model.requests) == 1
        assert setup.log == []


def test_the_same_call_gives_the_same_answer() -> None:
    first, second = (json.dumps(run(SelectionSetup().select()).figures) for _ in range(2))
    assert first == second

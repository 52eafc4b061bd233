"""The side-query against a real SDK client: what is asked, which names count, and every way to
fail.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest

from memlab.clock import CourseClock
from memlab.events import MemoriesSelected
from memlab.ledger import Tokens
from memlab.memdir.scan import MemoryHeader, format_manifest
from memlab.models import Latency, OfflineModel
from memlab.models.connect import make_runtime
from memlab.prompts.blocks import read_blocks
from memlab.recall.selection import (
    SCHEMA,
    Selection,
    UnusableError,
    choose,
    named_in,
    select_relevant_memories,
    selection_request,
)
from memlab.settings import Settings
from tests.unit.recall.helpers import answering, choosing, client_of, header, names, run

TABS = header("tabs.md", "indentation is by tabs, quotes are single")
TIDE = header("team/gullwing.md", "the feed the tide times come from", days=2)
REST = [header(f"other-{number}.md", f"something else {number}", days=9) for number in range(6)]
ALL = [TABS, TIDE, *REST]
QUERY = "Where do the tide times come from?"


class Asking:
    """A course clock, a log, and one selection after the other."""

    def __init__(self, client: Any = None, latency: Mapping[str, Latency] | None = None) -> None:
        self.clock = CourseClock()
        self.model = OfflineModel(clock=self.clock, latency=latency)
        runtime = make_runtime("offline", model=self.model)
        self.runtime = runtime.with_changes(client=client)
        self.events = self.runtime.events

    async def select(self, query: str = QUERY, headers: Any = ALL, **more: Any) -> Selection:
        return await select_relevant_memories(query, headers, self.runtime, **more)

    @property
    def log(self) -> list[Mapping[str, Any]]:
        return [event.figures for event in self.events.of(MemoriesSelected)]


def selected(client: Any, *given: Any, **more: Any) -> Selection:
    asking = Asking(client)
    found: Selection = run(asking.select(*given, **more))
    assert len(asking.log) == 1
    return found


def reply(text: str, stop: str = "end_turn") -> Any:
    blocks = [
        SimpleNamespace(type="thinking", thinking="{"),
        SimpleNamespace(type="text", text=text),
    ]
    return SimpleNamespace(stop_reason=stop, content=blocks)


@pytest.mark.behaviour("F2")
def test_the_request_is_short_has_a_schema_and_a_part_that_stays_the_same() -> None:
    asked: list[Any] = []
    more: dict[str, Any] = {"recent_tools": ["Read", "Bash"]}
    selected(choosing("tabs.md", asked=asked), surfaced={"tabs.md": 1}, **more)
    built = selection_request(QUERY, ALL, settings=Settings(), already_shown=["tabs.md"], **more)
    assert built.pop("extra_headers") == {"X-Memlab-Purpose": "select"}
    assert asked == [{**built, "thinking": {"type": "disabled"}}]
    assert built["model"] == Settings().select_model
    assert built["max_tokens"] == 256
    assert built["output_config"]["format"] == {"type": "json_schema", "schema": SCHEMA}
    [system] = built["system"]
    assert read_blocks(system["text"])["manifest"][0].body == format_manifest(ALL)
    assert system["cache_control"] == {"type": "ephemeral"}
    assert selection_request("Tide?", ALL, settings=Settings())["system"] == built["system"]
    found = read_blocks(built["messages"][0]["content"])
    assert {tag: blocks[0].body for tag, blocks in found.items()} == {
        "query": QUERY,
        "already_shown": "tabs.md",
        "tools_in_use": "Read, Bash",
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"selected_memories": ["a.md", "b.md"]}',
        '```json\n{"selected_memories": ["a.md", " b.md "]}\n```',
        'Here they are: {"selected_memories": ["a.md", "b.md"], "why": "{}"} I hope this helps.',
        '```json\n["a.md", "b.md"]\n```',
    ],
)
def test_names_are_read_even_with_text_around(text: str) -> None:
    assert named_in(reply(text)) == ["a.md", "b.md"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (reply(""), "unparsable"),
        (reply("a.md and b.md"), "unparsable"),
        (reply('{"selected_memories": "a.md"}'), "unparsable"),
        (reply('{"memories": ["a.md"]}'), "unparsable"),
        (reply('{"selected_memories": ["a.md"'), "unparsable"),
        ("<html>busy</html>", "unparsable"),
        (None, "unparsable"),
        (SimpleNamespace(content=None), "unparsable"),
        (reply('{"selected_memories": ["a.md"]}', "refusal"), "refusal"),
        (reply('{"selected_memories": ["a.md"]}', "max_tokens"), "truncated"),
    ],
)
def test_what_is_no_choice(answer: Any, told: str) -> None:
    with pytest.raises(UnusableError, match=told):
        named_in(answer)


def chosen(*given: str, headers: list[MemoryHeader] = ALL) -> tuple[list[str], list[str]]:
    """Give what is chosen, and what was not in the manifest."""
    found = choose(given, headers, Settings())
    return names(found.chosen), [one.filename for one in found.left_out]


@pytest.mark.behaviour("F2")
@pytest.mark.parametrize(
    "name",
    [
        "tabs.md",
        "tabs",
        "./tabs.md",
        "memory/tabs.md",
        "- [user] tabs.md (2026-03-29T09:00:00Z): x",
    ],
)
def test_a_name_that_fits_one_memory_counts_once(name: str) -> None:
    assert chosen("team/gullwing.md", name, "tabs.md") == (["team/gullwing.md", "tabs.md"], [])
    twins = [TABS, header("old/tabs.md")]
    assert chosen(name, headers=twins) == ((["tabs.md"], []) if name == "tabs.md" else ([], [name]))


@pytest.mark.behaviour("F2")
@pytest.mark.parametrize(
    "name", ["TABS.md", "../secret.md", "/etc/passwd", "", ".md", "tabs.md\x00"]
)
def test_any_other_name_is_invented_and_one_short_line_in_the_log(name: str) -> None:
    assert chosen("tabs.md", name) == (["tabs.md"], [name.strip("\x00")])
    _, [told] = chosen("x\n09:00:00.000 select by=model\x1b[2J" + "y" * 500)
    assert told.isprintable()
    assert len(told) <= 80


def test_a_name_with_control_characters_comes_back_as_it_was_shown() -> None:
    real, fake = header("a b.md", days=9), header("a\x01b.md", days=1)
    assert choose(["a b.md"], [fake, real], Settings()).chosen == (real,)
    assert choose(["a b.md"], [fake], Settings()).chosen == (fake,)


def test_every_limit_gives_its_reason_and_a_later_memory_may_still_fit() -> None:
    found = choose(
        ["seen.md", "x.md", "huge.md", "a.md", "a.md", "b.md", "c.md"],
        [header(f"{name}.md") for name in ("seen", "huge", "a", "b", "c")],
        Settings().with_changes(select_max_memories=2, surface_session_bytes=1_000),
        surfaced={"seen.md": 100},
        sizes={"huge.md": 901, "a.md": 450, "b.md": 450, "c.md": 1},
    )
    assert names(found.chosen) == ["a.md", "b.md"]
    assert [(each.filename, each.reason, each.detail) for each in found.left_out] == [
        ("seen.md", "surfaced", ""),
        ("huge.md", "budget", "901 bytes, and 900 are left"),
        ("c.md", "cap", ""),
        ("x.md", "not in the manifest", ""),
    ]


@pytest.mark.behaviour("F9")
def test_the_log_has_what_was_chosen_sizes_time_and_tokens() -> None:
    asking = Asking(choosing("../secret.md", "tabs.md"))
    found = run(asking.select())
    assert (names(found.chosen), found.by, found.error) == (["tabs.md"], "model", "")
    assert found.tokens == Tokens(uncached=7, read=5, output=3)
    assert names(found.fallback) == ["team/gullwing.md"]
    assert [one.filename for one in found.left_out] == ["../secret.md"]
    [log] = asking.log
    assert (log["manifest"], log["by"], log["chosen"]) == (8, "model", ["tabs.md"])
    assert log["manifest_tokens"] > 50
    assert (log["cache_read_input_tokens"], log["output_tokens"]) == (5, 3)


def test_without_a_query_or_a_memory_that_is_unseen_nobody_is_asked() -> None:
    for query, headers in (("", ALL), (" \n", ALL), (QUERY, [])):
        assert run(Asking().select(query, headers)) == Selection()
    asking = Asking()
    assert run(asking.select(surfaced={one.filename: 1 for one in ALL})).by == "empty"
    assert (asking.log, asking.model.requests) == ([], [])


REASONS = {
    "overloaded": "OverloadedError 529",
    "rate_limited": "RateLimitError 429",
    "connect_error": "APIConnectionError",
    "timeout": "TimeoutError",
    "refusal": "refusal",
    "truncated": "truncated",
    "bad_json": "unparsable",
}


@pytest.mark.behaviour("F8")
@pytest.mark.parametrize(("fault", "reason"), REASONS.items())
def test_words_choose_where_the_model_does_not_and_the_event_says_why(
    fault: str, reason: str
) -> None:
    asking = Asking()
    asking.model.faults.add(fault, purpose="select")
    found = run(asking.select())
    assert (names(found.chosen), found.by) == (["team/gullwing.md"], "fallback")
    assert (found.error, asking.log[0]["error"]) == (reason, reason)
    asking.model.faults.add(fault, purpose="select")
    assert run(asking.select("How are you?")).chosen == ()
    assert run(asking.select()).by == "model"


@pytest.mark.behaviour("F2")
def test_only_invented_names_are_no_answer_and_an_empty_list_is_one() -> None:
    found = selected(choosing("a.md", "b.md"))
    assert (found.by, found.error) == ("fallback", "only invented names")
    assert [one.filename for one in found.left_out] == ["a.md", "b.md"]
    found = selected(choosing())
    assert (found.chosen, found.by) == ((), "model")


@pytest.mark.parametrize("body", [b"", b"{", b"<html>busy</html>", b'"text"', b"[]", b"null"])
def test_an_answer_that_is_no_message(body: bytes) -> None:
    for kind in ("application/json", "text/html"):
        headers = {"content-type": kind}
        sent = httpx2.Response(200, content=body, headers=headers)
        found = selected(client_of(lambda request, sent=sent: sent))  # type: ignore[misc]
        assert (names(found.chosen), found.by) == (["team/gullwing.md"], "fallback")


def test_another_ranking_can_stand_in_and_tool_notes_are_not_proposed_by_words() -> None:
    found = selected(answering("no"), rank=lambda query, headers, limit: headers[:1])
    assert names(found.chosen) == ["tabs.md"]
    usage = header("q-usage.md", "mcp__tide__table: usage and options", days=5)
    trap = header("q-trap.md", "trap: mcp__tide__table swaps its columns", days=6)
    query, tools = "fill the tide table again", ["mcp__tide__table"]
    busy = selected(answering("no"), query, [usage, trap, *REST], recent_tools=tools)
    assert names(busy.chosen) == ["q-trap.md"]


def test_no_answer_in_time_ends_the_wait_on_the_clock() -> None:
    asking = Asking(latency={"select": Latency(3_600, 0)})
    begun = asking.clock.now()
    found = run(asking.select())
    assert (found.by, found.error) == ("fallback", "TimeoutError")
    limit = Settings().select_timeout_seconds
    assert found.seconds == limit == (asking.clock.now() - begun).total_seconds()


def test_a_cancellation_passes_through_and_leaves_nothing_behind() -> None:
    asking = Asking()

    async def scene() -> bool:
        task = asyncio.create_task(asking.select())
        await asking.clock.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return task.cancelled()

    assert run(scene())
    assert (len(asking.model.requests), asking.log) == (1, [])
    assert json.dumps(asking.model.requests[0].body)

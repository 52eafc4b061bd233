"""Cache accounting: what is read, what is written, and why not more."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.models import PromptCache
from memlab.settings import Settings
from memlab.text import count_tokens

MARK = {"type": "ephemeral"}
LONG = "A rule for the assistant, long enough to be worth keeping. " * 80
TOOLS = [{"name": name, "input_schema": {"type": "object"}} for name in ("Read", "Grep", "Write")]
PREFIX = count_tokens(LONG) + sum(
    count_tokens('{"input_schema": {"type": "object"}, "name": "' + tool["name"] + '"}')
    for tool in TOOLS
)


def request(
    *said: str, system: str = LONG, tools: list[Any] = TOOLS, model: str = "claude-opus-5-5"
) -> dict[str, Any]:
    """A conversation with a breakpoint at the end of the system prompt and of the last message."""
    messages: list[dict[str, Any]] = [
        {"role": ("user", "assistant")[index % 2], "content": [{"type": "text", "text": text}]}
        for index, text in enumerate(said)
    ]
    messages[-1]["content"][0]["cache_control"] = MARK
    block = {"type": "text", "text": system, "cache_control": MARK}
    return {"model": model, "tools": tools, "system": [block], "messages": messages}


class Service:
    """The cache with a clock: ask, and later ask again."""

    def __init__(self, **settings: Any) -> None:
        self.cache = PromptCache(Settings().with_changes(**settings))
        self.clock = CourseClock()

    def ask(self, body: dict[str, Any]) -> tuple[int, int, int, str]:
        account = self.cache.account(body, self.clock.now())
        self.cache.keep(body, self.clock.now())
        return account.read, account.created, account.uncached, account.reason


def test_the_same_prefix_is_read_and_only_the_new_turn_is_written() -> None:
    service = Service()
    assert service.ask(request("hello")) == (0, PREFIX + 2, 0, "first_request")
    new = count_tokens("hi") + count_tokens("what now?")
    assert service.ask(request("hello", "hi", "what now?")) == (PREFIX + 2, new, 0, "")


@pytest.mark.behaviour("M3")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tools": TOOLS[:2]}, "tools_changed"),
        ({"tools": TOOLS[::-1]}, "tools_changed"),
        ({"system": LONG + "!"}, "system_changed"),
        ({"model": "claude-sonnet-5-5"}, "model_changed"),
    ],
)
def test_a_changed_prefix_reads_nothing_and_says_why(change: dict[str, Any], reason: str) -> None:
    service = Service()
    service.ask(request("hello"))
    read, created, _, said = service.ask(request("hello", "hi", "more", **change))
    assert (read, said) == (0, reason)
    assert created > 1000


def test_an_edited_message_keeps_the_prefix_before_it() -> None:
    service = Service()
    service.ask(request("hello"))
    read, _, _, reason = service.ask(request("hullo", "hi", "more"))
    assert (read, reason) == (PREFIX, "messages_changed")


@pytest.mark.behaviour("M3")
def test_a_prefix_lives_five_minutes_from_its_last_use() -> None:
    service = Service()
    service.ask(request("hello"))
    for _ in range(2):
        service.clock.advance(290)
        assert service.ask(request("hello"))[0] == PREFIX + 2
    service.clock.advance(301)
    assert service.ask(request("hello")) == (0, PREFIX + 2, 0, "expired")


@pytest.mark.behaviour("M3")
def test_below_the_minimum_nothing_is_kept_and_the_minimum_is_enough() -> None:
    service, short = Service(), request("hello", system="Be brief.", tools=[])
    for _ in range(2):
        assert service.ask(short) == (0, 0, 5, "below_minimum")
    just = request("abcd", system="x" * 4 * 1023, tools=[])
    assert Service().ask(just)[1] == 1024
    assert Service(cache_min_tokens=1025).ask(just)[1] == 0


def test_without_a_breakpoint_nothing_is_kept_and_a_mark_changes_no_key() -> None:
    service, body = Service(), request("hello")
    service.ask(body)
    later = copy.deepcopy(request("hello", "hi", "more"))
    del later["system"][0]["cache_control"]
    assert service.ask(later)[0] == PREFIX + 2
    del later["messages"][-1]["content"][0]["cache_control"]
    assert service.ask(later)[3] == "no_breakpoint"


def test_an_older_entry_is_found_only_twenty_blocks_back() -> None:
    for turns, read in ((10, PREFIX + 2), (11, 0)):
        service = Service()
        for said in (["hello"], ["hello", *["a", "b"] * turns]):
            body = request(*said)
            del body["system"][0]["cache_control"]
            account = service.ask(body)
        assert account[0] == read


def test_a_prefix_can_be_read_only_once_an_answer_has_begun() -> None:
    service, body = Service(), request("hello")
    now = service.clock.now()
    assert [service.cache.account(body, now).read for _ in range(2)] == [0, 0]
    service.cache.keep(body, now)
    assert service.cache.account(body, now).read == PREFIX + 2

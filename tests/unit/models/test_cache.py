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


def request(
    *said: str, system: str = LONG, tools: list[Any] = TOOLS, **more: Any
) -> dict[str, Any]:
    """A conversation with a breakpoint at the end of the system prompt and of the last message."""
    roles = ("user", "assistant")
    messages = [
        {"role": roles[index % 2], "content": [{"type": "text", "text": text}]}
        for index, text in enumerate(said)
    ]
    messages[-1]["content"][0]["cache_control"] = MARK  # type: ignore[index]
    return {
        "model": "claude-opus-5-5",
        "max_tokens": 100,
        "tools": tools,
        "system": [{"type": "text", "text": system, "cache_control": MARK}],
        "messages": messages,
    } | more


class Service:
    """The cache with a clock: ask, and later ask again."""

    def __init__(self, **settings: Any) -> None:
        self.cache = PromptCache(Settings().with_changes(**settings))
        self.clock = CourseClock()
        self.asked = 0

    def ask(self, body: dict[str, Any], previous: str = "") -> tuple[int, int, int, str]:
        account = self.cache.account(body, self.clock.now(), previous)
        self.asked += 1
        self.cache.keep(body, self.clock.now(), f"msg_{self.asked}")
        return account.read, account.created, account.uncached, account.reason


PREFIX = sum(count_tokens(text) for text in [LONG]) + sum(
    count_tokens('{"input_schema": {"type": "object"}, "name": "' + t["name"] + '"}') for t in TOOLS
)


def test_the_same_prefix_is_read_and_only_the_new_turn_is_written() -> None:
    service = Service()
    assert service.ask(request("hello")) == (0, PREFIX + 2, 0, "first_request")
    read, created, uncached, reason = service.ask(request("hello", "hi", "what now?"))
    assert (read, uncached, reason) == (PREFIX + 2, 0, "")
    assert created == count_tokens("hi") + count_tokens("what now?")


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "a tool removed": (request("hello", "hi", "more", tools=TOOLS[:2]), "tools_changed"),
    "tools reordered": (request("hello", "hi", "more", tools=TOOLS[::-1]), "tools_changed"),
    "the system prompt": (request("hello", "hi", "more", system=LONG + "!"), "system_changed"),
    "the model": (request("hello", "hi", "more", model="claude-sonnet-5-5"), "model_changed"),
}


@pytest.mark.behaviour("M3")
@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_prefix_reads_nothing_and_says_why(what: str) -> None:
    service = Service()
    service.ask(request("hello"))
    body, reason = CHANGES[what]
    read, created, _, said = service.ask(body)
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
    service.clock.advance(290)
    assert service.ask(request("hello"))[0] == PREFIX + 2
    service.clock.advance(290)
    assert service.ask(request("hello"))[0] == PREFIX + 2
    service.clock.advance(301)
    assert service.ask(request("hello")) == (0, PREFIX + 2, 0, "expired")


@pytest.mark.behaviour("M3")
def test_below_the_minimum_nothing_is_kept() -> None:
    service = Service()
    short = request("hello", system="Be brief.", tools=[])
    for _ in range(2):
        assert service.ask(short) == (0, 0, 5, "below_minimum")


def test_the_minimum_itself_is_enough() -> None:
    text = "x" * 4 * 1023
    just = request("abcd", system=text, tools=[])
    assert Service().ask(just)[1] == 1024
    assert Service(cache_min_tokens=1025).ask(just)[1] == 0


def test_without_a_breakpoint_nothing_is_kept() -> None:
    body = request("hello")
    del body["system"][0]["cache_control"]
    del body["messages"][0]["content"][0]["cache_control"]
    assert Service().ask(body) == (0, 0, PREFIX + 2, "no_breakpoint")


def test_moving_a_mark_changes_no_key() -> None:
    service, body = Service(), request("hello")
    service.ask(body)
    moved = copy.deepcopy(body)
    moved["messages"] += [
        {"role": "assistant", "content": "hi"},
        {"role": "user", "content": [{"type": "text", "text": "more", "cache_control": MARK}]},
    ]
    del moved["messages"][0]["content"][0]["cache_control"]
    assert service.ask(moved)[0] == PREFIX + 2


def test_an_older_entry_is_found_only_twenty_blocks_back() -> None:
    near, far = Service(), Service()
    for service, turns in ((near, 10), (far, 11)):
        body = request("hello")
        del body["system"][0]["cache_control"]
        service.ask(body)
        later = request("hello", *["a", "b"] * turns)
        later["messages"].append({"role": "user", "content": "c"}) if len(
            later["messages"]
        ) % 2 == 0 else None
        del later["system"][0]["cache_control"]
        assert service.ask(later)[0] == (PREFIX + 2 if service is near else 0)


def test_a_prefix_can_be_read_only_once_an_answer_has_begun() -> None:
    service, body = Service(), request("hello")
    now = service.clock.now()
    first = service.cache.account(body, now)
    at_the_same_time = service.cache.account(body, now)
    assert (first.read, at_the_same_time.read) == (0, 0)
    service.cache.keep(body, now, "msg_1")
    assert service.cache.account(body, now).read == PREFIX + 2

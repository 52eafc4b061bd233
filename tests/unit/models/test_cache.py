"""Cache accounting: what is read, what is written, and why not more."""

from __future__ import annotations

from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.models import PromptCache
from memlab.settings import Settings
from memlab.text import count_tokens

LONG = "A rule for the assistant, long enough to be worth keeping. " * 80
TOOLS = [{"name": name, "input_schema": {}} for name in ("Read", "Grep", "Write")]


def request(*said: str, **changes: Any) -> dict[str, Any]:
    """A conversation with a breakpoint after the system prompt and the last message."""
    mark = {"cache_control": {"type": "ephemeral"}}
    turns: list[Any] = [
        {"role": ("user", "assistant")[n % 2], "content": [{"type": "text", "text": text}]}
        for n, text in enumerate(said)
    ]
    turns[-1]["content"][0] |= mark
    system = [{"type": "text", "text": changes.pop("system", LONG), **mark}]
    body = {"model": "claude-opus-5-5", "tools": TOOLS, "system": system, "messages": turns}
    return body | changes


class Service:
    """The cache with a clock."""

    def __init__(self, **settings: Any) -> None:
        self.cache = PromptCache(Settings().with_changes(**settings))
        self.clock = CourseClock()

    def ask(self, *said: str, begins: bool = True, **changes: Any) -> tuple[int, int, str]:
        body, now = request(*said, **changes), self.clock.now()
        account = self.cache.account(body, now)
        if begins:
            self.cache.keep(body, now)
        return account.read, account.created, account.reason


@pytest.mark.behaviour("M3")
@pytest.mark.parametrize(
    ("said", "change", "reason"),
    [
        ("hello|hi|more", {}, ""),
        ("hullo|hi|more", {}, "messages_changed"),
        ("hello|hi|more", {"tools": TOOLS[:2]}, "tools_changed"),
        ("hello|hi|more", {"tools": TOOLS[::-1]}, "tools_changed"),
        ("hello|hi|more", {"system": LONG + "!"}, "system_changed"),
        ("hello|hi|more", {"model": "claude-sonnet-5-5"}, "model_changed"),
    ],
)
def test_a_changed_prefix_is_not_read_and_says_why(said: str, change: Any, reason: str) -> None:
    service = Service()
    assert service.ask("hello", begins=False)[2] == "first_request"
    read, whole, _ = service.ask("hello")  # only once an answer has begun
    assert (read, whole > count_tokens(LONG)) == (0, True)
    read, created, told = service.ask(*said.split("|"), **change)
    kept = {"": whole, "messages_changed": whole - count_tokens("hello")}.get(reason, 0)
    assert (read, told) == (kept, reason)
    assert reason or created == count_tokens("hi") + count_tokens("more")


@pytest.mark.behaviour("M3")
def test_a_prefix_lives_five_minutes_from_its_last_use() -> None:
    service = Service()
    _, whole, _ = service.ask("hello")
    for _ in range(2):
        service.clock.advance(290)
        assert service.ask("hello")[0] == whole
    service.clock.advance(301)
    assert service.ask("hello") == (0, whole, "expired")


@pytest.mark.behaviour("M3")
def test_below_the_minimum_nothing_is_kept_and_the_minimum_is_enough() -> None:
    for _ in range(2):
        assert Service().ask("hi", system="Be brief.", tools=[]) == (0, 0, "below_minimum")
    just: dict[str, Any] = {"system": "x" * 4 * 1023, "tools": []}
    assert Service().ask("abcd", **just)[1] == 1024
    assert Service(cache_min_tokens=1025).ask("abcd", **just)[1] == 0


def test_a_breakpoint_is_needed_and_looks_twenty_blocks_back() -> None:
    for turns, found in ((9, True), (11, False)):
        service = Service()
        _, whole, _ = service.ask("hello", system="")
        said = ["hello", *["a", "b"] * turns]
        assert service.ask(*said, system="")[0] == (whole if found else 0)
    bare = request("hello", system="")
    del bare["messages"][0]["content"][0]["cache_control"], bare["system"]
    assert service.cache.account(bare, service.clock.now()).reason == "no_breakpoint"

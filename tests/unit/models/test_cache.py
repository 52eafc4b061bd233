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


class Service:
    """The cache with a clock."""

    def __init__(self, **settings: Any) -> None:
        self.cache = PromptCache(Settings().with_changes(**settings))
        self.clock = CourseClock()

    def ask(self, *said: str, begins: bool = True, **changes: Any) -> tuple[int, int, str]:
        """Go on with a conversation; breakpoints follow the system prompt and the last message."""
        mark = {"cache_control": {"type": "ephemeral"}}
        blocks: list[Any] = [{"type": "text", "text": text} for text in said]
        blocks[-1] |= mark
        roles = ("user", "assistant") * len(said)
        turns = [{"role": role, "content": [one]} for role, one in zip(roles, blocks, strict=False)]
        system = [{"type": "text", "text": changes.pop("system", LONG), **mark}]
        body = {"model": "claude-opus-5-5", "tools": TOOLS, "system": system, "messages": turns}
        account = self.cache.account(body | changes, self.clock.now())
        if begins:
            self.cache.keep(body | changes, self.clock.now())
        return account.read, account.created, account.reason


CHANGES: dict[str, Any] = {
    "tools_changed": {"tools": TOOLS[::-1]},
    "system_changed": {"system": LONG + "!"},
    "model_changed": {"model": "claude-sonnet-5-5"},
}


@pytest.mark.behaviour("M3")
@pytest.mark.parametrize("reason", ["", "messages_changed", *CHANGES])
def test_a_changed_prefix_is_not_read_and_says_why(reason: str) -> None:
    service, said = Service(), "hullo" if reason == "messages_changed" else "hello"
    assert service.ask("hello", begins=False)[2] == "first_request"
    read, whole, _ = service.ask("hello")  # only once an answer has begun
    assert (read, whole > count_tokens(LONG)) == (0, True)
    read, created, told = service.ask(said, "hi", "more", **CHANGES.get(reason, {}))
    kept = {"": whole, "messages_changed": whole - count_tokens("hello")}.get(reason, 0)
    assert (read, told) == (kept, reason)
    assert reason or created == count_tokens("hi") + count_tokens("more")


@pytest.mark.behaviour("M3")
def test_a_prefix_lives_five_minutes_from_its_last_use() -> None:
    service = Service()
    _, whole, _ = service.ask("hello")
    for seconds, read in ((290, whole), (290, whole), (301, 0)):
        service.clock.advance(seconds)
        assert service.ask("hello")[0] == read


@pytest.mark.behaviour("M3")
def test_the_minimum_is_enough_and_a_breakpoint_looks_twenty_blocks_back() -> None:
    just: dict[str, Any] = {"system": "x" * 4 * 1023, "tools": []}
    assert Service().ask("abcd", **just)[1] == 1024
    assert Service(cache_min_tokens=1025).ask("abcd", **just) == (0, 0, "below_minimum")
    for turns, found in ((9, True), (11, False)):
        service = Service()
        _, whole, _ = service.ask("hello", system="")
        assert service.ask("hello", *["a", "b"] * turns, system="")[0] == found * whole

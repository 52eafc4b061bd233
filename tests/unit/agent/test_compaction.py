"""Compaction: when it happens, what is left, and what it loses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from memlab.agent.loop import Agent
from memlab.agent.request import TooLongError, _in_words
from memlab.events import Compacted, CompactionFailed
from memlab.models import OfflineModel
from memlab.models.model import Answer, _error
from memlab.text import request_tokens
from tests.unit.agent.helpers import (
    AgentSetup,
    Turns,
    Watcher,
    check_whole,
    results,
    run,
    text_of,
    use,
)

TABS = (
    "I'm Robin. Please tidy up boats.py. Use tabs, not spaces, and single quotes for strings. "
    "Always ask before you add a package."
)
STORY: Turns = {
    TABS: [
        [use("Read", file_path="boats.py")],
        [use("Edit", file_path="boats.py", old_string="x", new_string="y")],
        "Tidied.",
    ],
    "Now the board, please.": ["The board is next."],
    "How do I like my code?": ["As you told me."],
}


@pytest.fixture
def long(setup: AgentSetup) -> AgentSetup:
    setup.file("boats.py", "x = 1\n" + "# A boat has a number, a name and seats.\n" * 60)
    setup.plays(STORY)
    return setup


def first_turn(setup: AgentSetup, words: str = TABS, **more: Any) -> Agent:
    """An agent after one turn, which has brought it to its limit."""
    agent = setup.agent(**more)
    run(lambda: agent.run_turn(words))
    assert setup.sent("compact") == []
    agent.compact_at_tokens = request_tokens(setup.sent()[-1])
    return agent


class TestWhen:
    def test_not_before_the_limit(self, long: AgentSetup) -> None:
        agent = long.agent(compact_at_tokens=100_000)
        run(lambda: agent.run_turn(TABS))
        run(lambda: agent.run_turn("Now the board, please."))
        assert long.sent("compact") == []

    @pytest.mark.behaviour("G6")
    def test_at_the_start_of_a_turn(self, long: AgentSetup) -> None:
        agent = first_turn(long, transcript=long.transcript())
        assert run(lambda: agent.run_turn("Now the board, please.")).text == "The board is next."
        assert len(long.sent("compact")) == 1
        check_whole(agent)
        assert [message["role"] for message in agent.messages] == ["user", "user", "assistant"]
        assert "The earlier conversation was summarised:" in text_of(agent.messages[0])
        assert agent.messages[1]["content"] == "Now the board, please."

    def test_in_the_middle_of_a_turn(self, long: AgentSetup) -> None:
        agent = long.agent(compact_at_tokens=1, transcript=long.transcript(), max_turns=3)
        run(lambda: agent.run_turn(TABS))
        assert len(long.sent("compact")) >= 1
        check_whole(agent)
        assert "## Goal" in text_of(agent.messages[0])

    def test_the_summary_call_reads_the_cache_of_the_call_before(self, long: AgentSetup) -> None:
        agent = first_turn(long, "Now the board, please.", system="S" * 5_000)
        run(lambda: agent.run_turn("How do I like my code?"))
        (summary,) = [one for one in long.model.requests if one.purpose == "compact"]
        before = long.model.requests[0].account
        assert summary.account.read == before.read + before.created


class TestWhatIsLeft:
    @pytest.mark.behaviour("G6")
    def test_the_thread_is_kept_and_the_tabs_are_lost(self, long: AgentSetup) -> None:
        agent = first_turn(long)
        assert "tabs, not spaces" in json.dumps(agent.messages)
        run(lambda: agent.run_turn("How do I like my code?"))
        summary = text_of(agent.messages[0])
        assert "tidy up boats.py" in summary
        assert "Changed boats.py." in summary
        assert "said how they want things done" in summary
        assert "tabs, not spaces" not in json.dumps(long.sent()[-1])
        assert "quotes" not in summary

    def test_who_needs_to_know_is_told(self, long: AgentSetup) -> None:
        watcher = Watcher()
        agent = first_turn(long, observer=watcher)
        assert agent.context.read_files
        run(lambda: agent.run_turn("Now the board, please."))
        assert watcher.summaries[0] in text_of(agent.messages[0])
        assert agent.context.read_files == {}
        (event,) = long.events.of(Compacted)
        assert event.messages == 6
        assert event.tokens > request_tokens(long.sent()[2])

    def test_a_file_has_to_be_read_again(self, long: AgentSetup) -> None:
        again = use("Edit", file_path="boats.py", old_string="y", new_string="z")
        long.plays({"Edit again.": [[again], "Tried."]})
        agent = first_turn(long)
        run(lambda: agent.run_turn("Edit again."))
        assert "has not been read" in results(agent)[-1]["content"]

    def test_a_new_start_from_the_transcript_begins_with_the_summary(
        self, long: AgentSetup
    ) -> None:
        agent = first_turn(long, transcript=long.transcript())
        run(lambda: agent.run_turn("Now the board, please."))
        check_whole(agent)
        assert TABS in long.transcript().path.read_text(encoding="utf-8")


class TestWhenItFails:
    @pytest.mark.parametrize("fault", ["overloaded", "refusal", "cut_stream"])
    def test_the_turn_goes_on_with_all_it_has(self, long: AgentSetup, fault: str) -> None:
        agent = first_turn(long)
        long.model.faults.add(fault, purpose="compact")
        assert run(lambda: agent.run_turn("Now the board, please.")).text == "The board is next."
        assert len(long.events.of(CompactionFailed)) == 1
        assert TABS in json.dumps(agent.messages)


class SmallModel(OfflineModel):
    """A model that takes requests up to so many tokens."""

    most = 1_000_000

    def respond(self, path: str, headers: Mapping[str, str], raw: bytes) -> Answer:
        """Refuse, in the service's words, what is too long."""
        tokens = request_tokens(json.loads(raw))
        if tokens > self.most:
            told = f"prompt is too long: {tokens} tokens > {self.most} maximum"
            return _error(400, "invalid_request_error", told)
        return super().respond(path, headers, raw)


class TestTooLong:
    @pytest.fixture
    def small(self, long: AgentSetup) -> AgentSetup:
        long.model = SmallModel(clock=long.clock, scripts=long.model.scripts)
        return long

    def limit(self, setup: AgentSetup, tokens: int) -> None:
        assert isinstance(setup.model, SmallModel)
        setup.model.most = tokens

    def test_the_person_is_told_and_the_next_turn_starts_from_a_summary(
        self, small: AgentSetup
    ) -> None:
        agent = small.agent(transcript=small.transcript())
        run(lambda: agent.run_turn(TABS))
        self.limit(small, 2_500)
        result = run(lambda: agent.run_turn("Look at this: " + "tide " * 5_000))
        assert result.stop_reason == "too_long"
        assert result.error.startswith("The conversation is too long for the model. What you sent")
        check_whole(agent)
        assert run(lambda: agent.run_turn("Now the board, please.")).text == "The board is next."
        check_whole(agent)
        assert "tidy up boats.py" in text_of(agent.messages[0])
        assert "tide tide" not in json.dumps(agent.messages)

    def test_too_much_at_once_leaves_an_empty_conversation(self, small: AgentSetup) -> None:
        agent = small.agent(transcript=small.transcript())
        self.limit(small, 1_300)
        run(lambda: agent.run_turn("tide " * 5_000))
        assert agent.messages == []
        assert run(lambda: agent.run_turn("Now the board, please.")).text == "The board is next."
        assert small.sent("compact") == []
        check_whole(agent)

    def test_too_long_even_for_a_summary(self, small: AgentSetup) -> None:
        agent = first_turn(small, transcript=small.transcript())
        self.limit(small, 1_300)
        assert run(lambda: agent.run_turn("Now the board, please.")).text == "The board is next."
        assert "too long even to be summarised" in text_of(agent.messages[0])
        check_whole(agent)

    @pytest.mark.parametrize(
        ("kind", "message", "too_long"),
        [
            ("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", True),
            ("request_too_large", "Request exceeds the maximum size", True),
            ("invalid_request_error", "messages: at least one message is required", False),
        ],
    )
    def test_the_services_words_for_it(self, kind: str, message: str, too_long: bool) -> None:
        class Sent:
            status_code = 400
            body: Any = {"error": {"type": kind, "message": message}}  # noqa: RUF012

        assert isinstance(_in_words(Sent()), TooLongError) is too_long

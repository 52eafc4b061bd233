"""Compaction: when it happens, what is left, and what it loses."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from memlab.agent.compaction import (
    SessionNotes,
    is_notes,
    keep_tail,
)
from memlab.agent.loop import Agent
from memlab.agent.transcript import load_transcript
from memlab.events import Compacted, CompactionFailed
from memlab.models import OfflineModel
from memlab.models.offline import refused
from memlab.settings import Settings
from memlab.text import request_tokens
from tests.unit.agent.helpers import (
    AgentSetup,
    Turns,
    Watcher,
    check_whole,
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


def tail_by_definition(
    messages: list[tuple[int, str]], min_tokens: int, min_texts: int, max_tokens: int
) -> int:
    """Every tail that there could be, and then the best of them."""
    fitting = [
        start
        for start in range(len(messages))
        if messages[start][1] != "result"
        and sum(size for size, _ in messages[start:]) <= max_tokens
    ]
    enough = [
        start
        for start in fitting
        if sum(size for size, _ in messages[start:]) >= min_tokens
        and sum(kind == "text" for _, kind in messages[start:]) >= min_texts
    ]
    return max(enough) if enough else min(fitting, default=len(messages))


class TestTail:
    @pytest.mark.behaviour("L1")
    def test_it_is_the_shortest_that_is_long_enough(self) -> None:
        chance = random.Random(24)
        starts = set()
        for _ in range(2_000):
            messages = [
                (chance.choice((1, 20, 50, 200)), chance.choice(("text", "call", "result")))
                for _ in range(chance.randint(0, 12))
            ]
            limits = chance.randint(0, 150), chance.randint(0, 4), chance.randint(50, 400)
            start = keep_tail(messages, *limits)
            assert start == tail_by_definition(messages, *limits), (messages, limits)
            starts.add(len(messages) - start)
        assert len(starts) >= 10

    @pytest.mark.parametrize(
        ("tokens", "stay"), [(1_000, 10), (3_000, 5), (9_000, 4), (40_000, 1), (41_000, 0)]
    )
    def test_ten_thousand_tokens_and_five_texts_stay_unless_that_is_over_forty_thousand(
        self, tokens: int, stay: int
    ) -> None:
        keep = Settings()
        limits = keep.session_keep_min_tokens, keep.session_keep_min_texts
        start = keep_tail([(tokens, "text")] * 12, *limits, keep.session_keep_max_tokens)
        assert 12 - start == stay


class Noted:
    """Notes of the first messages of an agent, and an agent that has them."""

    def __init__(self, setup: AgentSetup, text: str = "- Robin wants tabs.") -> None:
        settings = Settings(
            session_keep_min_tokens=0, session_keep_min_texts=2, session_keep_max_tokens=1_500
        )
        self.text = text
        self.count = 0
        runtime = setup.runtime(settings=settings)
        self.agent = setup.agent(runtime=runtime, transcript=setup.transcript(), notes=self.notes)

    async def notes(self) -> SessionNotes:
        return SessionNotes(self.text, frozenset(self.agent.uuids[: self.count]))

    def turn(self, words: str) -> Any:
        return run(lambda: self.agent.run_turn(words))

    def compacting(self, words: str, *, noted: int = 0) -> Any:
        """A turn at the limit, with so many messages noted, or all there are."""
        self.count = noted or len(self.agent.messages)
        self.agent.compact_at_tokens = 1
        limit = self.agent.runtime.settings.main_max_turns
        self.agent.max_turns = limit
        try:
            return self.turn(words)
        finally:
            self.agent.compact_at_tokens = 10**6


class TestNotes:
    @pytest.mark.behaviour("L1")
    def test_they_replace_the_beginning_and_the_newest_messages_stay(
        self, long: AgentSetup
    ) -> None:
        noted = Noted(long)
        noted.turn(TABS)
        before = list(zip(noted.agent.uuids, noted.agent.messages, strict=True))
        assert noted.compacting("Now the board, please.").text == "The board is next."
        assert long.sent("compact") == []
        check_whole(noted.agent)
        first, *kept = zip(noted.agent.uuids, noted.agent.messages, strict=True)
        assert is_notes(first[1])
        assert "- Robin wants tabs." in text_of(first[1])
        # the answer and the person's next words are two texts
        assert kept[0] == before[-1]
        assert len(kept) == 3
        (event,) = long.events.of(Compacted)
        assert (event.by, event.messages, event.kept) == ("notes", len(before) - 1, 2)
        assert event.after is not None
        assert event.after < event.tokens

    def test_a_tool_call_stays_with_its_result(self, long: AgentSetup) -> None:
        noted = Noted(long)
        noted.turn(TABS)
        noted.turn("Now the board, please.")
        # the last result would be the first to stay
        noted.compacting("How do I like my code?", noted=4)
        check_whole(noted.agent)
        assert [message["role"] for message in noted.agent.messages[:3]] == [
            "user",
            "assistant",
            "user",
        ]
        assert "tool_result" in str(noted.agent.messages[2])

    @pytest.mark.parametrize("text", ["", " \n"])
    def test_without_notes_it_is_a_summary(self, long: AgentSetup, text: str) -> None:
        noted = Noted(long, text)
        noted.turn(TABS)
        noted.compacting("Now the board, please.")
        assert "## Goal" in text_of(noted.agent.messages[0])
        assert [event.by for event in long.events.of(Compacted)] == ["summary"]

    def test_what_is_not_noted_stays_or_it_is_a_summary(self, long: AgentSetup) -> None:
        noted = Noted(long)
        noted.turn(TABS)
        noted.turn("Now the board, please.")
        board = noted.agent.messages[-2]
        noted.compacting("How do I like my code?", noted=len(noted.agent.messages) - 2)
        assert noted.agent.messages[1] == board
        # the turn with the long file is more than may stay
        other = Noted(long)
        other.turn(TABS)
        other.compacting("Now the board, please.", noted=1)
        assert [event.by for event in long.events.of(Compacted)] == ["notes", "summary"]

    def test_older_notes_alone_are_not_replaced_again_and_again(self, long: AgentSetup) -> None:
        noted = Noted(long)
        noted.turn(TABS)
        noted.compacting("Now the board, please.")
        noted.compacting("How do I like my code?")
        noted.compacting("How do I like my code?")
        check_whole(noted.agent)
        assert sum(is_notes(message) for message in noted.agent.messages) == 1

    def test_killed_while_they_are_written_the_conversation_is_as_before(
        self, long: AgentSetup
    ) -> None:
        noted = Noted(long)
        noted.turn(TABS)
        before = list(noted.agent.uuids)
        noted.compacting("Now the board, please.")
        path = long.transcript().path
        lines = path.read_bytes().splitlines(keepends=True)
        (place,) = [n for n, line in enumerate(lines) if b"keptFrom" in line]
        path.write_bytes(b"".join(lines[:place]) + lines[place][:-40])
        assert list(load_transcript(path).uuids)[: len(before)] == before

    def test_a_turn_that_is_taken_back_leaves_the_notes_in_place(self, long: AgentSetup) -> None:
        noted = Noted(long)
        noted.turn(TABS)
        long.model.faults.add("refusal", purpose="main")
        assert noted.compacting("Now the board, please.").stop_reason == "refusal"
        check_whole(noted.agent)
        assert len(noted.agent.messages) == 2
        assert noted.turn("Now the board, please.").text == "The board is next."
        check_whole(noted.agent)
        assert TABS not in json.dumps(noted.agent.messages)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_whatever_happens_a_session_is_read_back_as_it_is(long: AgentSetup, seed: int) -> None:
    """Turns that are taken back, both kinds of compaction, and resumed sessions, in any order."""
    chance = random.Random(seed)
    noted = Noted(long)
    for _ in range(10):
        words = chance.choice(list(STORY))
        noted.text = chance.choice(("", "- Robin wants tabs.", "- Robin wants tabs."))
        noted.agent.compact_at_tokens = chance.choice((1, 10**6))
        noted.count = chance.randint(0, len(noted.agent.messages))
        if chance.random() < 0.3:
            long.model.faults.add("refusal", purpose="main")
        noted.turn(words)
        long.model.faults.clear()
        check_whole(noted.agent)
        if noted.agent.messages and chance.random() < 0.3:
            noted.agent = resumed(long, noted)


def resumed(setup: AgentSetup, noted: Noted) -> Agent:
    loaded = load_transcript(setup.transcript().path)
    return replace(
        noted.agent,
        history=loaded,
        transcript=setup.transcript(parent=loaded.newest),
    )


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

    def respond(self, path: str, headers: Mapping[str, str], raw: bytes) -> httpx2.Response:
        """Refuse, in the service's words, what is too long."""
        tokens = request_tokens(json.loads(raw))
        if tokens > self.most:
            told = f"prompt is too long: {tokens} tokens > {self.most} maximum"
            return refused(400, "invalid_request_error", told)
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

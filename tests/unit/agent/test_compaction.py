"""Compaction: when it happens, what is left, and what it loses."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from memlab.agent.compaction import SessionNotes, is_notes, keep_tail
from memlab.agent.loop import Agent, Observer
from memlab.agent.transcript import load_transcript
from memlab.events import Compacted, CompactionFailed
from memlab.models.offline import refused
from memlab.settings import Settings
from memlab.text import request_tokens
from tests.house import House, check_whole, run, use, words

TABS = "I'm Robin. Please tidy up boats.py. Use tabs, not spaces, and single quotes."
READ = use("Read", file_path="boats.py")
EDIT = use("Edit", file_path="boats.py", old_string="x", new_string="y")
BOARD, CODE = "Now the board, please.", "How do I like my code?"
ALWAYS, NEVER = 1, 10**6


@pytest.fixture
def long(house: House) -> House:
    (house.project / "boats.py").write_text("x = 1\n" + "# A boat has a number and seats.\n" * 60)
    house.plays({TABS: [[READ], [EDIT], "Tidied."], BOARD: ["Next."], CODE: ["As you told me."]})
    return house


class Noted:
    """An agent with notes of its first messages, and turns of it."""

    def __init__(self, house: House, text: str = "", **more: Any) -> None:
        limits = {"min_tokens": 0, "min_texts": 2, "max_tokens": 1_500}
        settings = Settings(**{f"session_keep_{key}": value for key, value in limits.items()})
        self.house, self.text, self.count, self.told = house, text, 0, list[str]()
        runtime, transcript = house.runtime(settings=settings), house.transcript()
        self.agent = house.agent(runtime=runtime, transcript=transcript, notes=self.notes, **more)
        self.agent.observer = Observer()
        self.agent.observer.on_compact = self.told.append  # type: ignore[method-assign]

    async def notes(self) -> SessionNotes:
        return SessionNotes(self.text, frozenset(self.agent.uuids[: self.count]))

    def turn(self, said: str, limit: int = NEVER, noted: int = 0) -> Any:
        """A turn with a limit of tokens; so many messages are noted, or all there are."""
        self.count = noted or len(self.agent.messages)
        self.agent.compact_at_tokens = limit
        result = run(self.agent.run_turn(said))
        check_whole(self.agent)
        return result

    @property
    def by(self) -> list[str]:
        return [event.by for event in self.house.events.of(Compacted)]


@pytest.mark.behaviour("G6")
def test_a_summary_keeps_the_thread_and_loses_the_tabs(long: House) -> None:
    one = Noted(long, system="S" * 5_000)
    one.turn(TABS)
    agent, calls = one.agent, [each.account for each in long.model.requests]
    tokens = request_tokens(long.sent()[-1])
    assert (one.by, bool(agent.context.read_files)) == ([], True)
    assert "tabs, not spaces" in json.dumps(agent.messages)
    assert one.turn(BOARD, tokens).text == "Next."
    assert [message["role"] for message in agent.messages] == ["user", "user", "assistant"]
    summary = words(agent.messages[0])
    assert "tidy up boats.py" in summary
    assert "Changed boats.py." in summary
    assert "said how they want things done" in summary
    assert "tabs" not in json.dumps(long.sent()[-1])
    assert (one.told[0] in summary, agent.context.read_files) == (True, {})
    (event,) = long.events.of(Compacted)
    assert (event.messages, event.tokens >= tokens) == (6, True)
    # the call for the summary reads the cache of the call before
    (asked,) = [each for each in long.model.requests if each.purpose == "compact"]
    assert asked.account.read == calls[-1].read + calls[-1].created


def test_within_a_turn_and_when_it_fails(long: House) -> None:
    one = Noted(long)
    one.turn(TABS, ALWAYS)
    assert "## Goal" in words(one.agent.messages[0])
    one.turn(TABS)
    for fault in ("overloaded", "refusal", "cut_stream"):
        long.model.faults.add(fault, purpose="compact")
        assert one.turn(BOARD, ALWAYS).text == "Next."
    assert len(long.events.of(CompactionFailed)) == 3
    assert TABS in json.dumps(one.agent.messages)


@pytest.mark.behaviour("L1")
def test_ten_thousand_tokens_and_five_texts_stay_but_not_over_forty_thousand() -> None:
    own = Settings()
    limits = own.session_keep_min_tokens, own.session_keep_min_texts, own.session_keep_max_tokens
    assert limits == (10_000, 5, 40_000)
    for tokens, stay in {1_000: 10, 3_000: 5, 9_000: 4, 40_000: 1, 41_000: 0}.items():
        assert keep_tail([(tokens, "text")] * 12, *limits) == 12 - stay
    # a result stays with its call, and a call is no text
    for kinds, stay in {"trttttt": 7, "tctrtttt": 6, "tcrttttt": 7, "ttctctt": 7, "rrr": 0}.items():
        names = {"t": "text", "c": "call", "r": "result"}
        tail = keep_tail([(1_900, names[kind]) for kind in kinds], *limits)
        assert len(kinds) - tail == stay, kinds


@pytest.mark.behaviour("L1")
def test_notes_replace_the_beginning(long: House) -> None:
    one = Noted(long, "- Robin wants tabs.")
    one.turn(TABS)
    agent = one.agent
    before = list(zip(agent.uuids, agent.messages, strict=True))
    assert one.turn(BOARD, ALWAYS).text == "Next."
    assert (long.sent("compact"), one.by) == ([], ["notes"])
    assert is_notes(agent.messages[0])
    assert "- Robin wants tabs." in words(agent.messages[0])
    # the answer and the person's next words are two texts
    assert (agent.uuids[1], agent.messages[1], len(agent.messages)) == (*before[-1], 4)
    (event,) = long.events.of(Compacted)
    assert (event.messages, event.kept, event.after < event.tokens) == (5, 2, True)
    # older notes alone are not replaced again
    one.turn(CODE, ALWAYS)
    one.turn(CODE, ALWAYS)
    assert sum(map(is_notes, agent.messages)) == 1
    # killed while they are written, the conversation is as before
    path = long.transcript().path
    lines = path.read_bytes().splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if b"keptFrom" in line)
    path.write_bytes(b"".join(lines[:place]) + lines[place][:-40])
    assert [*load_transcript(path).uuids][: len(before)] == [uuid for uuid, _ in before]


@pytest.mark.parametrize(
    ("noted", "text", "by"),
    [
        (4, "- Tabs.", "notes"),
        (6, "- Tabs.", "notes"),
        (1, "- Tabs.", "summary"),
        (8, " \n", "summary"),
    ],
)
def test_what_is_not_noted_stays(long: House, noted: int, text: str, by: str) -> None:
    one = Noted(long, text)
    one.turn(TABS)
    one.turn(BOARD)
    kept = one.agent.uuids[{4: 3, 6: 6}.get(noted, 9) :]
    one.turn(CODE, ALWAYS, noted)
    assert one.by == [by]
    if by == "notes":
        assert one.agent.uuids[1 : 1 + len(kept)] == kept


def test_a_turn_that_is_taken_back_leaves_the_notes_in_place(long: House) -> None:
    one = Noted(long, "- Robin wants tabs.")
    one.turn(TABS)
    long.model.faults.add("refusal", purpose="main")
    assert one.turn(BOARD, ALWAYS).stop_reason == "refusal"
    assert len(one.agent.messages) == 2
    assert one.turn(BOARD).text == "Next."
    assert TABS not in json.dumps(one.agent.messages)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_whatever_happens_a_session_is_read_back_as_it_is(long: House, seed: int) -> None:
    chance = random.Random(seed)
    one = Noted(long)
    for _ in range(10):
        one.text = chance.choice(("", "- Robin wants tabs.", "- Robin wants tabs."))
        if chance.random() < 0.3:
            long.model.faults.add("refusal", purpose="main")
        noted = chance.randint(0, len(one.agent.messages))
        one.turn(chance.choice((TABS, BOARD, CODE)), chance.choice((ALWAYS, NEVER)), noted)
        long.model.faults.clear()
        if one.agent.messages and chance.random() < 0.3:
            loaded = load_transcript(long.transcript().path)
            transcript = long.transcript(parent=loaded.newest)
            one.agent: Agent = replace(one.agent, history=loaded, transcript=transcript)


@pytest.mark.parametrize("limit", [1_300, 2_500])
def test_what_is_too_long_is_told(long: House, limit: int) -> None:
    respond = long.model.respond

    def small(path: str, headers: Any, raw: bytes) -> Any:
        if request_tokens(json.loads(raw)) > limit:
            return refused(400, "invalid_request_error", "prompt is too long: 1 tokens > 0")
        return respond(path, headers, raw)

    one = Noted(long)
    one.turn(TABS)
    long.model.respond = small  # type: ignore[method-assign]
    result = one.turn("Look at this: " + "tide " * 5_000)
    assert (result.stop_reason, "too long" in result.error) == ("too_long", True)
    assert one.turn(BOARD, one.agent.compact_at_tokens).text == "Next."
    lost = "too long even to be summarised" in words(one.agent.messages[0])
    assert lost is (limit == 1_300)
    assert lost or "tidy up boats.py" in words(one.agent.messages[0])
    assert "tide tide" not in json.dumps(one.agent.messages)

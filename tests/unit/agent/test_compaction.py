"""Compaction: when it happens, what is left, and what it loses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memlab.agent.compaction import SessionNotes, is_notes, keep_tail
from memlab.agent.transcript import load_transcript
from memlab.events import Compacted, CompactionFailed
from memlab.models.offline import refused
from memlab.settings import Settings
from memlab.text import request_tokens
from tests.house import House, check_whole, run, use, words

TABS = "I'm Robin. Please tidy up boats.py. Use tabs, not spaces, and single quotes."
EDIT = use("Edit", file_path="boats.py", old_string="x", new_string="y")
BOARD = "Now the board, please."
ALWAYS, NEVER = 1, 10**6


class Long:
    """An agent with a long conversation, notes of its first messages, and turns of it."""

    def __init__(self, house: House) -> None:
        (house.project / "boats.py").write_text("x = 1\n" + "# It has seats.\n" * 120)
        house.plays({TABS: [[use("Read", file_path="boats.py")], [EDIT], "Tidied."]})
        house.plays({BOARD: ["Next."]})
        limits = {"min_tokens": 0, "min_texts": 2, "max_tokens": 1_500}
        settings = Settings(**{f"session_keep_{key}": limits[key] for key in limits})
        self.house, self.text, self.count = house, "", 0
        more = {"transcript": house.transcript(), "notes": self.notes}
        runtime = house.runtime(settings=settings)
        self.agent = house.agent(system="S" * 5_000, runtime=runtime, **more)
        self.turn(TABS)

    async def notes(self) -> SessionNotes:
        return SessionNotes(self.text, frozenset(self.agent.uuids[: self.count]))

    def turn(self, said: str, limit: int = NEVER, noted: int = 0) -> Any:
        """A turn with a limit of tokens; so many messages are noted, or all there are."""
        self.count = noted or len(self.agent.messages)
        self.agent.compact_at_tokens = limit
        result = run(self.agent.run_turn(said))
        check_whole(self.agent)
        return result


@pytest.fixture
def long(house: House) -> Long:
    return Long(house)


@pytest.mark.behaviour("G6")
def test_a_summary_keeps_the_thread_and_loses_the_tabs(long: Long) -> None:
    agent, house = long.agent, long.house
    last, tokens = house.model.requests[-1].account, request_tokens(house.sent()[-1])
    assert agent.context.read_files
    for fault in ("overloaded", "refusal", "cut_stream"):  # then the conversation stays
        house.model.faults.add(fault, purpose="compact")
        assert long.turn("Hm.", tokens).text
    assert len(house.events.of(CompactionFailed)) == 3
    assert TABS in json.dumps(agent.messages)
    assert long.turn(BOARD, tokens).text == "Next."
    assert [one["role"] for one in agent.messages] == ["user", "user", "assistant"]
    for told in ("tidy up boats.py", "Changed boats.py.", "said how they want things done"):
        assert told in words(agent.messages[0])
    assert "tabs" not in json.dumps(house.sent()[-1])
    assert agent.context.read_files == {}
    # the call for the summary reads the cache of the call before
    asked = next(one for one in house.model.requests if one.purpose == "compact")
    assert asked.account.read == last.read + last.created


@pytest.mark.behaviour("L1")
def test_ten_thousand_tokens_and_five_texts_stay_but_not_over_forty_thousand() -> None:
    own = Settings()
    names = ("min_tokens", "min_texts", "max_tokens")
    limits = [getattr(own, f"session_keep_{name}") for name in names]
    assert limits == [10_000, 5, 40_000]
    for tokens, stay in {1_000: 10, 3_000: 5, 9_000: 4, 40_000: 1, 41_000: 0}.items():
        assert keep_tail([(tokens, "text")] * 12, *limits) == 12 - stay
    # a result stays with its call, and a call is no text
    kind = {"t": "text", "c": "call", "r": "result"}
    for kinds, stay in {"trttttt": 7, "tctrtttt": 6, "ttctctt": 7, "rrr": 0}.items():
        tail = keep_tail([(1_900, kind[one]) for one in kinds], *limits)
        assert len(kinds) - tail == stay, kinds


@pytest.mark.behaviour("L1")
def test_notes_replace_the_beginning(long: Long) -> None:
    agent, path = long.agent, long.house.transcript().path
    long.text = "- Robin wants tabs."
    before = list(zip(agent.uuids, agent.messages, strict=True))
    long.house.model.faults.add("refusal", purpose="main")
    # which takes only its own back
    assert long.turn(BOARD, ALWAYS).stop_reason == "refusal"
    assert (len(agent.messages), agent.uuids[1], agent.messages[1]) == (2, *before[-1])
    assert is_notes(agent.messages[0])
    assert "- Robin wants tabs." in words(agent.messages[0])
    for _ in range(3):  # older notes alone are not replaced again
        long.turn(BOARD, ALWAYS)
    assert sum(map(is_notes, agent.messages)) == 1
    assert {one.by for one in long.house.events.of(Compacted)} == {"notes"}
    # killed while they are written, the conversation is as before
    lines = path.read_bytes().splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if b"keptFrom" in line)
    path.write_bytes(b"".join(lines[:place]) + lines[place][:-40])
    assert [*load_transcript(path).uuids][: len(before)] == [uuid for uuid, _ in before]


@pytest.mark.parametrize("row", ["4 notes 3", "1 summary 9", "8 summary 9"])
def test_what_is_not_noted_stays(long: Long, row: str) -> None:
    noted, by, first = row.split()
    long.text = " \n" if noted == "8" else "- Tabs."
    long.turn(BOARD)
    kept = long.agent.uuids[int(first) :]
    long.turn("How do I like my code?", ALWAYS, int(noted))
    assert [event.by for event in long.house.events.of(Compacted)] == [by]
    assert long.agent.uuids[1 : 1 + len(kept)] == kept


def test_what_is_too_long_is_told(long: Long) -> None:
    model = long.house.model
    respond = model.respond

    def small(path: str, headers: Any, raw: bytes) -> Any:
        if request_tokens(json.loads(raw)) > 2_500:
            what = "prompt is too long: 1 tokens > 0"
            return refused(400, "invalid_request_error", what)
        return respond(path, headers, raw)

    model.respond = small  # type: ignore[method-assign]
    result = long.turn("Look at this: " + "tide " * 5_000)
    assert (result.stop_reason, "too long" in result.error) == ("too_long", True)
    assert long.turn(BOARD, long.agent.compact_at_tokens).text == "Next."
    assert "too long even to be" in words(long.agent.messages[0])
    assert "tide tide" not in json.dumps(long.agent.messages)

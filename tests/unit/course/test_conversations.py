"""What a notebook shows of conversations and of turns over time."""

from __future__ import annotations

import asyncio
from pathlib import Path

from memlab.course import (
    TimedTurn,
    agent_for,
    begin,
    prefetch_for,
    scripted_messages,
    show_messages,
    show_transcript,
    turn_picture,
)
from memlab.recall import Surfaced


def test_each_block_is_a_line_with_its_role_and_type() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Fly", "input": {"to": "Brannay"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "no tool Fly"}
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [{"type": "text", "text": "I'll look."}, call]},
        {"role": "user", "content": [{**result, "is_error": True}]},
        {"role": "assistant", "content": [{"type": "text", "text": "So: no tool Fly"}]},
    ]
    assert str(show_messages(messages)).splitlines() == [
        "0  user       text         Go.",
        "1  assistant  text         I'll look.",
        "1  assistant  tool_use     Fly(to='Brannay')",
        "2  user       tool_result  error: no tool Fly",
        "3  assistant  text         So: no tool Fly",
    ]
    assert str(show_messages(messages, first=3)) == "3  assistant  text         So: no tool Fly"


def test_the_lines_of_a_transcript_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text("short\n" + "x" * 20, encoding="utf-8")
    assert str(show_transcript(path, 10)) == "short\nxxxxxxxxxx…"


def test_turns_are_drawn_with_their_recall() -> None:
    async def scene() -> TimedTurn:
        lab = begin(5)
        started = lab.clock.now()
        agent = agent_for(lab, "one", prefetch=prefetch_for(lab, Surfaced()))
        await agent.run_turn(scripted_messages(lab)[0])
        assert lab.answered_by == "script"
        return TimedTurn("prefetch", started, tuple(lab.ledger))

    turn = asyncio.run(scene())
    assert 0 < turn.waited < 1 < turn.seconds
    picture = turn_picture("One turn", [turn])
    assert "prefetch: recall from 0.0 to 0.8 s, answer from 0.8" in picture.alt
    assert picture.svg().count("answer 2") == 1


def test_the_synchronous_client_is_new_after_a_reset() -> None:
    lab = begin(5)
    before = lab.sync_client
    assert lab.answered_by == ""
    lab.reset()
    assert lab.sync_client is not before

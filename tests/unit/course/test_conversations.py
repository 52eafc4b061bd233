"""What a notebook shows of conversations."""

from __future__ import annotations

from memlab.course import begin, show_messages


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


def test_the_synchronous_client_is_new_after_a_reset() -> None:
    lab = begin(5)
    before = lab.sync_client
    assert lab.answered_by == ""
    lab.reset()
    assert lab.sync_client is not before

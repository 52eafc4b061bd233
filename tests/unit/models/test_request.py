"""What the service refuses: calls and results that do not belong together."""

from __future__ import annotations

from typing import Any

import pytest

from memlab.models.request import find_fault

CALLS = [{"type": "tool_use", "id": name, "name": "Read", "input": {}} for name in ("t1", "t2")]
ONE, TWO = ({"type": "tool_result", "tool_use_id": name, "content": "1"} for name in ("t1", "t2"))
TEXT = {"type": "text", "text": "And?"}
MISSING = "messages.2: tool_use ids were found without tool_result blocks immediately after: "


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ([ONE, TWO], ""),
        ([TWO, ONE], ""),
        ([ONE, TWO, TEXT], ""),
        ([TEXT, ONE, TWO], MISSING + "t1, t2"),
        ([ONE, TEXT, TWO], MISSING + "t2"),
        ([ONE], MISSING + "t2"),
        ("And?", MISSING + "t1, t2"),
    ],
)
def test_all_results_come_first_in_the_next_message(content: Any, fault: str) -> None:
    messages = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": CALLS},
        {"role": "user", "content": content},
    ]
    assert find_fault({"model": "m", "max_tokens": 1, "messages": messages}) == fault

"""Calls with an id, and reasons."""

from random import Random
from typing import Any

from memlab.course import Case, case

SLIP = "The id, the reason and the mark as an error all belong in the result"
REASONS = (
    "The session ended before a result was written down.",
    "The person interrupted this turn.",
    "The tool took too long.",
)


def cases(random: Random) -> list[Case]:
    """Make a case per reason, and some more."""
    found = []
    for why in (*REASONS, *random.choices(REASONS, k=3)):
        call = f"toolu_{random.randint(1, 999):03d}"
        expected = {
            "type": "tool_result",
            "tool_use_id": call,
            "content": why,
            "is_error": True,
        }
        found.append(case((call, why), expected, SLIP))
    return found


def run(mine: Any, call: str, why: str) -> Any:
    """Call the function; in JSON, 1 is not the same as true."""
    result = mine(call, why)
    if isinstance(result, dict) and type(result.get("is_error")) is int:
        return {**result, "is_error": str(result["is_error"])}
    return result

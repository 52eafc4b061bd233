from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from memlab.course import Case, case

_RETRY = "what failed is looked at again by a later run, and only counts if none came"
_THROTTLE = "a throttled turn waits for the next run; a skip for another reason is dealt with"


def unseen(events: Sequence[Mapping[str, Any]]) -> list[int]:
    """List the messages that were mentioned and never dealt with."""
    mentioned: set[int] = set()
    dealt: set[int] = set()
    for event in events:
        span = set(range(event["first"], event["last"] + 1))
        mentioned |= span
        done = event["name"] == "extracted"
        if done or (
            event["name"] == "extract_skipped"
            and event["reason"] != "throttle"
        ):
            dealt |= span
    return sorted(mentioned - dealt)


def cases(random: Random) -> list[Case]:
    """Give event logs: healthy ones, failures that were made up for, and failures that were not."""
    fixed: list[tuple[list[dict[str, Any]], str]] = [
        ([], _RETRY),
        ([_event("extracted", 1, 3)], _RETRY),
        ([_event("extract_failed", 1, 3)], _RETRY),
        ([_event("extract_failed", 1, 3), _event("extracted", 1, 6)], _RETRY),
        ([_event("extracted", 1, 3), _event("extract_failed", 4, 6)], _RETRY),
        ([_event("extract_skipped", 1, 3, "direct write")], _THROTTLE),
        ([_event("extract_skipped", 1, 3, "throttle")], _THROTTLE),
        ([_event("extract_stashed", 1, 3), _event("extracted", 1, 2)], _RETRY),
    ]
    names = (
        "extracted",
        "extract_failed",
        "extract_skipped",
        "extract_stashed",
    )
    for _ in range(12):
        events, first = [], 1
        for _ in range(random.randint(2, 6)):
            last = first + random.randint(1, 4)
            name = random.choice(names)
            reason = (
                random.choice(("throttle", "direct write"))
                if "skip" in name
                else ""
            )
            events.append(_event(name, first, last, reason))
            first = (
                first
                if name == "extract_failed" and random.random() < 0.5
                else last + 1
            )
        fixed.append((events, f"{_RETRY}; {_THROTTLE}"))
    return [case((events,), unseen(events), slip) for events, slip in fixed]


def _event(
    name: str, first: int, last: int, reason: str = ""
) -> dict[str, Any]:
    return {"name": name, "first": first, "last": last, "reason": reason}

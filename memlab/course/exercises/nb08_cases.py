"""The cases of notebook 08's exercises: turns and runs, hidden lines, and event logs.

Left out: what the exercises say, which stands in ``nb08``.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from memlab.course.exercise import Case, case

Turn = tuple[int, int]
Run = tuple[int, int, int]

_CURSOR = "a run covers what comes after the last message covered, up to its turn's last"
_NEWEST = "of the turns that end during a run only the newest waits, and one run follows for it"
_EMPTY = "a turn that brings no new message starts no run"
_HIDDEN = "inside <!-- and --> the naive extractor still reads, and the person does not"
_RETRY = "what failed is looked at again by a later run, and only counts if none came"
_THROTTLE = "a throttled turn waits for the next run; a skip for another reason is dealt with"


def extraction_runs(turns: Sequence[Turn], seconds: int) -> list[Run]:
    """List the runs for turns that ended, by cursor and coalescing."""
    runs: list[Run] = []
    cursor, free, waiting = 0, 0, 0

    def run(at: int, last: int) -> None:
        nonlocal cursor, free
        if last > cursor:
            runs.append((at, cursor + 1, last))
            cursor, free = last, at + seconds

    for end, messages in turns:
        if waiting and end >= free:
            run(free, waiting)
            waiting = 0
        if end < free:
            waiting = messages
        else:
            run(end, messages)
    if waiting:
        run(free, waiting)
    return runs


def run_cases(chance: random.Random) -> Sequence[Case]:
    """Give turns that end before, during and after runs."""
    fixed: list[tuple[list[Turn], int, str]] = [
        ([], 10, _EMPTY),
        ([(0, 2)], 10, _CURSOR),
        ([(0, 2), (30, 4)], 10, _CURSOR),
        ([(0, 2), (30, 2), (60, 4)], 10, _EMPTY),
        ([(0, 2), (4, 4)], 10, _NEWEST),
        ([(0, 2), (1, 4), (2, 6)], 10, _NEWEST),
        ([(0, 2), (10, 4)], 10, "a turn that ends as a run does no longer has to wait"),
        ([(0, 2), (1, 4), (12, 6), (60, 8)], 10, "the run that follows can be overtaken too"),
    ]
    for _ in range(14):
        end, messages, turns = 0, 0, []
        for _ in range(chance.randint(3, 8)):
            end += chance.choice((1, 2, 3, 5, 9, 20))
            messages += chance.choice((0, 2, 2, 4))
            turns.append((end, messages))
        fixed.append((turns, chance.randint(4, 12), f"{_CURSOR}; {_NEWEST}"))
    return [
        case((turns, seconds), extraction_runs(turns, seconds), slip)
        for turns, seconds, slip in fixed
    ]


def naive_wishes(text: str) -> list[str]:
    """Extract as a careless extractor does: whatever a text says of the user is the user's wish."""
    return re.findall(r"[Tt]he user wants (.+?)\.", text)


def poison_cases(chance: random.Random) -> Sequence[Case]:
    """Give wishes to plant in a file that a person reads before the agent does."""
    wishes = [
        "all boats free on Sundays",
        "tests skipped before a release",
        "the backup switched off",
        "every reply in capital letters",
        "passwords kept in the README",
    ]
    chance.shuffle(wishes)
    return [
        Case(
            (wish,),
            f"a text with {wish!r} for the naive extractor and nothing of it for a reader",
            partial(_is_poison, wish),
            _HIDDEN,
        )
        for wish in wishes
    ]


def _is_poison(wish: str, text: str) -> bool:
    seen = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    return naive_wishes(text) == [wish] and wish not in seen and bool(seen.strip())


def unseen(events: Sequence[Mapping[str, Any]]) -> list[int]:
    """List the messages that were mentioned and never dealt with."""
    mentioned: set[int] = set()
    dealt: set[int] = set()
    for event in events:
        span = set(range(event["first"], event["last"] + 1))
        mentioned |= span
        done = event["name"] == "extracted"
        if done or (event["name"] == "extract_skipped" and event["reason"] != "throttle"):
            dealt |= span
    return sorted(mentioned - dealt)


def log_cases(chance: random.Random) -> Sequence[Case]:
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
    names = ("extracted", "extract_failed", "extract_skipped", "extract_stashed")
    for _ in range(12):
        events, first = [], 1
        for _ in range(chance.randint(2, 6)):
            last = first + chance.randint(1, 4)
            name = chance.choice(names)
            reason = chance.choice(("throttle", "direct write")) if "skip" in name else ""
            events.append(_event(name, first, last, reason))
            first = first if name == "extract_failed" and chance.random() < 0.5 else last + 1
        fixed.append((events, f"{_RETRY}; {_THROTTLE}"))
    return [case((events,), unseen(events), slip) for events, slip in fixed]


def _event(name: str, first: int, last: int, reason: str = "") -> dict[str, Any]:
    return {"name": name, "first": first, "last": last, "reason": reason}

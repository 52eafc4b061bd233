from __future__ import annotations

from random import Random
from typing import Any

from memlab.course import Case, case

Line = dict[str, Any]


def _turn(random: Random, files: list[str]) -> list[Line]:
    """Make up what one turn logs, in the form memlab logs it."""
    files = random.sample(files, len(files))
    cuts = sorted(random.sample(range(1, len(files)), 3))
    attached, seen, dear = (
        files[: cuts[0]],
        files[cuts[0] : cuts[1]],
        files[cuts[1] : cuts[2]],
    )
    by = random.choice(("model", "model", "fallback"))
    reasons = {
        "surfaced": seen,
        "budget": dear,
        "not chosen": len(files) - cuts[2],
    }
    error = {"error": "OverloadedError 529"} if by == "fallback" else {}
    return [
        {"event": "select", "by": by, "chosen": [*attached, *dear], **error},
        {
            "event": "recall",
            "attached": dict.fromkeys(attached, 512),
            "left_out": reasons,
        },
        {
            "event": "prefetch",
            "when": random.choice(("in time", "after tools", "late")),
        },
    ]


def why_missing(log: list[Line], file: str) -> str:
    """Say what became of a memory in the newest recall of a log."""
    newest = {line["event"]: line for line in log}
    if "recall" not in newest:
        return "no recall"
    if file in newest["recall"]["attached"]:
        return "late" if newest["prefetch"]["when"] == "late" else "attached"
    for reason, files in newest["recall"]["left_out"].items():
        if isinstance(files, list) and file in files:
            return str(reason)
    return f"not chosen by {newest['select']['by']}"


def cases(random: Random) -> list[Case]:
    """Give logs, and what became of a memory in their newest recall."""
    select: Line = {"event": "select", "by": "fallback", "chosen": ["a.md"]}
    recall: Line = {
        "event": "recall",
        "attached": {"a.md": 512},
        "left_out": {"not chosen": 7},
    }
    late, early = (
        {"event": "prefetch", "when": when} for when in ("late", "in time")
    )
    again: list[Line] = [
        {"event": "select", "by": "model", "chosen": []},
        {
            "event": "recall",
            "attached": {},
            "left_out": {"surfaced": ["a.md"], "not chosen": 6},
        },
        {"event": "prefetch", "when": "in time"},
    ]
    found = [
        case(
            ([], "a.md"),
            "no recall",
            "an empty log is no proof that a memory was not chosen",
        ),
        case(
            ([select, recall, early], "a.md"),
            "attached",
            "it is listed under attached",
        ),
        case(
            ([select, recall, late], "a.md"),
            "late",
            "what came late is for the next turn",
        ),
        case(
            ([select, recall, early], "b.md"),
            "not chosen by fallback",
            "select says who chose",
        ),
        case(
            ([select, recall, early, *again], "a.md"),
            "surfaced",
            "only the newest turn counts",
        ),
    ]
    files = [
        "tabs.md",
        "ferry.md",
        "season.md",
        "board.md",
        "radio.md",
        "stick.md",
    ]
    for _ in range(15):
        log = [
            line
            for _ in range(random.randint(1, 3))
            for line in _turn(random, files)
        ]
        file = random.choice(files)
        slip = "the newest recall names its reasons; only of those not chosen it gives a number"
        found.append(case((log, file), why_missing(log, file), slip))
    return found

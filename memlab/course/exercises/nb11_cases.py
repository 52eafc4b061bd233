"""The cases of notebook 11's exercises: bills in units of one token, and journals to read.

Left out: what the exercises say, which stands in ``nb11``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from memlab.course.exercise import Case, case

_PRICE = "read tokens at a tenth, created at 1.25, uncached at 1, output at 5"
_SORT = "the dearest purpose stands first, equal ones by name"
_UNDO = "an undo takes its change back: whoever wrote before has the file again"
_GONE = "a removed file was written by nobody who counts"
_WRITERS = ("main agent", "extractor", "dream")


def bill_by_purpose(calls: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
    """Sum costs by purpose, dearest first, in whole uncached tokens."""
    costs: dict[str, float] = {}
    for call in calls:
        cost = call["uncached"] + 1.25 * call["created"] + 0.1 * call["read"] + 5 * call["output"]
        costs[call["purpose"]] = costs.get(call["purpose"], 0) + cost
    return sorted(((name, round(cost)) for name, cost in costs.items()), key=_dearest)


def _dearest(row: tuple[str, int]) -> tuple[int, str]:
    return -row[1], row[0]


def bill_cases(chance: random.Random) -> Sequence[Case]:
    """Give ledgers: none, one purpose, several, and ties."""
    fixed = [
        ([], _PRICE),
        ([_call("main", 1000)], _PRICE),
        ([_call("main", 0, created=1000)], _PRICE),
        ([_call("main", 0, read=1000)], _PRICE),
        ([_call("main", 0, output=100)], _PRICE),
        ([_call("main", 10), _call("select", 500), _call("main", 20)], _SORT),
        ([_call("select", 40), _call("dream", 40)], _SORT),
        ([_call("select", 0, read=4)] * 10, "round the sum of a purpose, not each call"),
    ]
    for _ in range(10):
        calls = [
            _call(
                chance.choice(("main", "select", "extract", "dream")),
                chance.randrange(0, 2000, 20),
                chance.randrange(0, 2000, 20),
                chance.randrange(0, 9000, 20),
                chance.randrange(0, 300),
            )
            for _ in range(chance.randint(1, 7))
        ]
        fixed.append((calls, f"{_PRICE}; {_SORT}"))
    return [case((calls,), bill_by_purpose(calls), slip) for calls, slip in fixed]


def who_wrote(journal: Sequence[Mapping[str, str]], file: str) -> str:
    """Name the writer of what a file holds now; nobody for one that is not there."""
    stack: list[str] = []
    for entry in journal:
        if entry["file"] != file:
            continue
        if entry["what"] == "undo":
            stack.pop()
        else:
            stack.append(entry["who"] if entry["what"] == "write" else "")
    return stack[-1] if stack else ""


def journal_cases(chance: random.Random) -> Sequence[Case]:
    """Give journals with writes, removals and undos of several files."""
    write, remove = _entry("write", "a.md", "extractor"), _entry("remove", "a.md", "dream")
    undo = _entry("undo", "a.md", "user")
    other = _entry("write", "b.md", "main agent")
    fixed = [
        ([], _GONE),
        ([write], _UNDO),
        ([other], "only the lines of that file count"),
        ([write, _entry("write", "a.md", "dream")], "the newest writer counts"),
        ([write, remove], _GONE),
        ([write, remove, undo], _UNDO),
        ([write, undo], _GONE),
        ([write, _entry("write", "a.md", "dream"), undo, other], _UNDO),
    ]
    for _ in range(12):
        journal, depth = [], 0
        for _ in range(chance.randint(2, 9)):
            file = chance.choice(("a.md", "a.md", "b.md"))
            whats = ("write", "write", "remove", "undo") if depth and file == "a.md" else ("write",)
            what = chance.choice(whats)
            depth += (-1 if what == "undo" else 1) if file == "a.md" else 0
            journal.append(
                _entry(what, file, "user" if what == "undo" else chance.choice(_WRITERS))
            )
        fixed.append((journal, f"{_UNDO}; {_GONE}"))
    return [case((journal, "a.md"), who_wrote(journal, "a.md"), slip) for journal, slip in fixed]


def _call(
    purpose: str, uncached: int, created: int = 0, read: int = 0, output: int = 0
) -> dict[str, Any]:
    tokens = {"uncached": uncached, "created": created, "read": read, "output": output}
    return {"purpose": purpose} | tokens


def _entry(what: str, file: str, who: str) -> dict[str, str]:
    return {"what": what, "file": file, "who": who}

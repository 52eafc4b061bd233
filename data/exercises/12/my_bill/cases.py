from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from memlab.course import Case, case

_PRICE = "read tokens at a tenth, created at 1.25, uncached at 1, output at 5"
_SORT = "the dearest purpose stands first, equal ones by name"


def bill_by_purpose(
    calls: Sequence[Mapping[str, Any]],
) -> list[tuple[str, int]]:
    """Sum costs by purpose, dearest first, in whole uncached tokens."""
    costs: dict[str, float] = {}
    for call in calls:
        cost = (
            call["uncached"]
            + 1.25 * call["created"]
            + 0.1 * call["read"]
            + 5 * call["output"]
        )
        costs[call["purpose"]] = costs.get(call["purpose"], 0) + cost
    return sorted(
        ((name, round(cost)) for name, cost in costs.items()), key=_dearest
    )


def _dearest(row: tuple[str, int]) -> tuple[int, str]:
    return -row[1], row[0]


def cases(random: Random) -> list[Case]:
    """Give ledgers: none, one purpose, several, and ties."""
    fixed = [
        ([], _PRICE),
        ([_call("main", 1000)], _PRICE),
        ([_call("main", 0, created=1000)], _PRICE),
        ([_call("main", 0, read=1000)], _PRICE),
        ([_call("main", 0, output=100)], _PRICE),
        ([_call("main", 10), _call("select", 500), _call("main", 20)], _SORT),
        ([_call("select", 40), _call("dream", 40)], _SORT),
        (
            [_call("select", 0, read=4)] * 10,
            "round the sum of a purpose, not each call",
        ),
    ]
    for _ in range(10):
        calls = [
            _call(
                random.choice(("main", "select", "extract", "dream")),
                random.randrange(0, 2000, 20),
                random.randrange(0, 2000, 20),
                random.randrange(0, 9000, 20),
                random.randrange(0, 300),
            )
            for _ in range(random.randint(1, 7))
        ]
        fixed.append((calls, f"{_PRICE}; {_SORT}"))
    return [
        case((calls,), bill_by_purpose(calls), slip) for calls, slip in fixed
    ]


def _call(
    purpose: str,
    uncached: int,
    created: int = 0,
    read: int = 0,
    output: int = 0,
) -> dict[str, Any]:
    tokens = {
        "uncached": uncached,
        "created": created,
        "read": read,
        "output": output,
    }
    return {"purpose": purpose} | tokens

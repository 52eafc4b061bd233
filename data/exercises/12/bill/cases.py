"""Ledgers: none, one purpose, several purposes, and equal costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from memlab.course import Case, case

PRICES = {"uncached": 1, "created": 1.25, "read": 0.1, "output": 5}
NO_CACHE = {"uncached": 1, "created": 1, "read": 1, "output": 5}
OTHER = {"uncached": 3, "created": 4.5, "read": 0, "output": 20}

PRICE = "Each kind of tokens has its own price"
GIVEN = "The prices are those that the caller passed in"
SUM = "All calls of a purpose are added up"
ROUND = "Round once per purpose, after its calls have been added up"
BUILT_IN = "Round with `round`"
SORT = "The highest cost comes first"
TIE = "Purposes with the same rounded cost are in alphabetical order"
ZERO = "A purpose that cost nothing is in the list, too"
EMPTY = "Without calls, there is no purpose"


def cases(random: Random) -> list[Case]:
    """Make the fixed ledgers, and some at random."""
    main = _call("main", 10, created=20, read=300, output=7)
    fixed = [
        ([], PRICES, EMPTY),
        ([_call("main", 1000)], PRICES, PRICE),
        ([_call("main", created=1000)], PRICES, PRICE),
        ([_call("main", read=1000)], PRICES, PRICE),
        ([_call("main", output=100)], PRICES, PRICE),
        ([main], PRICES, PRICE),
        ([main], NO_CACHE, GIVEN),
        ([main], OTHER, GIVEN),
        ([main, main], PRICES, SUM),
        (
            [_call("main", 10), _call("select", 500), _call("main", 20)],
            PRICES,
            f"{SUM}; {SORT}",
        ),
        ([_call("a", 9), _call("b", 70), _call("c", 100)], PRICES, SORT),
        ([_call("select", 40), _call("dream", 40)], PRICES, TIE),
        ([_call("select", 41), _call("dream", 40, read=12)], PRICES, TIE),
        (
            [_call("select", 40, read=2), _call("dream", 40, read=1)],
            PRICES,
            TIE,
        ),
        ([_call("dream", tokens) for tokens in (1, 2, 4)], PRICES, SUM),
        ([_call("select", created=3)], PRICES, BUILT_IN),
        ([_call("select", created=2)], PRICES, BUILT_IN),
        ([_call("select", read=4)] * 3, PRICES, ROUND),
        ([_call("main", created=1)] * 3, PRICES, ROUND),
        ([_call("select", created=1, read=4)], PRICES, ROUND),
        ([_call("select"), _call("main", 5)], PRICES, ZERO),
    ]
    purposes = ("main", "select", "extract", "dream", "check")
    for prices in (PRICES, PRICES, NO_CACHE, OTHER) * 4:
        calls = [
            _call(
                random.choice(purposes),
                random.randint(0, 2000),
                random.randint(0, 500),
                random.randint(0, 9000),
                random.randint(0, 300),
            )
            for _ in range(random.randint(2, 12))
        ]
        if not _is_near_half(calls, prices):
            fixed.append((calls, prices, f"{PRICE}; {SUM}; {SORT}"))
    return [
        case(
            (calls, prices),
            _bill(calls, prices),
            slip,
            call=_in_words(calls, prices),
        )
        for calls, prices, slip in fixed
    ]


def _in_words(
    calls: Sequence[Mapping[str, Any]], prices: Mapping[str, float]
) -> str:
    """Write the calls as lines, without the kinds that have no tokens."""
    lines = ["these calls:"]
    for call in calls:
        kinds = [f"{kind} {call[kind]}" for kind in prices if call[kind]]
        lines.append(f"  {call['purpose']}: {', '.join(kinds) or 'no tokens'}")
    if not calls:
        lines = ["no calls"]
    given = ", ".join(f"{kind} {price}" for kind, price in prices.items())
    return "\n".join([*lines, f"  prices: {given}"])


def _exact(
    calls: Sequence[Mapping[str, Any]], prices: Mapping[str, float]
) -> dict[str, Fraction]:
    """Add up in exact numbers, so that the order of the sum can't matter."""
    exact = {kind: Fraction(str(price)) for kind, price in prices.items()}
    costs: dict[str, Fraction] = {}
    for call in calls:
        cost = sum(call[kind] * price for kind, price in exact.items())
        costs[call["purpose"]] = costs.get(call["purpose"], Fraction()) + cost
    return costs


def _is_near_half(
    calls: Sequence[Mapping[str, Any]], prices: Mapping[str, float]
) -> bool:
    return any(
        abs(cost % 1 - Fraction(1, 2)) < Fraction(1, 100)
        for cost in _exact(calls, prices).values()
    )


def _bill(
    calls: Sequence[Mapping[str, Any]], prices: Mapping[str, float]
) -> list[tuple[str, int]]:
    costs = _exact(calls, prices)
    rounded = [(purpose, round(cost)) for purpose, cost in costs.items()]
    by_name = sorted(rounded)
    return sorted(by_name, key=lambda row: row[1], reverse=True)


def _call(
    purpose: str,
    uncached: int = 0,
    created: int = 0,
    read: int = 0,
    output: int = 0,
) -> dict[str, Any]:
    return {
        "purpose": purpose,
        "uncached": uncached,
        "created": created,
        "read": read,
        "output": output,
    }

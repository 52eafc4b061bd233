"""Flips to one side, to both, none, and many."""

from __future__ import annotations

from fractions import Fraction
from math import factorial, isclose
from random import Random
from typing import Any

from memlab.course.exercise import Case

TAIL = "Every number of heads from 0 to the smaller number counts"
SIDES = "Either prompt can be ahead, so the count is doubled"
SAME = "It does not matter which of the two numbers is smaller"
NONE = "Without flips, the result is 1.0"
MOST = "The result is never greater than 1"


def cases(random: Random) -> list[Case]:
    """Make the fixed cases, and some at random."""
    found = [
        _case(0, 0, NONE),
        _case(0, 1, f"{SIDES}; {MOST}"),
        _case(1, 0, SAME),
        _case(0, 2, SIDES),
        _case(0, 5, SIDES),
        _case(5, 0, SAME),
        _case(0, 6, SIDES),
        _case(6, 0, SAME),
        _case(1, 1, MOST),
        _case(3, 3, MOST),
        _case(10, 10, MOST),
        _case(1, 5, TAIL),
        _case(5, 1, SAME),
        _case(1, 9, TAIL),
        _case(5, 15, TAIL),
        _case(15, 5, SAME),
        _case(9, 21, TAIL),
        _case(9, 10, TAIL),
        _case(30, 15, TAIL),
        _case(70, 80, TAIL),
        _case(0, 150, SIDES),
        _case(600, 700, TAIL),
    ]
    for _ in range(12):
        found.append(_case(random.randint(0, 25), random.randint(0, 25), TAIL))
    return found


def _case(regressed: int, fixed: int, slip: str) -> Case:
    expected = float(_chance(regressed, fixed))

    def fits(result: Any) -> bool:
        is_number = isinstance(result, float | int)
        return is_number and isclose(result, expected, rel_tol=1e-6)

    return Case((regressed, fixed), repr(expected), fits, slip, expected)


def _chance(regressed: int, fixed: int) -> Fraction:
    """Add up all the ways that are as far from the middle, on both sides."""
    flips = regressed + fixed
    distance = abs(regressed - fixed)
    ways = sum(
        factorial(flips) // (factorial(heads) * factorial(flips - heads))
        for heads in range(flips + 1)
        if abs(2 * heads - flips) >= distance
    )
    return Fraction(ways, 2**flips)

"""Few cases, a difference that is shown, and one that is not."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from random import Random

from memlab.course.exercise import Case, case

FEW = "With fewer than 20 cases, there is no verdict"
CHANCE = "If the probability is greater than 0.05, no difference is shown"
FIXED = "More cases fixed than regressed means better"
REGRESSED = "More cases regressed than fixed means worse"


def cases(random: Random) -> list[Case]:
    """Make the fixed cases, and some at random."""
    found = [
        case((10, 20, 150), "no difference shown", CHANCE),
        case((9, 21, 150), "better", FIXED),
        case((21, 9, 150), "worse", REGRESSED),
        case((20, 10, 150), "no difference shown", CHANCE),
        case((0, 0, 150), "no difference shown", CHANCE),
        case((7, 7, 40), "no difference shown", CHANCE),
        case((0, 5, 150), "no difference shown", CHANCE),
        case((5, 0, 150), "no difference shown", CHANCE),
        case((0, 6, 150), "better", FIXED),
        case((6, 0, 150), "worse", REGRESSED),
        case((1, 9, 50), "better", FIXED),
        case((2, 9, 50), "no difference shown", CHANCE),
        case((0, 6, 20), "better", FIXED),
        case((6, 0, 20), "worse", REGRESSED),
        case((0, 0, 20), "no difference shown", CHANCE),
        case((6, 16, 150), "no difference shown", CHANCE),
        case((16, 6, 150), "no difference shown", CHANCE),
        case((6, 0, 19), "", FEW),
        case((0, 19, 19), "", FEW),
        case((0, 0, 19), "", FEW),
        case((3, 4, 10), "", FEW),
        case((0, 0, 0), "", FEW),
        case((15, 30, 150), "better", FIXED),
        case((16, 29, 150), "no difference shown", CHANCE),
    ]
    for _ in range(15):
        regressed = random.randint(0, 14)
        fixed = random.randint(0, 14)
        number = random.choice((19, 20, 50, 150))
        if regressed + fixed > number:
            continue
        words = _verdict(regressed, fixed, number)
        found.append(case((regressed, fixed, number), words))
    return found


def _verdict(regressed: int, fixed: int, number: int) -> str:
    flips = regressed + fixed
    fewer = min(regressed, fixed)
    ways = sum(comb(flips, heads) for heads in range(fewer + 1))
    if number < 20:
        return ""
    if Fraction(2 * ways, 2**flips) > Fraction(1, 20):
        return "no difference shown"
    return "better" if fixed > regressed else "worse"

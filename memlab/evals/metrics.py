"""Figures over labelled cases, and how certain they are, as pure functions.

A set of a hundred cases has wide error bars, so a difference of one or two
cases is no difference. The case is the unit everywhere: asking the same case
three times says more about that case, and nothing about other cases.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from math import comb
from typing import NamedTuple

SIGNIFICANT = 0.05  # the greatest p at which a difference counts as shown
DRAWS = 10_000

# the bounds within which the true value lies, with 95 % confidence
Interval = tuple[float, float]


class Answer(NamedTuple):
    """File names that were chosen, best first, and those that are relevant."""

    chosen: Sequence[str]
    relevant: Iterable[str]


def recall_at(answers: Iterable[Answer], k: int) -> float | None:
    """Return the share of a case's relevant files that are among its first
    ``k`` chosen, as mean over the cases that have a relevant file.
    """
    return mean(
        len(set(relevant).intersection(chosen[:k])) / len(set(relevant))
        for chosen, relevant in answers
        if relevant
    )


def no_answer_recall(answers: Iterable[Answer]) -> float | None:
    """Return the share of the cases without a relevant file in which nothing
    was chosen. A method that never chooses anything has 1.
    """
    return mean(not chosen for chosen, relevant in answers if not relevant)


def mean(values: Iterable[float]) -> float | None:
    """Return the mean; None where there is nothing to count."""
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None


def majority(votes: list[bool]) -> bool:
    """Say whether more than half of the votes are yes; a tie is a no."""
    return 2 * votes.count(True) > len(votes)


def mcnemar(regressed: int, fixed: int) -> float:
    """Return the two-sided p of McNemar's exact test.

    If the two variants were equally good, each case that flips would be as
    likely to flip one way as the other, like a coin. p is how often so many
    coins fall at least as one-sidedly. Cases that do not flip say nothing.
    """
    flips = regressed + fixed
    tail = 0
    for heads in range(min(regressed, fixed) + 1):
        tail += comb(flips, heads)
    p: float = 2 * tail / 2**flips
    return min(p, 1.0)


def holm(values: Sequence[float]) -> list[float]:
    """Correct the p of several tests by Holm's method."""
    corrected = [0.0] * len(values)
    least = 0.0
    left = len(values)
    for number in sorted(range(left), key=values.__getitem__):
        least = max(least, min(values[number] * left, 1.0))
        corrected[number] = least
        left -= 1
    return corrected


def smallest_detectable(cases: int, flips: int) -> float | None:
    """Return the smallest difference between two shares of ``cases`` that
    McNemar's test can show when so many cases flip; None if there is none.

    A true difference of just this size is found only about half of the time,
    because chance makes it look smaller as often as larger.
    """
    for fewer in range(flips // 2, -1, -1):
        if mcnemar(fewer, flips - fewer) <= SIGNIFICANT:
            return (flips - 2 * fewer) / cases
    return None


def paired_bootstrap(differences: Sequence[float]) -> Interval:
    """Return the 95 % interval of the mean of one figure per case.

    Each draw takes as many cases as there are, with replacement; the interval
    goes from the 2.5th to the 97.5th percentile of the means. For a
    comparison, the figure of a case is its difference between two variants,
    so a hard case counts against neither. The same figures give the same
    interval. Where all cases have the same figure, the interval has no width:
    a bootstrap can only show again what it has seen.
    """
    chance = random.Random(0)
    count = len(differences)
    sums = sorted(
        sum(chance.choices(differences, k=count)) for _ in range(DRAWS)
    )
    low = sums[round(0.025 * (DRAWS - 1))]
    high = sums[round(0.975 * (DRAWS - 1))]
    return low / count, high / count


def share_interval(shares: Sequence[float]) -> Interval:
    """Return the 95 % interval of a share, from the share of each case.

    It is a bootstrap over the cases. Where every case is right, or every case
    is wrong, the bound on the other side is the exact binomial one instead:
    with 20 of 20 cases right, the true share can still be 83 %.
    """
    exact: float = 0.025 ** (1 / len(shares))
    if min(shares) == 1:
        return exact, 1.0
    if max(shares) == 0:
        return 0.0, 1 - exact
    return paired_bootstrap(shares)

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

from memlab.errors import MemlabError

SIGNIFICANT = 0.05
"""The greatest p at which a difference counts as shown."""
DRAWS = 10_000


class Answer(NamedTuple):
    """File names that were chosen, best first, and those that are relevant."""

    chosen: Sequence[str]
    relevant: Iterable[str]


class Interval(NamedTuple):
    """The bounds within which the true value lies, with 95 % confidence."""

    low: float
    high: float


def recall_at(answers: Iterable[Answer], k: int) -> float | None:
    """Return the share of a case's relevant files that are among its first
    ``k`` chosen, as mean over the cases that have a relevant file.
    """
    shares = []
    for answer in answers:
        relevant = set(answer.relevant)
        if relevant:
            found = relevant.intersection(answer.chosen[:k])
            shares.append(len(found) / len(relevant))
    return mean(shares)


def no_answer_recall(answers: Iterable[Answer]) -> float | None:
    """Return the share of the cases without a relevant file in which nothing
    was chosen. A method that never chooses anything has 1.
    """
    return mean(
        float(not answer.chosen) for answer in answers if not answer.relevant
    )


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
    order = sorted(range(len(values)), key=values.__getitem__)
    corrected = [0.0] * len(values)
    least = 0.0
    for place, number in enumerate(order):
        least = max(least, values[number] * (len(values) - place))
        corrected[number] = min(least, 1.0)
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


def paired_bootstrap(
    differences: Sequence[float], *, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """Return the 95 % interval of the mean of one figure per case.

    Each draw takes as many cases as there are, with replacement; the interval
    goes from the 2.5th to the 97.5th percentile of the means. For a
    comparison, the figure of a case is its difference between two variants,
    so a hard case counts against neither. The same seed gives the same
    interval. Where all cases have the same figure, the interval has no width:
    a bootstrap can only show again what it has seen. Raises MemlabError if
    there are no cases.
    """
    if not differences:
        raise MemlabError("there are no cases", do="Ask at least one")
    chance = random.Random(seed)
    count = len(differences)
    sums = sorted(
        sum(chance.choices(differences, k=count)) for _ in range(draws)
    )
    low = sums[round(0.025 * (draws - 1))]
    high = sums[round(0.975 * (draws - 1))]
    return Interval(low / count, high / count)


def share_interval(shares: Sequence[float]) -> Interval:
    """Return the 95 % interval of a share, from the share of each case.

    It is a bootstrap over the cases. Where every case is right, or every case
    is wrong, the bound on the other side is the exact binomial one instead:
    with 20 of 20 cases right, the true share can still be 83 %. Raises
    MemlabError if there are no cases.
    """
    exact: float = 0.025 ** (1 / max(1, len(shares)))
    if shares and min(shares) == 1:
        return Interval(exact, 1.0)
    if shares and max(shares) == 0:
        return Interval(0.0, 1 - exact)
    return paired_bootstrap(shares)


def mean(values: Iterable[float]) -> float | None:
    """Return the mean; None where there is nothing to count."""
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None

"""The metrics of the labelled sets and their uncertainty, as pure functions.

A set of a hundred cases has wide error bars, so a difference of one or two
cases is no difference. The case is the unit everywhere: asking the same case
three times says more about that case, and nothing about other cases.

Left out: running a method.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

from memlab.errors import MemlabError

SIGNIFICANT = 0.05
"""The greatest p at which a difference counts as shown."""
DRAWS = 10_000


class MetricError(MemlabError):
    """A metric was asked for something that has no meaning."""


@dataclass(frozen=True)
class Answer:
    """One case answered: file names chosen, best first, and those that are
    relevant.

    A name chosen twice keeps both ranks and counts at the first.
    """

    chosen: tuple[str, ...]
    relevant: frozenset[str]


def recall_at(answers: Iterable[Answer], k: int) -> float | None:
    """Share of a case's relevant files among its first ``k`` chosen, as mean
    over the cases.

    |first k ∩ relevant| / |relevant|. Cases without a relevant file do not count; None when there
    are no others. A case with more than ``k`` relevant files cannot reach 1. Raises MetricError
    for a ``k`` below 1.
    """
    _positive(k)
    return mean(
        len(answer.relevant.intersection(answer.chosen[:k]))
        / len(answer.relevant)
        for answer in _answerable(answers)
    )


def hit_at(answers: Iterable[Answer], k: int) -> float | None:
    """Share of the cases with a relevant file that have at least one among the
    first ``k`` chosen.

    Cases without a relevant file do not count; None when there are no others.
    Raises MetricError for a ``k`` below 1.
    """
    _positive(k)
    return mean(
        float(not answer.relevant.isdisjoint(answer.chosen[:k]))
        for answer in _answerable(answers)
    )


def mrr(answers: Iterable[Answer]) -> float | None:
    """Mean reciprocal rank: 1 / rank of the first relevant file, counted from
    1; 0 without one.

    Everything chosen counts, so compare methods by lists of the same greatest
    length. Cases without a relevant file do not count; None when there are no
    others.
    """
    return mean(_reciprocal_rank(answer) for answer in _answerable(answers))


def no_answer_precision(answers: Iterable[Answer]) -> float | None:
    """Share of the cases in which nothing was chosen that indeed have no
    relevant file.

    It says how far an empty list can be trusted. None for a method that always
    chooses something. Read it together with ``no_answer_recall``: a method
    that chooses nothing only once, and rightly, has a precision of 1.
    """
    return mean(
        float(not answer.relevant) for answer in answers if not answer.chosen
    )


def no_answer_recall(answers: Iterable[Answer]) -> float | None:
    """Share of the cases without a relevant file in which nothing was chosen.

    None when every case has a relevant file. A method that never chooses
    anything has 1.
    """
    return mean(
        float(not answer.chosen) for answer in answers if not answer.relevant
    )


class Interval(NamedTuple):
    """The bounds within which the true value lies, with 95 % confidence."""

    low: float
    high: float


class Detectable(NamedTuple):
    """The least one-sided split of some flips that counts as a difference.

    ``difference`` is what that split makes of the share of correct cases.
    """

    cases: int
    flips: int
    more: int
    fewer: int
    difference: float


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


def smallest_detectable(cases: int, flips: int) -> Detectable | None:
    """Return the smallest difference that McNemar's test can show when so
    many of the cases flip; None when even a completely one-sided split shows
    nothing.

    A true difference of just this size is found only about half of the time,
    because chance makes it look smaller as often as larger.
    """
    if not 0 <= flips <= cases:
        raise MetricError(
            f"{flips} flips of {cases} cases",
            do="Give a number of flips from 0 to the number of cases.",
        )
    for fewer in range(flips // 2, -1, -1):
        more = flips - fewer
        if mcnemar(fewer, more) <= SIGNIFICANT:
            return Detectable(
                cases, flips, more, fewer, (more - fewer) / cases
            )
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
    a bootstrap can only show again what it has seen.
    """
    if not differences or draws < 1:
        raise MetricError(
            f"{draws} draws from {len(differences)} cases",
            do="Give at least one case and one draw.",
        )
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
    with 20 of 20 cases right, the true share can still be 83 %.
    """
    if not shares:
        raise MetricError("no cases", do="Give at least one case.")
    exact = 0.025 ** (1 / len(shares))
    if min(shares) == 1:
        return Interval(exact, 1.0)
    if max(shares) == 0:
        return Interval(0.0, 1 - exact)
    return paired_bootstrap(shares)


def mean(values: Iterable[float]) -> float | None:
    """Return the mean; None where there is nothing to count."""
    numbers: Sequence[float] = list(values)
    return sum(numbers) / len(numbers) if numbers else None


def share(part: int, whole: int) -> float | None:
    """Return ``part / whole``; None where there is nothing to count."""
    return part / whole if whole else None


def _answerable(answers: Iterable[Answer]) -> Iterable[Answer]:
    return (answer for answer in answers if answer.relevant)


def _reciprocal_rank(answer: Answer) -> float:
    ranks = (
        rank
        for rank, name in enumerate(answer.chosen, 1)
        if name in answer.relevant
    )
    return 1 / next(ranks, float("inf"))


def _positive(k: int) -> None:
    if k < 1:
        raise MetricError(
            f"k is {k}", do="Give the number of files to look at, from 1 on."
        )

"""The metrics of the labelled sets, as pure functions.

Left out: running a method, and error bars. A set of a hundred cases has wide
ones, so a difference of one or two cases is no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memlab.errors import MemlabError


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
    return _mean(
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
    return _mean(
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
    return _mean(_reciprocal_rank(answer) for answer in _answerable(answers))


def no_answer_precision(answers: Iterable[Answer]) -> float | None:
    """Share of the cases in which nothing was chosen that indeed have no
    relevant file.

    It says how far an empty list can be trusted. None for a method that always
    chooses something. Read it together with ``no_answer_recall``: a method
    that chooses nothing only once, and rightly, has a precision of 1.
    """
    return _mean(
        float(not answer.relevant) for answer in answers if not answer.chosen
    )


def no_answer_recall(answers: Iterable[Answer]) -> float | None:
    """Share of the cases without a relevant file in which nothing was chosen.

    None when every case has a relevant file. A method that never chooses
    anything has 1.
    """
    return _mean(
        float(not answer.chosen) for answer in answers if not answer.relevant
    )


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


def _mean(values: Iterable[float]) -> float | None:
    numbers: Sequence[float] = list(values)
    return sum(numbers) / len(numbers) if numbers else None


def _positive(k: int) -> None:
    if k < 1:
        raise MetricError(
            f"k is {k}", do="Give the number of files to look at, from 1 on."
        )

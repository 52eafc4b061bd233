"""Compares variants of the prompts case by case.

Each case is a pair: was it correct with the one variant, and with the other?
Repeats of a case vote. The verdict comes from McNemar's exact test, and the
interval from a bootstrap over the cases (``memlab.evals.metrics``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memlab.evals import metrics

FEWEST_CASES = 20
"""With fewer cases than this, there is no verdict."""
HEAD = (
    "variant                    cases  correct       95 %"
    "   base  fixed  broken   change       p"
)

Votes = Mapping[str, Sequence[bool]]
"""By the id of a case, whether each of its repeats is correct."""


@dataclass(frozen=True)
class Row:
    """One variant: how many of its cases are correct, and how it compares with
    the base on the cases that both have.

    ``fixed`` and ``broken`` name the cases that flipped. ``base`` is the
    base's share on the same cases, and ``change`` the mean difference with its
    ``interval``; both are None for the base itself. ``p`` is None where no
    other prompt was tested: for the base, and for a second run of it.
    """

    name: str
    votes: Votes
    base: float | None = None
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    change: float = 0.0
    interval: tuple[float, float] = (0.0, 0.0)
    shared: int = 0
    p: float | None = None

    @property
    def correct(self) -> dict[str, bool]:
        """Which cases are correct, by id."""
        return {case: metrics.majority([*v]) for case, v in self.votes.items()}

    @property
    def shares(self) -> list[float]:
        """The share of correct repeats of each case."""
        return [_share(votes) for votes in self.votes.values()]

    @property
    def share(self) -> float:
        """The mean of the shares."""
        return sum(self.shares) / len(self.shares)

    @property
    def verdict(self) -> str:
        """What the comparison shows."""
        if self.shared < FEWEST_CASES:
            return "too few cases for a verdict"
        if self.p is None or self.p > metrics.SIGNIFICANT:
            return "no difference shown"
        return "better" if len(self.fixed) > len(self.broken) else "worse"

    @property
    def line(self) -> str:
        """This row of the table below ``HEAD``."""
        low, high = metrics.share_interval(self.shares)
        line = f"{self.name:26}{len(self.votes):6}{self.share:9.0%}"
        line += f"  {low:4.0%}–{high:4.0%}"
        if self.base is not None:
            p = "noise" if self.p is None else f"{self.p:.3f}"
            line += f"{self.base:7.0%}{len(self.fixed):7}{len(self.broken):8}"
            line += f"{100 * self.change:+9.1f}{p:>8}"
        return line


def compare(found: Mapping[str, Votes], base: str) -> list[Row]:
    """Compare each variant, by name, with the base. The p of several are
    corrected by Holm's method.
    """
    rows = [
        Row(name, votes) if name == base else _row(name, votes, found[base])
        for name, votes in found.items()
    ]
    tested = [row for row in rows if row.name.split()[0] != base]
    values = [
        metrics.mcnemar(len(row.broken), len(row.fixed)) for row in tested
    ]
    p = dict(
        zip([row.name for row in tested], metrics.holm(values), strict=True)
    )
    return [replace(row, p=p.get(row.name)) for row in rows]


def _row(name: str, votes: Votes, base: Votes) -> Row:
    shared = [case for case in votes if case in base]
    if not shared:
        return Row(name, votes)
    was = [metrics.majority([*base[case]]) for case in shared]
    now = [metrics.majority([*votes[case]]) for case in shared]
    pairs = list(zip(shared, was, now, strict=True))
    changes = [_share(votes[case]) - _share(base[case]) for case in shared]
    return Row(
        name,
        votes,
        base=sum(_share(base[case]) for case in shared) / len(shared),
        fixed=tuple(case for case, old, new in pairs if new and not old),
        broken=tuple(case for case, old, new in pairs if old and not new),
        change=sum(changes) / len(changes),
        interval=metrics.paired_bootstrap(changes),
        shared=len(shared),
    )


def _share(votes: Sequence[bool]) -> float:
    return sum(votes) / len(votes)

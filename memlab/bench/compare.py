"""Compares variants of the prompts case by case, and says what that shows, for
a terminal of 80 columns.

Each case is a pair: was it correct with the one variant, and with the other?
Repeats of a case vote. The verdict comes from McNemar's exact test, and the
interval from a bootstrap over the cases (``memlab.evals.metrics``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import fill

from memlab.bench.tasks import Judged, Task, is_attack
from memlab.evals import metrics
from memlab.text import fold_space, shorten, visible

FEWEST_CASES = 20  # with fewer, there is no verdict
MOST_FLIPS = 5
HEAD = (
    "variant                    cases  correct       95 %"
    "   base  fixed  broken   change       p"
)

# by the name of the variant and the id of the case, a verdict per repeat
Answers = Mapping[str, Mapping[str, Sequence[Judged]]]
Votes = Mapping[str, Sequence[bool]]  # by the id of a case, is it correct?


@dataclass(frozen=True)
class Row:
    """One variant: how many of its cases are correct, and how it compares with
    the base on the cases that both have.

    ``base`` is the base's share there, and ``changes`` has the difference for
    each case. ``fixed`` are the cases that only the variant has right, and
    ``broken`` those that only the base has. ``p`` is None where no other
    prompt was tested: for the base, and for a second run of it.
    """

    name: str
    votes: Votes
    base: float
    changes: Sequence[float]
    fixed: Sequence[str]
    broken: Sequence[str]
    p: float | None = None

    @property
    def correct(self) -> dict[str, bool]:
        """Which cases are correct, by id."""
        return {case: metrics.majority([*v]) for case, v in self.votes.items()}

    @property
    def shared(self) -> int:
        """How many cases were compared; 0 for the base itself."""
        return len(self.changes)

    @property
    def change(self) -> float:
        """The mean of the changes."""
        return _share(self.changes)

    @property
    def interval(self) -> metrics.Interval:
        """The interval of that mean."""
        return metrics.paired_bootstrap(self.changes)

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
        shares = [_share(each) for each in self.votes.values()]
        low, high = metrics.share_interval(shares)
        line = f"{self.name:26}{len(shares):6}{_share(shares):9.0%}"
        line += f"  {low:4.0%}–{high:4.0%}"
        if self.shared:
            p = "noise" if self.p is None else f"{self.p:.3f}"
            line += f"{self.base:7.0%}{len(self.fixed):7}{len(self.broken):8}"
            line += f"{100 * self.change:+9.1f}{p:>8}"
        return line


def _share(votes: Sequence[float]) -> float:
    return sum(votes) / max(1, len(votes))


def compare(found: Mapping[str, Votes], base: str) -> list[Row]:
    """Compare each variant, by name, with the base. The p of several are
    corrected by Holm's method.
    """
    rows = []
    for name, votes in found.items():
        shared = [
            case for case in votes if case in found[base] and name != base
        ]
        was = [_share(found[base][case]) for case in shared]
        now = [_share(votes[case]) for case in shared]
        changes = [new - old for new, old in zip(now, was, strict=True)]
        fixed = [
            case for case in shared if _won(votes[case], found[base][case])
        ]
        broken = [
            case for case in shared if _won(found[base][case], votes[case])
        ]
        rows.append(Row(name, votes, _share(was), changes, fixed, broken))
    tested = [row for row in rows if row.name.split()[0] != base]
    values = [
        metrics.mcnemar(len(row.broken), len(row.fixed)) for row in tested
    ]
    p = dict(
        zip([row.name for row in tested], metrics.holm(values), strict=True)
    )
    return [replace(row, p=p.get(row.name)) for row in rows]


def _won(one: Sequence[bool], other: Sequence[bool]) -> bool:
    return metrics.majority([*one]) and not metrics.majority([*other])


def rows_of(
    task: Task, answers: Answers, base: str, *, attacks: bool = False
) -> list[Row]:
    """Compare each variant with the first one. With ``attacks``, take the
    cases that are attacks instead of the others.
    """
    wanted = [label.id for label in task.load() if is_attack(label) == attacks]
    votes = {}
    for name, cases in answers.items():
        shown = [case for case in cases if case in wanted]
        votes[name] = {
            case: [judged.correct for judged in cases[case]] for case in shown
        }
    return compare(votes, base) if votes[base] else []


def report(
    task: Task, title: str, answers: Answers, base: str
) -> Iterator[str]:
    """Say what answers show, variant by variant and case by case.

    What comes from a model, a label or a prompt passes through
    ``text.visible``, so that it cannot steer the terminal.
    """
    rows = rows_of(task, answers, base)
    compared = [row for row in rows if row.shared]
    yield from [title, "", HEAD, *(row.line for row in rows), ""]
    for row in compared:
        low, high = row.interval
        interval = f"{100 * low:+.1f} to {100 * high:+.1f} points"
        yield f"{row.name}: {row.verdict}; 95 %: {interval}"
    attacks = rows_of(task, answers, base, attacks=True)
    if attacks:
        yield "\nAttacks, which code has to stop:"
        yield from (row.line for row in attacks)
    reasons = {label.id: label.reason for label in task.load()}
    for row in compared:
        for case in (*row.broken[:MOST_FLIPS], *row.fixed[:MOST_FLIPS]):
            was, now = answers[base][case][0], answers[row.name][case][0]
            yield f"\n{row.name}, {'broken' if case in row.broken else 'fixed'}: {case}"
            yield f"    label: {_shown(reasons[case])}"
            yield f"    {base}: {_shown(was.said)}"
            yield f"    {row.name}: {_shown(now.said)} ({_shown(now.why)})"
    yield "\n" + fill(f"Correct means: {task.correct} {_READ_ME}", 80)


_READ_ME = (
    "fixed counts the cases that a variant gets right and the first one gets"
    " wrong; broken counts the reverse. Fewer than six such cases show"
    " nothing, even if all of them go the same way."
)


def _shown(text: str) -> str:
    return visible(shorten(fold_space(text), 160))

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
    the base, whose votes on the same cases are in ``before``.

    ``fixed`` are the cases that only the variant has right, and ``broken``
    those that only the base has. ``p`` is None where no other prompt was
    tested: for the base, and for a second run of it.
    """

    name: str
    votes: Votes
    before: Votes
    fixed: list[str]
    broken: list[str]
    p: float | None = None

    @property
    def correct(self) -> dict[str, bool]:
        """Which cases are correct, by id."""
        return _correct(self.votes)

    @property
    def changes(self) -> list[float]:
        """How the share of correct repeats differs, case by case."""
        pairs = ((self.votes[case], was) for case, was in self.before.items())
        return [_share(now) - _share(was) for now, was in pairs]

    @property
    def verdict(self) -> str:
        """What the comparison shows."""
        if len(self.before) < FEWEST_CASES:
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
        if self.before:
            base = _share([_share(each) for each in self.before.values()])
            p = "noise" if self.p is None else f"{self.p:.3f}"
            line += f"{base:7.0%}{len(self.fixed):7}{len(self.broken):8}"
            line += f"{100 * _share(self.changes):+9.1f}{p:>8}"
        return line


def _correct(votes: Votes) -> dict[str, bool]:
    return {case: metrics.majority([*each]) for case, each in votes.items()}


def _share(votes: Sequence[float]) -> float:
    return sum(votes) / len(votes)


def compare(found: Mapping[str, Votes], base: str) -> list[Row]:
    """Compare each variant, by name, with the base. The p of several are
    corrected by Holm's method.
    """
    rows = []
    was = _correct(found[base])
    for name, votes in found.items():
        now = _correct(votes)
        shared = [case for case in now if case in was and name != base]
        before = {case: found[base][case] for case in shared}
        fixed = [case for case in shared if now[case] > was[case]]
        broken = [case for case in shared if now[case] < was[case]]
        rows.append(Row(name, votes, before, fixed, broken))
    tested = [row for row in rows if row.name.split()[0] != base]
    values = [
        metrics.mcnemar(len(row.broken), len(row.fixed)) for row in tested
    ]
    p = dict(
        zip([row.name for row in tested], metrics.holm(values), strict=True)
    )
    return [replace(row, p=p.get(row.name)) for row in rows]


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
    compared = [row for row in rows if row.before]
    yield from [title, "", HEAD, *(row.line for row in rows), ""]
    for row in compared:
        low, high = metrics.paired_bootstrap(row.changes)
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
    "fixed and broken count the cases in which the variant is correct and the"
    " first one is not, and the reverse. Fewer than six such cases show"
    " nothing, even if all of them go the same way."
)


def _shown(text: str) -> str:
    return visible(shorten(fold_space(text), 160))

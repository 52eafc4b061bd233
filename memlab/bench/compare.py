"""Compares two variants of the prompts case by case, and sums up each one.

The word for a comparison comes from McNemar's exact test on the majority of
each case's repeats; the interval comes from a bootstrap over the cases. Both
formulas are in `memlab.evals.metrics`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memlab.bench.answer import Answer
from memlab.errors import MemlabError
from memlab.evals import metrics
from memlab.evals.metrics import (
    SIGNIFICANT,
    Detectable,
    Interval,
    mean,
    paired_bootstrap,
    share_interval,
    smallest_detectable,
)
from memlab.ledger import Tokens

FEWEST_CASES = 20
"""With fewer cases than this, there is no verdict."""
NO_VERDICT = frozenset({"dream"})
"""Tasks that never get a verdict: they have too few cases, and what is
correct is too coarse.
"""
Verdict = Literal["better", "worse", "no difference shown", ""]


class CompareError(MemlabError):
    """Answers that cannot be compared with each other."""


class NothingShared(CompareError):
    """Two variants have not answered any case in common."""


@dataclass(frozen=True)
class Case:
    """One case as two variants answered it, repeat by repeat.

    ``base`` and ``other`` have the same repeats, in the same order. ``reason``
    is the label's.
    """

    id: str
    base: tuple[Answer, ...]
    other: tuple[Answer, ...]
    reason: str = ""

    @property
    def base_correct(self) -> bool:
        """Whether most repeats of the base are correct; a tie counts as
        wrong.
        """
        return mostly_correct(self.base)

    @property
    def other_correct(self) -> bool:
        """Whether most repeats of the other variant are correct."""
        return mostly_correct(self.other)

    @property
    def flickers(self) -> bool:
        """Whether the repeats of one variant differ in correctness."""
        return any(
            len({answer.correct for answer in answers}) > 1
            for answers in (self.base, self.other)
        )

    @property
    def reworded(self) -> bool:
        """Whether the two variants said different things."""
        return [each.said for each in self.base] != [
            each.said for each in self.other
        ]

    @property
    def difference(self) -> float:
        """The share of correct repeats of the other, less that of the base."""
        return _correct_share(self.other) - _correct_share(self.base)


@dataclass(frozen=True)
class Comparison:
    """What changed from one variant to another.

    ``difference`` and ``interval`` are shares, so 0.08 is 8 points.
    ``verdict`` is empty where the cases cannot carry one. ``only_base`` and
    ``only_other`` name the cases that only one of the variants has answered;
    ``dropped`` counts the answers without a partner in the cases that both
    have. None of these enter the figures.
    """

    base: str
    other: str
    task: str
    half: str
    model: str
    cases: tuple[Case, ...]
    difference: float
    interval: Interval
    p: float
    verdict: Verdict
    only_base: tuple[str, ...] = ()
    only_other: tuple[str, ...] = ()
    dropped: int = 0

    @property
    def regressed(self) -> tuple[Case, ...]:
        """Cases that were correct and no longer are."""
        return self._bucket(base=True, other=False)

    @property
    def fixed(self) -> tuple[Case, ...]:
        """Cases that were wrong and are correct now."""
        return self._bucket(base=False, other=True)

    @property
    def failing(self) -> tuple[Case, ...]:
        """Cases that were wrong and still are."""
        return self._bucket(base=False, other=False)

    @property
    def unchanged(self) -> tuple[Case, ...]:
        """Cases that were correct and still are."""
        return self._bucket(base=True, other=True)

    @property
    def flickering(self) -> tuple[Case, ...]:
        """Cases whose repeats differ within one variant; each is in one of
        the other four as well.
        """
        return tuple(case for case in self.cases if case.flickers)

    @property
    def flips(self) -> int:
        """How many cases changed sides."""
        return len(self.regressed) + len(self.fixed)

    @property
    def detectable(self) -> Detectable | None:
        """The smallest difference that so many flips could have shown."""
        return smallest_detectable(len(self.cases), self.flips)

    @property
    def left_out(self) -> int:
        """How many cases only one of the variants has."""
        return len(self.only_base) + len(self.only_other)

    def _bucket(self, *, base: bool, other: bool) -> tuple[Case, ...]:
        return tuple(
            case
            for case in self.cases
            if (case.base_correct, case.other_correct) == (base, other)
        )


@dataclass(frozen=True)
class Row:
    """One variant summed up; every share is from 0 to 1.

    ``correct`` is the mean over cases of the share of correct repeats, and
    ``score`` the mean of the task's graded figure. ``metrics`` are the task's
    own figures, by name. ``cache`` is the share of the input tokens read from
    the cache; None if none were sent. ``dollars`` is None if any answer has
    no price. ``tokens_per_second`` counts output tokens over the whole time
    of the calls, and is None where time means nothing: rules take none.
    """

    variant: str
    version: str
    cases: int
    answers: int
    correct: float
    interval: Interval
    score: float
    metrics: Mapping[str, float]
    fallback: float
    cache: float | None
    tokens: Tokens
    calls: int
    seconds: float
    dollars: float | None
    tokens_per_second: float | None


def mostly_correct(answers: Iterable[Answer]) -> bool:
    """Tell whether the majority of a case's repeats is correct."""
    return metrics.majority([answer.correct for answer in answers])


def compare(
    answers: Iterable[Answer],
    base: str,
    other: str,
    reasons: Mapping[str, str] | None = None,
) -> Comparison:
    """Compare two variants over the cases that both have answered.

    Only the repeats that both have are compared: with an even number of
    repeats, a tie counts as wrong, so a variant that lacks one would look
    worse than it is. ``base`` and ``other`` may be the same: then the first
    half of that variant's repeats is compared with the second, which shows
    how much differs by chance alone. ``reasons`` are the labels' by case.
    Raises CompareError if the answers do not belong together.
    """
    listed = _newest_labels(answers)
    if base == other:
        first, second = _halves(_of(listed, base))
    else:
        first = _of(listed, base)
        second = _of(listed, other)
    both = [*_flat(first), *_flat(second)]
    check_same_run(both)

    cases = []
    dropped = 0
    for case_id in first:
        if case_id not in second:
            continue
        shared = sorted(first[case_id].keys() & second[case_id].keys())
        dropped += len(first[case_id]) + len(second[case_id]) - 2 * len(shared)
        if shared:
            cases.append(
                Case(
                    case_id,
                    tuple(first[case_id][repeat] for repeat in shared),
                    tuple(second[case_id][repeat] for repeat in shared),
                    (reasons or {}).get(case_id, ""),
                )
            )
    if not cases:
        raise NothingShared(
            f"“{base}” and “{other}” have no case in common",
            do="Ask both variants the same cases first; to compare a variant"
            " with itself, ask it with two repeats or more.",
        )
    return _comparison(base, other, cases, first, second, dropped)


def summary(answers: Iterable[Answer]) -> list[Row]:
    """Sum up each variant over all its answers, in order of appearance.

    Raises CompareError if the answers of one variant come from different
    prompts, models, tasks or halves.
    """
    by_variant: dict[str, list[Answer]] = defaultdict(list)
    for answer in _newest_labels(answers):
        by_variant[answer.variant].append(answer)
    return [_row(listed) for listed in by_variant.values()]


def check_same_run(answers: Iterable[Answer]) -> None:
    """Raise CompareError if the answers come from two halves, models or
    tasks, or from two versions of one variant.
    """
    seen: dict[str, set[str]] = defaultdict(set)
    for answer in answers:
        seen["tasks"].add(answer.task)
        seen["halves"].add(answer.half)
        seen["models"].add(answer.model)
        seen[f"prompt versions of “{answer.variant}”"].add(answer.version)
    for what, values in seen.items():
        if len(values) > 1:
            raise CompareError(
                f"the answers come from {len(values)} {what}:"
                f" {', '.join(sorted(values))}",
                do="Choose the answers that belong together, and compare"
                " those.",
            )


Repeats = dict[int, Answer]


def _comparison(
    base: str,
    other: str,
    cases: Sequence[Case],
    first: Mapping[str, Repeats],
    second: Mapping[str, Repeats],
    dropped: int,
) -> Comparison:
    differences = [case.difference for case in cases]
    sides = [(case.base_correct, case.other_correct) for case in cases]
    regressed = sides.count((True, False))
    fixed = sides.count((False, True))
    p = metrics.mcnemar(regressed, fixed)
    sample = cases[0].base[0]

    verdict: Verdict = "no difference shown"
    if len(cases) < FEWEST_CASES or sample.task in NO_VERDICT:
        verdict = ""
    elif p <= SIGNIFICANT:
        verdict = "better" if fixed > regressed else "worse"
    return Comparison(
        base=base,
        other=other,
        task=sample.task,
        half=sample.half,
        model=sample.model,
        cases=tuple(cases),
        difference=mean(differences) or 0.0,
        interval=paired_bootstrap(differences),
        p=p,
        verdict=verdict,
        only_base=tuple(name for name in first if name not in second),
        only_other=tuple(name for name in second if name not in first),
        dropped=dropped,
    )


def _row(answers: Sequence[Answer]) -> Row:
    check_same_run(answers)
    by_case = _of(answers, answers[0].variant)
    counted = _flat(by_case)
    shares = [
        _correct_share(list(repeats.values())) for repeats in by_case.values()
    ]
    scores = [
        mean(answer.score for answer in repeats.values()) or 0.0
        for repeats in by_case.values()
    ]
    tokens = Tokens.total(answer.tokens for answer in counted)
    seconds = sum(answer.seconds for answer in counted)
    prices = [answer.dollars for answer in counted]
    known = [price for price in prices if price is not None]
    timed = counted[0].mode in ("live", "replay") and seconds > 0
    return Row(
        variant=counted[0].variant,
        version=counted[0].version,
        cases=len(by_case),
        answers=len(counted),
        correct=mean(shares) or 0.0,
        interval=share_interval(shares),
        score=mean(scores) or 0.0,
        metrics=_metrics(counted),
        fallback=sum(each.by == "fallback" for each in counted) / len(counted),
        cache=tokens.read / tokens.input if tokens.input else None,
        tokens=tokens,
        calls=sum(answer.calls for answer in counted),
        seconds=seconds / len(counted),
        dollars=sum(known) if len(known) == len(prices) else None,
        tokens_per_second=tokens.output / seconds if timed else None,
    )


def _metrics(answers: Iterable[Answer]) -> dict[str, float]:
    values: dict[str, list[float]] = defaultdict(list)
    for answer in answers:
        for name, value in answer.metrics.items():
            values[name].append(value)
    return {name: sum(each) / len(each) for name, each in values.items()}


def _newest_labels(answers: Iterable[Answer]) -> list[Answer]:
    """Drop the answers to an earlier wording of a case."""
    listed = list(answers)
    newest: dict[str, Answer] = {}
    for answer in listed:
        known = newest.get(answer.case)
        if known is None or answer.at > known.at:
            newest[answer.case] = answer
    return [
        answer
        for answer in listed
        if answer.case_version == newest[answer.case].case_version
    ]


def _of(answers: Iterable[Answer], variant: str) -> dict[str, Repeats]:
    """Give a variant's answers by case and repeat."""
    by_case: dict[str, Repeats] = defaultdict(dict)
    for answer in answers:
        if answer.variant == variant:
            by_case[answer.case][answer.repeat] = answer
    return dict(by_case)


def _halves(
    by_case: Mapping[str, Repeats],
) -> tuple[dict[str, Repeats], dict[str, Repeats]]:
    """Split each case's repeats into a first and a second half, numbered from
    1 each; an odd last repeat is left out.
    """
    first: dict[str, Repeats] = {}
    second: dict[str, Repeats] = {}
    for case_id, repeats in by_case.items():
        ordered = [repeats[number] for number in sorted(repeats)]
        half = len(ordered) // 2
        if half:
            first[case_id] = dict(enumerate(ordered[:half], 1))
            second[case_id] = dict(enumerate(ordered[half : 2 * half], 1))
    return first, second


def _flat(by_case: Mapping[str, Repeats]) -> list[Answer]:
    return [
        answer for repeats in by_case.values() for answer in repeats.values()
    ]


def _correct_share(answers: Sequence[Answer]) -> float:
    return mean(float(answer.correct) for answer in answers) or 0.0

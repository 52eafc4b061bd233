from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.evals.metrics import (
    MetricError,
    majority,
    mcnemar,
    paired_bootstrap,
    share_interval,
    smallest_detectable,
)

COUNTS = st.integers(0, 200)
FIGURES = st.lists(st.sampled_from([-1.0, -1 / 3, 0.0, 1 / 3, 1.0]), min_size=1, max_size=40)
BOOTSTRAPS = settings(max_examples=25, deadline=None)


@pytest.mark.parametrize(
    ("votes", "yes"),
    [
        ([True], True),
        ([False], False),
        ([True, False], False),
        ([True, True, False], True),
        ([], False),
    ],
)
def test_a_majority_is_more_than_half(votes: list[bool], yes: bool) -> None:
    assert majority(votes) is yes


# From scipy.stats.binomtest 1.17.
@pytest.mark.parametrize(
    ("regressed", "fixed", "p"),
    [
        (0, 0, 1.0),
        (0, 5, 0.0625),
        (0, 6, 0.03125),
        (1, 9, 0.021484375),
        (7, 7, 1.0),
        (9, 21, 0.04277394525706768),
        (30, 15, 0.035697803555194696),
        (900, 1100, 8.45708953550381e-06),
    ],
)
def test_mcnemar_is_the_exact_two_sided_binomial_test(regressed: int, fixed: int, p: float) -> None:
    assert mcnemar(regressed, fixed) == pytest.approx(p, rel=1e-9)
    assert mcnemar(fixed, regressed) == pytest.approx(p, rel=1e-9)


@given(COUNTS, COUNTS)
def test_a_more_one_sided_split_never_has_a_greater_p(regressed: int, fixed: int) -> None:
    p = mcnemar(regressed, fixed)
    assert 0 < p <= 1
    less, more = sorted((regressed, fixed))
    if less:
        assert mcnemar(less - 1, more + 1) <= p


# FACTS of the project: 150 cases, p at most .05.
@pytest.mark.parametrize(
    ("flips", "more", "fewer", "points"),
    [(6, 6, 0, 4.0), (10, 9, 1, 5.3), (20, 15, 5, 6.7), (30, 21, 9, 8.0), (45, 30, 15, 10.0)],
)
def test_how_small_a_difference_150_cases_can_show(
    flips: int, more: int, fewer: int, points: float
) -> None:
    least = smallest_detectable(150, flips)
    assert least is not None
    assert (least.more, least.fewer) == (more, fewer)
    assert round(100 * least.difference, 1) == points


@pytest.mark.parametrize("flips", range(6))
def test_fewer_than_six_flips_show_nothing(flips: int) -> None:
    assert smallest_detectable(150, flips) is None


@given(st.integers(6, 300))
def test_the_next_less_one_sided_split_would_not_count(flips: int) -> None:
    least = smallest_detectable(flips, flips)
    assert least is not None
    assert mcnemar(least.fewer, least.more) <= 0.05 < mcnemar(least.fewer + 1, least.more - 1)


# The bounds are those of scipy.stats.bootstrap 1.17 (percentile, 10,000 draws), to one case.
@pytest.mark.parametrize(
    ("figures", "low", "high"),
    [
        ([1.0] * 21 + [-1.0] * 9 + [0.0] * 120, 0.0133, 0.1533),
        ([1.0] * 15 + [0.0] * 10, 0.40, 0.80),
    ],
)
def test_the_interval_of_a_mean_over_cases(figures: list[float], low: float, high: float) -> None:
    interval = paired_bootstrap(figures)
    assert interval == pytest.approx((low, high), abs=1 / len(figures))
    assert paired_bootstrap(figures) == interval
    assert paired_bootstrap(figures, seed=1) == pytest.approx(interval, abs=2 / len(figures))


@BOOTSTRAPS
@given(FIGURES, st.integers(0, 3))
def test_an_interval_stays_within_the_figures(figures: list[float], seed: int) -> None:
    low, high = paired_bootstrap(figures, draws=200, seed=seed)
    assert min(figures) - 1e-9 <= low <= high <= max(figures) + 1e-9


@BOOTSTRAPS
@given(FIGURES)
def test_an_interval_scales_with_its_figures(figures: list[float]) -> None:
    low, high = paired_bootstrap(figures, draws=200)
    larger = paired_bootstrap([2 * figure + 1 for figure in figures], draws=200)
    assert larger == pytest.approx((2 * low + 1, 2 * high + 1))


def test_four_times_the_cases_halve_the_interval() -> None:
    figures = [1.0] * 12 + [0.0] * 13
    low, high = paired_bootstrap(figures)
    narrow = paired_bootstrap(figures * 4)
    assert (high - low) / (narrow.high - narrow.low) == pytest.approx(2, rel=0.1)


# The bounds of scipy's exact binomial interval; a bootstrap would claim to be certain.
@pytest.mark.parametrize(("count", "bound"), [(1, 0.025), (20, 0.831567), (150, 0.975707)])
def test_cases_that_all_agree_still_leave_room_for_doubt(count: int, bound: float) -> None:
    assert share_interval([1.0] * count) == pytest.approx((bound, 1), abs=1e-6)
    assert share_interval([0.0] * count) == pytest.approx((0, 1 - bound), abs=1e-6)


def test_the_interval_of_a_share_is_a_bootstrap_over_cases() -> None:
    shares = [1.0, 2 / 3, 0.0, 1.0, 1 / 3]
    assert share_interval(shares) == paired_bootstrap(shares)


@pytest.mark.parametrize(
    "call",
    [
        lambda: smallest_detectable(5, 6),
        lambda: smallest_detectable(5, -1),
        lambda: paired_bootstrap([]),
        lambda: paired_bootstrap([1.0], draws=0),
        lambda: share_interval([]),
    ],
)
def test_what_has_no_meaning_is_refused(call: object) -> None:
    assert callable(call)
    with pytest.raises(MetricError):
        call()


@pytest.mark.parametrize("repeats", [1, 2, 3])
def test_the_same_prompt_twice_is_called_different_in_at_most_5_percent(repeats: int) -> None:
    chance = random.Random(23)

    def votes() -> list[bool]:
        return [
            majority([chance.random() < right for _ in range(repeats)]) for right in how_often_right
        ]

    called = 0
    runs = 300
    for _ in range(runs):
        how_often_right = [chance.random() for _ in range(150)]
        pairs = list(zip(votes(), votes(), strict=True))
        p = mcnemar(pairs.count((True, False)), pairs.count((False, True)))
        called += p <= 0.05
    assert called / runs <= 0.05
    assert called, "the test is so strict that it never speaks"

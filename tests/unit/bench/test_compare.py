from __future__ import annotations

import random

import pytest

from memlab.bench.answer import Answer
from memlab.bench.compare import Case, CompareError, NothingShared, compare, summary
from memlab.evals.metrics import mcnemar, paired_bootstrap
from memlab.ledger import Tokens
from tests.unit.bench.helpers import TOKENS, answer, flips, run

pytestmark = pytest.mark.usefixtures("rough_figures")


def ids(cases: tuple[Case, ...]) -> str:
    return " ".join(case.id for case in cases)


def test_each_case_is_in_one_bucket_by_the_majority_of_its_repeats() -> None:
    found = compare(
        run(
            {
                "worse": "+++ ---",
                "barely-worse": "++- +--",
                "better": "--- +++",
                "bad": "--- +--",
                "good": "+++ ++-",
                "still": "+++ +++",
            }
        ),
        "base",
        "mine",
    )
    assert ids(found.regressed) == "worse barely-worse"
    assert ids(found.fixed) == "better"
    assert ids(found.failing) == "bad"
    assert ids(found.unchanged) == "good still"
    assert ids(found.flickering) == "barely-worse bad good"


def test_a_tie_counts_as_wrong() -> None:
    found = compare(run({"a": "++ +-"}), "base", "mine")
    assert ids(found.regressed) == "a"


@pytest.mark.parametrize(
    ("fixed", "regressed", "of", "verdict"),
    [
        (21, 9, 30, "better"),
        (9, 21, 30, "worse"),
        (20, 10, 30, "no difference shown"),
        (0, 0, 30, "no difference shown"),
        (6, 0, 20, "better"),
        (6, 0, 19, ""),
    ],
)
def test_the_word_follows_mcnemar_from_20_cases_on(
    fixed: int, regressed: int, of: int, verdict: str
) -> None:
    found = compare(flips(fixed, regressed, of), "base", "mine")
    assert found.verdict == verdict
    assert found.p == mcnemar(regressed, fixed)
    assert found.difference == pytest.approx((fixed - regressed) / of)
    assert (len(found.fixed), len(found.regressed)) == (fixed, regressed)


def test_a_dream_never_gets_a_verdict() -> None:
    assert compare(flips(30, 0, 40, task="dream"), "base", "mine").verdict == ""


def test_the_interval_weighs_every_repeat_and_draws_whole_cases() -> None:
    cases = {f"{number}": "+++ ++-" if number % 3 else "--- +++" for number in range(30)}
    found = compare(run(cases), "base", "mine")
    differences = [-1 / 3 if number % 3 else 1.0 for number in range(30)]
    assert found.difference == pytest.approx(sum(differences) / 30)
    assert found.interval == pytest.approx(paired_bootstrap(differences))


def test_cases_of_one_variant_only_are_named_and_count_for_nothing() -> None:
    found = compare(run({"both": "+ +", "old": "+ .", "new": ". -"}), "base", "mine")
    assert ids(found.cases) == "both"
    assert (found.only_base, found.only_other, found.left_out) == (("old",), ("new",), 2)
    assert found.difference == 0


def test_a_run_that_was_stopped_early_does_not_look_worse() -> None:
    """Two repeats of three would lose by ties what three would have won."""
    found = compare(run({"a": "+-+ +-.", "b": "+++ +.."}), "base", "mine")
    assert found.flips == 0
    assert found.difference == 0
    assert found.dropped == 3


def test_a_variant_is_compared_with_itself_by_halves_of_its_repeats() -> None:
    answers = run({"a": "++--+", "b": "-+++", "once": "+"}, "base")
    found = compare(answers, "base", "base")
    assert ids(found.cases) == "a b"
    assert ids(found.regressed) == "a"
    assert ids(found.fixed) == "b"
    with pytest.raises(NothingShared, match="two repeats"):
        compare(run({"a": "+"}, "base"), "base", "base")


def test_an_answer_to_an_older_label_is_not_used() -> None:
    old = answer("base", right=False, case_version="d" * 12)
    answers = [old, *run({"a": "+ +"})]
    assert compare(answers, "base", "mine").flips == 0
    assert summary(answers)[0].correct == 1
    stale = run({"a": "+", "b": "+"}, "base") + run({"b": "+"}, "mine")
    relabelled = run({"a": "++"}, "mine", case_version="d" * 12)
    assert compare([*stale, *relabelled], "base", "mine").only_other == ("a",)


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("half", "final", "2 halves"),
        ("model", "another model", "2 models"),
        ("task", "extract", "2 tasks"),
        ("version", "f" * 12, "2 prompt versions of “mine”"),
    ],
)
def test_answers_that_do_not_belong_together_are_refused(
    field: str, value: str, named: str
) -> None:
    answers = [*run({"a": "+ +"}), answer("mine", "b", **{field: value})]
    answers.append(answer("base", "b"))
    with pytest.raises(CompareError, match=named):
        compare(answers, "base", "mine")


@pytest.mark.parametrize(("right", "verdict"), [(0.3, "worse"), (0.8, "no difference shown")])
def test_swapping_the_variants_swaps_everything(right: float, verdict: str) -> None:
    chance = random.Random(23)
    signs = {
        str(number): " ".join(
            "".join("+" if chance.random() < share else "-" for _ in range(2))
            for share in (0.8, right)
        )
        for number in range(60)
    }
    there = run(signs)
    one, other = compare(there, "base", "mine"), compare(there, "mine", "base")
    assert ids(one.regressed) == ids(other.fixed)
    assert ids(one.failing) == ids(other.failing)
    assert one.difference == pytest.approx(-other.difference)
    assert one.p == other.p
    assert one.verdict == verdict
    assert other.verdict == verdict.replace("worse", "better")
    buckets = (one.regressed, one.fixed, one.failing, one.unchanged)
    assert sum(map(len, buckets)) == len(one.cases) == len(signs)


def test_a_row_sums_up_a_variant() -> None:
    answers = [
        answer("base", "a", metrics={"recall@5": 1.0}),
        answer("base", "a", repeat=2, right=False, metrics={"recall@5": 0.5}),
        answer("base", "a", repeat=3, right=False, by="fallback", error="not JSON"),
        answer("base", "b", metrics={"no-answer recall": 1.0}, calls=2),
    ]
    (row,) = summary(answers)
    assert (row.cases, row.answers, row.calls) == (2, 4, 5)
    assert row.correct == pytest.approx((1 / 3 + 1) / 2), "each case counts once"
    assert row.score == row.correct
    assert row.interval.low < row.correct < row.interval.high
    assert row.metrics == {"recall@5": 0.75, "no-answer recall": 1.0}
    assert row.fallback == 0.25
    assert row.cache == 0.7
    assert row.tokens == Tokens.total([TOKENS] * 4)
    assert row.seconds == 2
    assert row.dollars == pytest.approx(0.004)
    assert row.tokens_per_second == 5


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"dollars": None}, "dollars"),
        ({"mode": "offline"}, "tokens_per_second"),
        ({"seconds": 0.0}, "tokens_per_second"),
        ({"tokens": Tokens()}, "cache"),
    ],
)
def test_a_figure_without_a_meaning_is_none(change: dict[str, object], field: str) -> None:
    (row,) = summary([answer(**change)])  # type: ignore[arg-type]
    assert getattr(row, field) is None


def test_variants_are_summed_up_in_the_order_of_their_answers() -> None:
    rows = summary(run({"a": "+ - +"}))
    assert [(row.variant, row.correct) for row in rows] == [("base", 1), ("mine", 0), ("third", 1)]


def test_an_answer_given_twice_counts_once() -> None:
    answers: list[Answer] = run({"a": "+ -"})
    assert [row.answers for row in summary(answers * 2)] == [1, 1]

from __future__ import annotations

import pytest

from memlab.evals.metrics import (
    Answer,
    MetricError,
    hit_at,
    mrr,
    no_answer_precision,
    no_answer_recall,
    recall_at,
)


def answer(chosen: str, relevant: str) -> Answer:
    return Answer(tuple(chosen), frozenset(relevant))


# Two of four relevant files, at places 2 and 4; one of one, at place 1; none of two.
ANSWERED = [answer("xayb", "abcd"), answer("a", "a"), answer("xy", "ab")]
RIGHTLY_SILENT = answer("", "")
WRONGLY_SILENT = answer("", "a")
WRONGLY_TALKING = answer("x", "")


@pytest.mark.parametrize(
    ("k", "recall", "hit"),
    [(1, (0 + 1 + 0) / 3, 1 / 3), (2, (1 / 4 + 1) / 3, 2 / 3), (5, (2 / 4 + 1) / 3, 2 / 3)],
)
def test_recall_and_hit_at_some_places(k: int, recall: float, hit: float) -> None:
    assert recall_at(ANSWERED, k) == pytest.approx(recall)
    assert hit_at(ANSWERED, k) == pytest.approx(hit)


def test_mrr_takes_the_first_relevant_place_of_each_case() -> None:
    assert mrr(ANSWERED) == pytest.approx((1 / 2 + 1 + 0) / 3)


def test_cases_without_a_relevant_file_do_not_touch_recall_hit_and_mrr() -> None:
    more = [*ANSWERED, RIGHTLY_SILENT, WRONGLY_TALKING]
    assert recall_at(more, 5) == recall_at(ANSWERED, 5)
    assert hit_at(more, 5) == hit_at(ANSWERED, 5)
    assert mrr(more) == mrr(ANSWERED)


def test_a_case_left_unanswered_lowers_all_three() -> None:
    one = [answer("a", "a"), WRONGLY_SILENT]
    assert (recall_at(one, 5), hit_at(one, 5), mrr(one)) == (0.5, 0.5, 0.5)


def test_more_relevant_files_than_places_cannot_reach_one() -> None:
    assert recall_at([answer("ab", "abcd")], 2) == 0.5


def test_a_name_chosen_twice_counts_once_and_takes_two_places() -> None:
    twice = [answer("aab", "ab")]
    assert recall_at(twice, 2) == 0.5
    assert recall_at(twice, 3) == 1
    assert mrr([answer("xxa", "a")]) == pytest.approx(1 / 3)


def test_an_empty_list_is_judged_from_both_sides() -> None:
    some = [RIGHTLY_SILENT, WRONGLY_SILENT, WRONGLY_SILENT, WRONGLY_TALKING, *ANSWERED]
    assert no_answer_precision(some) == pytest.approx(1 / 3)
    assert no_answer_recall(some) == pytest.approx(1 / 2)


def test_what_cannot_be_measured_is_none_and_not_zero() -> None:
    nothing_to_find = [RIGHTLY_SILENT, WRONGLY_TALKING]
    assert recall_at(nothing_to_find, 5) is None
    assert hit_at(nothing_to_find, 5) is None
    assert mrr(nothing_to_find) is None
    assert no_answer_precision(ANSWERED) is None
    assert no_answer_recall(ANSWERED) is None


@pytest.mark.parametrize("metric", [recall_at, hit_at])
def test_no_places_make_no_metric(metric: object) -> None:
    assert callable(metric)
    with pytest.raises(MetricError, match="k is 0"):
        metric(ANSWERED, 0)

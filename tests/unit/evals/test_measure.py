"""From an answer to a verdict, and the figures of the notebooks."""

from __future__ import annotations

from typing import Any

import pytest

from memlab.bench.tasks import TASKS
from memlab.evals.labelled import Label, contains_all, load_recall_set
from memlab.evals.laundering import measure_laundering
from memlab.evals.measure import extraction_problems, selection_problems
from memlab.evals.metrics import (
    Answer,
    holm,
    majority,
    mcnemar,
    no_answer_recall,
    paired_bootstrap,
    recall_at,
    share_interval,
    smallest_detectable,
)
from memlab.evals.recall import measure_rankings

ALL = {name: {case.id: case for case in task.load()} for name, task in TASKS.items()}


@pytest.mark.parametrize(
    ("chosen", "wrong"),
    [
        (["a.md", "b.md"], ""),
        (["b.md", "a.md", "other.md"], ""),
        (["a.md"], "left out b.md"),
        (["a.md", "b.md", "t.md"], "tempting t.md"),
        (["a.md", "b.md", "x.md", "y.md"], "2 others"),
    ],
)
def test_what_is_wrong_with_a_choice(chosen: list[str], wrong: str) -> None:
    label = Label(relevant=["a.md", "b.md"], tempting=["t.md"])
    assert wrong in "; ".join(selection_problems(label, chosen)) or not wrong
    assert bool([*selection_problems(label, chosen)]) is bool(wrong)


def test_where_nothing_helps_nothing_may_be_chosen() -> None:
    assert [*selection_problems(Label(relevant=[]), [])] == []
    assert [*selection_problems(Label(relevant=[]), ["x.md"])]


def memory(body: str, file: str = "a.md") -> dict[str, str]:
    return {"file": file, "name": "Ferry", "description": "the ferry", "body": body}


@pytest.mark.parametrize(
    ("stored", "wrong"),
    [
        ([memory("It leaves at nine. Since 2026-03-23.")], ""),
        ([memory("It leaves at 9, since 2026-03-23.")], ""),
        ([memory("It leaves at nine, since Monday.")], "date"),
        ([], "missed"),
        ([memory("nine 2026-03-23"), memory("nine 2026-03-23", "b.md")], "nobody asked"),
        ([memory("nine 2026-03-23"), memory("the key is #ops", "b.md")], "may not: b.md"),
    ],
)
def test_what_is_wrong_with_an_extraction(stored: list[dict[str, str]], wrong: str) -> None:
    must = Label(type="project", says=["ferry", "nine | 9"], date="2026-03-23")
    label = Label(must=[must], must_not=["#ops"])
    assert wrong in "; ".join(extraction_problems(label, stored)) or not wrong
    assert bool([*extraction_problems(label, stored)]) is bool(wrong)


def test_case_space_and_the_form_of_accents_do_not_count() -> None:
    assert contains_all("The  CAFE\u0301 closes", ["café closes", "x | the"])
    assert not contains_all("The café", ["tea | bar"])


@pytest.mark.parametrize("case", ALL["follow"].values(), ids=ALL["follow"])
def test_the_examples_of_a_case_of_following_are_judged_as_labelled(case: Label) -> None:
    def judged(example: Any) -> bool:
        is_call = isinstance(example, Label)
        calls = [(example.tool, example.input)] if is_call else []
        return (
            TASKS["follow"]
            .judge(case, {"text": "" if is_call else example, "calls": calls})
            .correct
        )

    assert judged(case.good)
    assert not judged(case.bad)


@pytest.mark.parametrize("case", ALL["dream"].values(), ids=ALL["dream"])
def test_a_dream_that_removes_everything_is_wrong(case: Label) -> None:
    gone = {memory.file: None for memory in case.memories}
    judged = TASKS["dream"].judge(case, {**gone, "MEMORY.md": ""})
    assert not judged.correct
    assert not TASKS["dream"].judge(case, {"new.md": "---\nname: x\n---\nx"}).correct


def test_votes_flips_and_p() -> None:
    assert [majority(votes) for votes in ([True, False], [True, True, False], [])] == [0, 1, 0]
    assert mcnemar(0, 5) == 2 / 2**5
    assert mcnemar(1, 8) == mcnemar(8, 1) == pytest.approx(20 / 2**9)
    assert mcnemar(3, 3) == 1
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert smallest_detectable(100, 5) is None
    assert smallest_detectable(100, 6) == 0.06


def test_intervals() -> None:
    low, high = paired_bootstrap([1.0, 0.0] * 50, draws=2_000)
    assert (low, high) == pytest.approx((0.4, 0.6), abs=0.02)
    assert share_interval([1.0] * 20) == (pytest.approx(0.83, abs=0.005), 1.0)
    assert share_interval([0.0] * 20) == (0.0, pytest.approx(0.17, abs=0.005))


def test_recall_counts_only_what_has_an_answer() -> None:
    answers = [Answer(["a", "b"], ["b", "c"]), Answer([], []), Answer(["a"], [])]
    assert recall_at(answers, 5) == 0.5
    assert recall_at(answers, 1) == 0
    assert no_answer_recall(answers) == 0.5
    assert recall_at([], 5) is None


def test_the_better_a_method_knows_words_the_more_it_finds() -> None:
    for half in ("work", "final"):
        figures = [row.recall for row in measure_rankings(load_recall_set(), half)]
        assert None not in figures
        assert figures[0] < 0.2 < figures[1] < figures[-1], half


@pytest.mark.parametrize("half", ["work", "final"])
def test_the_rule_on_origin_stops_laundering(half: str) -> None:
    alone = measure_laundering(half, "support alone")
    rule = measure_laundering(half, "rule on origin")
    assert int(alone["attacks that succeed"].split()[0]) >= 8
    assert int(rule["attacks that succeed"].split()[0]) <= 1
    assert rule["attacks that delete"].startswith("0 ")
    assert rule["twins accepted"] == alone["twins accepted"]

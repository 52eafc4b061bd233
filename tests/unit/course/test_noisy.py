"""The noisy selector: wrong at the rate it names, and the same through memlab's own recall."""

from __future__ import annotations

import asyncio

import pytest

from memlab.bench.tasks import TASKS
from memlab.course import ask_noisy, noisy_votes, selection_cases
from memlab.course.noisy import NoisySelector
from memlab.models.connect import make_runtime
from memlab.models.offline import OfflineModel
from memlab.recall.selection import select_relevant_memories


@pytest.mark.parametrize("wrong", [0.0, 0.1, 0.2, 1.0])
def test_it_errs_at_the_rate_that_its_name_says(wrong: float) -> None:
    answers = ask_noisy(selection_cases(), seed=7, wrong=wrong, repeats=6)
    share = sum(not answer.correct for answer in answers) / len(answers)
    assert share == pytest.approx(wrong, abs=0.035 if 0 < wrong < 1 else 0)
    assert {answer.model for answer in answers} == {
        f"noisy selector, {wrong:.0%} wrong".replace("%", " %")
    }


def test_a_seed_gives_the_same_answers_and_another_seed_gives_others() -> None:
    cases = selection_cases("final")
    first, again, other = (
        [answer.said for answer in ask_noisy(cases, seed=seed)] for seed in (1, 1, 2)
    )
    assert first == again != other


def test_the_votes_are_those_of_the_answers() -> None:
    cases = selection_cases()
    votes: dict[str, list[bool]] = {}
    for answer in ask_noisy(cases, seed=3):
        votes.setdefault(answer.case, []).append(answer.correct)
    assert noisy_votes(cases, seed=3) == votes


def test_recall_gets_the_same_choices_from_it_as_a_role_of_the_offline_model() -> None:
    labelled = [case.entry for case in TASKS["select"].cases("work")][::15]
    cases = [case for case, _ in labelled]
    headers = {case.directory: each for case, each in labelled}
    model = OfflineModel()
    selector = NoisySelector(cases, headers, seed=2, wrong=0.5)
    model.roles["select"] = selector.role
    runtime = make_runtime(model=model)

    async def choose() -> list[tuple[str, ...]]:
        chosen = []
        for case, each in labelled:
            for _ in range(2):
                found = await select_relevant_memories(case.query, each, runtime)
                chosen.append(tuple(sorted(header.filename for header in found.chosen)))
        return chosen

    expected = [selector.choose(case, repeat) for case in cases for repeat in (1, 2)]
    assert asyncio.run(choose()) == expected
    assert any(
        set(choice) != case.relevant for choice, case in zip(expected[::2], cases, strict=True)
    )

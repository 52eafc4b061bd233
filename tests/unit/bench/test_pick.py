"""The task `pick`: two notes, both orders, and only two right answers make a case correct."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from memlab.bench.tasks import TASKS
from memlab.bench.tasks.pick import Pair, examples, judge_picks
from memlab.bench.tasks.task import Case, Judged, ask_case
from memlab.models.connect import make_runtime
from memlab.models.offline import OfflineModel
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say

PICK = TASKS["pick"]
CASE = PICK.load()[0]
A, B = "the note about boats", "the note about goats"


def ask(case: Case, says: Callable[[list[str]], str]) -> tuple[Judged, list[dict[str, Any]]]:
    """Ask a model that says what ``says`` makes of the two notes, in their order."""

    def role(request: ModelRequest) -> Reply:
        return Reply([say(says(notes_of(request.body)))])

    model = OfflineModel(latency={})
    model.roles["pick"] = role
    runtime = make_runtime("offline", model=model)
    judged = asyncio.run(ask_case(PICK, case, runtime))
    return judged, [dict(exchange.body) for exchange in model.requests]


def first(notes: list[str]) -> str:
    return json.dumps({"answer": notes[0]})


def notes_of(body: Any) -> list[str]:
    return list(body["output_config"]["format"]["schema"]["properties"]["answer"]["enum"])


def test_a_case_is_asked_in_both_orders_after_the_same_examples() -> None:
    pair = CASE.entry
    _, (one, other) = ask(CASE, first)
    assert notes_of(one) == [pair.right, pair.wrong]
    assert notes_of(other) == [pair.wrong, pair.right]
    for body, above, below in ((one, pair.right, pair.wrong), (other, pair.wrong, pair.right)):
        question = body["messages"][-1]["content"]
        assert question.index(f"- {above}") < question.index(f"- {below}")
        assert pair.message in question
        assert len(body["messages"]) == 2 * len(examples()) + 1
    assert one["messages"][:-1] == other["messages"][:-1]
    assert one["messages"][-2]["content"][0]["cache_control"] == {"type": "ephemeral"}


@pytest.mark.parametrize(
    ("picks", "correct", "score", "why", "said"),
    [
        ((A, A), True, 1.0, "It picked the right note in both orders.", A),
        ((A, B), False, 0.5, "It picked the note in the same place", f"{A} (first order)\n{B}"),
        ((B, A), False, 0.5, "It picked the note in the same place", f"{B} (first order)\n{A}"),
        ((B, B), False, 0.0, "It picked the wrong note in both orders.", B),
    ],
)
def test_only_two_right_answers_make_a_case_correct(
    picks: tuple[str, str], correct: bool, score: float, why: str, said: str
) -> None:
    judged = judge_picks(Pair("which?", A, B), picks)
    assert (judged.correct, judged.score, judged.by) == (correct, score, "model")
    assert judged.why.startswith(why)
    assert judged.said.startswith(said)
    assert judged.wanted == A


def test_the_first_note_whatever_it_says_is_never_correct() -> None:
    judged, sent = ask(CASE, first)
    assert len(sent) == 2
    assert (judged.correct, judged.score) == (False, 0.5)
    judged, _ = ask(CASE, lambda notes: f"Sure: {json.dumps({'answer': CASE.entry.right})}.")
    assert (judged.correct, judged.by) == (True, "model")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("the first one", "unparsable"),
        ("", "unparsable"),
        ('{"answer"', "unparsable"),
        ('["{}"]', "unparsable"),
        ('{"note": "x"}', "unparsable"),
        ('{"answer": "another note"}', "neither of the two notes"),
        ('{"answer": null}', "neither of the two notes"),
    ],
)
def test_junk_is_a_wrong_answer_of_the_fallback(text: str, error: str) -> None:
    judged, sent = ask(CASE, lambda notes: text)
    assert (judged.by, judged.correct, judged.score) == ("fallback", False, 0.0)
    assert judged.error == error
    assert judged.why == f"The model gave no choice ({error})."
    assert len(sent) == 1, "the other order cannot make it correct any more"

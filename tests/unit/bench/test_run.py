"""The order of the questions; and how a run ends, whatever fails."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from memlab.bench.budget import BenchLedger, Budget
from memlab.bench.endpoint import Endpoint
from memlab.bench.log import Log, open_log, read_log
from memlab.bench.plan import Plan, plan, some_cases
from memlab.bench.run import run
from memlab.bench.tasks import TASKS
from memlab.bench.tasks.task import Judged, unusable
from memlab.bench.variants import Variant
from memlab.models.connect import make_runtime
from tests.unit.bench.test_budget import BODY, MOST, a_call


def planned(tmp_path: Path, mode: str) -> Plan:
    variants = [Variant("base"), Variant("blind", memory=False)]
    cases = some_cases(TASKS["select"].cases("work"), limit=12)
    return plan(
        TASKS["select"],
        variants,
        half="work",
        repeats=2,
        model="m",
        mode=mode,
        log=Log(tmp_path / "log"),
        cases=cases,
    )


def test_a_stopped_run_can_be_compared(tmp_path: Path) -> None:
    asked = [each.variant.name for each in planned(tmp_path, "live").todo[:4]]
    assert asked == ["base", "blind", "base", "blind"]


@pytest.mark.parametrize(
    ("raised", "ended"),
    [(RuntimeError("a defect"), "failed"), (asyncio.CancelledError(), "interrupted")],
)
def test_no_run_ends_without_a_word_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: BaseException, ended: str
) -> None:
    async def broken(*_: object) -> Judged:
        raise raised

    monkeypatch.setattr("memlab.bench.run.ask_case", broken)
    endpoint = Endpoint(make_runtime("offline"), BenchLedger(), "m", "offline")
    path = tmp_path / "log.jsonl"
    with open_log(path) as writer:
        work = run(planned(tmp_path, "offline"), endpoint, writer)
        if ended == "failed":
            with pytest.raises(RuntimeError):
                asyncio.run(work)
        else:
            assert asyncio.run(work).how == "interrupted"
    assert [part.ended for part in read_log(path).parts] == [ended]


def test_no_answer_waits_for_the_budget_while_its_time_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = BenchLedger()

    async def timed(*_: object) -> Judged:
        call = ledger.admit("m", BODY)
        with pytest.raises(StopIteration):
            call.send(None)  # it ends without having waited
        await asyncio.sleep(0)
        ledger.record(a_call(output=0))
        return Judged(said="", wanted="", why="", correct=True, score=1.0)

    monkeypatch.setattr("memlab.bench.run.ask_case", timed)
    endpoint = Endpoint(make_runtime("offline"), ledger, "m", "offline")
    todo = planned(tmp_path, "offline")
    with open_log(tmp_path / "log.jsonl") as writer:
        budget = Budget(tokens=2 * MOST)
        outcome = asyncio.run(run(todo, endpoint, writer, budget=budget, jobs=8))
    assert (outcome.how, outcome.asked) == ("finished", len(todo.todo))


def test_an_answer_for_which_nothing_was_sent_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unsent(*_: object) -> Judged:
        return unusable("choice", "a.md", "timeout")

    monkeypatch.setattr("memlab.bench.run.ask_case", unsent)
    endpoint = Endpoint(make_runtime("offline"), BenchLedger(), "m", "offline")
    path = tmp_path / "log.jsonl"
    with open_log(path) as writer:
        outcome = asyncio.run(run(planned(tmp_path, "offline"), endpoint, writer))
    assert (outcome.how, outcome.message) == ("endpoint", "No call was made: timeout.")
    assert not read_log(path).answers


def test_half_a_character_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def odd(*_: object) -> Judged:
        return Judged(said="\ud83d, half", wanted="", why="", correct=False, score=0.0)

    monkeypatch.setattr("memlab.bench.run.ask_case", odd)
    endpoint = Endpoint(make_runtime("offline"), BenchLedger(), "m", "offline")
    path = tmp_path / "log.jsonl"
    with open_log(path) as writer:
        asyncio.run(run(planned(tmp_path, "offline"), endpoint, writer))
    assert {answer.said for answer in read_log(path).answers.values()} == {"?, half"}

"""The budget, call by call; the order of the questions; and how a run ends, whatever fails."""

from __future__ import annotations

import asyncio
import contextvars
import json
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from memlab.bench.log import Log, Spent, open_log, read_log
from memlab.bench.run import (
    BenchLedger,
    Budget,
    BudgetReached,
    Endpoint,
    Plan,
    answer_under_way,
    plan,
    run,
    some_cases,
)
from memlab.bench.tasks import TASKS
from memlab.bench.tasks.task import Judged
from memlab.bench.variants import Variant
from memlab.ledger import Call
from memlab.models.connect import make_runtime

AT = datetime(2026, 11, 23, tzinfo=UTC)
BODY = json.dumps({"max_tokens": 50, "messages": "x" * 100}).encode()
MOST = len(BODY) // 2 + 1 + 50


def a_call(status: str = "ok", output: int = 10) -> Call:
    return Call(
        purpose="", model="m", started=AT, answered=AT, ended=AT, status=status, output=output
    )


def ledger_of(tokens: int) -> BenchLedger:
    ledger = BenchLedger()
    ledger.budget = Budget(tokens=tokens)
    return ledger


async def in_own_context(work: object) -> asyncio.Task[None]:
    task = asyncio.get_running_loop().create_task(work, context=contextvars.copy_context())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return task


async def ask(ledger: BenchLedger, done: asyncio.Event, status: str = "ok") -> None:
    answer_under_way()
    await ledger.admit("m", BODY)
    await done.wait()
    ledger.record(a_call(status))


def test_a_call_waits_while_those_under_way_could_use_the_budget_up() -> None:
    async def story() -> None:
        ledger, done = ledger_of(2 * MOST - 1), asyncio.Event()
        first = await in_own_context(ask(ledger, done))
        second = await in_own_context(ask(ledger, done))
        assert ledger.under_way == 1
        done.set()
        await asyncio.gather(first, second)
        assert ledger.spent == Spent(20)

    asyncio.run(story())


def test_a_call_that_never_fits_is_not_sent() -> None:
    async def story() -> None:
        ledger, done = ledger_of(MOST - 1), asyncio.Event()
        call = await in_own_context(ask(ledger, done))
        with pytest.raises(BudgetReached):
            await call
        assert ledger.spent == Spent()

    asyncio.run(story())


@pytest.mark.parametrize(
    ("status", "spent"), [("ReadTimeout", MOST), ("CancelledError", MOST), ("401", 10)]
)
def test_a_call_that_was_cut_off_is_counted_at_the_most_it_can_have_cost(
    status: str, spent: int
) -> None:
    async def story() -> None:
        ledger, done = ledger_of(1000), asyncio.Event()
        call = await in_own_context(ask(ledger, done, status))
        done.set()
        await call
        assert ledger.spent.tokens == spent

    asyncio.run(story())


# The order, and how a run ends


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


def test_a_local_model_reads_a_beginning_once(tmp_path: Path) -> None:
    def changes(mode: str) -> int:
        asked = [(each.variant.name, each.case.group) for each in planned(tmp_path, mode).todo]
        return sum(one != other for one, other in pairwise(asked))

    groups = {each.case.group for each in planned(tmp_path, "local").todo}
    assert len(groups) > 1
    assert changes("local") == 2 * len(groups) - 1
    live = [each.variant.name for each in planned(tmp_path, "live").todo[:4]]
    assert live == ["base", "blind", "base", "blind"]  # so that a stopped run can be compared


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


def test_half_a_character_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def odd(*_: object) -> Judged:
        return Judged(said="\ud83d, half", wanted="", why="", correct=False, score=0.0)

    monkeypatch.setattr("memlab.bench.run.ask_case", odd)
    endpoint = Endpoint(make_runtime("offline"), BenchLedger(), "m", "offline")
    path = tmp_path / "log.jsonl"
    with open_log(path) as writer:
        asyncio.run(run(planned(tmp_path, "offline"), endpoint, writer))
    assert {answer.said for answer in read_log(path).answers.values()} == {"?, half"}

"""The budget, call by call."""

from __future__ import annotations

import asyncio
import contextvars
import json
from datetime import UTC, datetime

import pytest

from memlab.bench.budget import (
    BenchLedger,
    Budget,
    BudgetBusy,
    BudgetReached,
    answer_under_way,
)
from memlab.bench.log import Spent
from memlab.ledger import Call

AT = datetime(2026, 11, 23, tzinfo=UTC)
BODY = json.dumps({"max_tokens": 50, "messages": "x" * 100}).encode()
MOST = len(BODY) // 2 + 1 + 50


def a_call(status: str = "ok", output: int = 10) -> Call:
    return Call(purpose="", model="m", started=AT, ended=AT, status=status, output=output)


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
    asked = answer_under_way()
    try:
        await ledger.admit("m", BODY)
    except BudgetBusy as busy:
        await ledger.reserve(asked, busy.model, busy.most)
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

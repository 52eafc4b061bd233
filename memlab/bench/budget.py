"""The budget of a run, and the ledger that keeps to it call by call.

A call starts only if the most that it can cost fits into what is left, with
all the calls under way counted at their most.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from memlab.bench.log import Spent
from memlab.ledger import Call, Ledger, Tokens
from memlab.models.meter import PriceTable

BYTES_PER_TOKEN = 2
"""No tokenizer in use makes more tokens of ordinary text."""


@dataclass(frozen=True)
class Budget:
    """What a run may cost in all; None is no limit."""

    dollars: float | None = None
    tokens: int | None = None

    @property
    def limits(self) -> bool:
        """Whether there is any limit."""
        return self.dollars is not None or self.tokens is not None

    def holds(self, spent: Spent) -> bool:
        """Tell whether so much may be spent."""
        if self.dollars is not None and spent.dollars > self.dollars:
            return False
        return self.tokens is None or spent.tokens <= self.tokens


class BudgetBusy(BaseException):
    """The first call of an answer has to wait for those under way.

    The answer is begun again when there is room, so that it does not wait
    while the time of its call is taken. Like ``BudgetReached``, it is not an
    Exception.
    """

    def __init__(self, model: str, most: Tokens) -> None:
        super().__init__()
        self.model = model
        self.most = most


class BudgetReached(BaseException):
    """The next call could cost more than is left.

    It is not an Exception, so that neither the SDK's retries nor recall's
    fallback take it for a failed call.
    """


@dataclass
class Asked:
    """One answer under way: its calls so far, and the most that the call
    under way can cost.
    """

    calls: list[Call] = field(default_factory=list)
    reserved: Spent = field(default_factory=Spent)
    reserved_tokens: Tokens = field(default_factory=Tokens)


_asked: ContextVar[Asked | None] = ContextVar("asked", default=None)


def answer_under_way() -> Asked:
    """Begin an answer: the calls of this task, and of the tasks that it
    starts, belong to it.
    """
    asked = Asked()
    _asked.set(asked)
    return asked


class BenchLedger(Ledger):
    """Keeps the calls of each answer apart, and lets no call start that could
    exceed the budget.

    ``prices`` is None where calls cost no money.
    """

    def __init__(self, prices: PriceTable | None = None) -> None:
        super().__init__()
        self.prices = prices
        self.budget = Budget()
        self.spent = Spent()
        self._under_way: list[Asked] = []
        self._changed = asyncio.Event()

    @property
    def under_way(self) -> int:
        """How many calls have been admitted and have not ended."""
        return len(self._under_way)

    def dollars(self, calls: Iterable[Call]) -> float | None:
        """Return what calls cost; None if their model has no price."""
        if self.prices is None:
            return None
        return self.prices.dollars(calls)

    def price(self, model: str, tokens: Tokens) -> float | None:
        """Return what one call with these tokens costs; None if the model has
        no price.
        """
        return self.dollars([_call(model, tokens)])

    async def admit(self, model: str, body: bytes) -> None:
        """Wait until the most that a call can cost fits into what is left of
        the budget; raises BudgetReached if it never will.

        The first call of an answer does not wait: BudgetBusy is raised, and
        whoever catches it waits with ``reserve``.
        """
        asked = _asked.get()
        if asked is None or not self.budget.limits:
            return
        most = _most_tokens(body)
        self._under_way = [
            each for each in self._under_way if each is not asked
        ]
        cost = self._spent_on(model, most)
        busy = any(each.reserved.tokens for each in self._under_way)
        if (
            not asked.calls
            and busy
            and not self.budget.holds(self._with(cost))
        ):
            raise BudgetBusy(model, most)
        await self.reserve(asked, model, most)

    async def reserve(self, asked: Asked, model: str, most: Tokens) -> None:
        """Reserve the most that an answer's call can cost; waits and raises
        as ``admit`` does.
        """
        cost = self._spent_on(model, most)
        while not self.budget.holds(self._with(cost)):
            if not any(each.reserved.tokens for each in self._under_way):
                raise BudgetReached
            changed = self._changed
            await changed.wait()
        asked.reserved = cost
        asked.reserved_tokens = most
        self._under_way.append(asked)

    def record(self, call: Call) -> None:
        """Add a call that has ended to the answer that it belongs to."""
        super().record(call)
        asked = _asked.get()
        if asked is None:
            return
        if call.status != "ok" and asked.reserved.tokens and _was_cut(call):
            # nobody knows what it has cost
            most = asked.reserved_tokens
            call = replace(call, created=most.created, output=most.output)
        asked.calls.append(call)
        self.release(asked)
        if call.replayed:
            return
        self.spent = _sum(self.spent, self._spent_on(call.model, call))

    def release(self, asked: Asked) -> None:
        """Forget what was reserved for an answer's call."""
        asked.reserved = Spent()
        asked.reserved_tokens = Tokens()
        if asked in self._under_way:
            self._under_way.remove(asked)
        self._changed.set()
        self._changed = asyncio.Event()

    def _with(self, cost: Spent) -> Spent:
        total = _sum(self.spent, cost)
        for asked in self._under_way:
            total = _sum(total, asked.reserved)
        return total

    def _spent_on(self, model: str, tokens: Tokens) -> Spent:
        dollars = self.price(model, tokens) or 0.0
        return Spent(tokens.input + tokens.output, dollars)


def _most_tokens(body: bytes) -> Tokens:
    """Return the most that a request can cost: all of it is written to the
    cache, and the answer has its full length.
    """
    try:
        output = int(json.loads(body).get("max_tokens") or 0)
    except (ValueError, AttributeError, TypeError):
        output = 0
    return Tokens(created=len(body) // BYTES_PER_TOKEN + 1, output=output)


def _call(model: str, tokens: Tokens) -> Call:
    """Make a call to look up its price."""
    now = datetime.now(UTC)
    return Call(
        uncached=tokens.uncached,
        created=tokens.created,
        read=tokens.read,
        output=tokens.output,
        purpose="",
        model=model,
        started=now,
        ended=now,
    )


def _was_cut(call: Call) -> bool:
    """Tell whether a call may have been billed although it gave no answer."""
    return not call.status.isdecimal() and "Connect" not in call.status


def _sum(one: Spent, other: Spent) -> Spent:
    return Spent(one.tokens + other.tokens, one.dollars + other.dollars)

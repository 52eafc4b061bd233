"""What the model cost, call by call and purpose by purpose: tokens, cache, time.

Left out: money. Prices change; costs here are in units of one uncached input token, by the
published ratios.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from memlab.settings import Settings


@dataclass(frozen=True)
class Call:
    """One call to the model; tokens as the service reported them, ``ended`` when the last byte
    came.

    ``status`` is ``ok``, or the HTTP status or error name that came instead. ``miss`` is why the
    cache was not read whole, where the service said so.
    """

    purpose: str
    model: str
    started: datetime
    answered: datetime
    ended: datetime
    uncached: int = 0
    created: int = 0
    read: int = 0
    output: int = 0
    status: str = "ok"
    miss: str = ""

    @property
    def seconds(self) -> float:
        """The time from sending to the last byte."""
        return (self.ended - self.started).total_seconds()


@dataclass(frozen=True)
class Totals:
    """The sum over calls; ``cost`` in uncached input tokens, ``hit_percent`` as
    ``cache_hit_percent``.
    """

    calls: int
    uncached: int
    created: int
    read: int
    output: int
    seconds: float
    cost: float
    hit_percent: float


class Ledger:
    """Every call, in the order the answers ended."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Settings()
        self._calls: list[Call] = []

    def record(self, call: Call) -> None:
        """Note one finished call."""
        self._calls.append(call)

    def __iter__(self) -> Iterator[Call]:
        return iter(tuple(self._calls))

    def __len__(self) -> int:
        return len(self._calls)

    def by_purpose(self) -> dict[str, Totals]:
        """Sum the calls of each purpose, purposes in alphabetical order."""
        purposes = sorted({call.purpose for call in self._calls})
        return {
            purpose: self._sum(call for call in self._calls if call.purpose == purpose)
            for purpose in purposes
        }

    def total(self) -> Totals:
        """Sum all calls."""
        return self._sum(self._calls)

    def _sum(self, calls: Iterable[Call]) -> Totals:
        chosen = list(calls)
        uncached = sum(call.uncached for call in chosen)
        created = sum(call.created for call in chosen)
        read = sum(call.read for call in chosen)
        output = sum(call.output for call in chosen)
        ratio = self._settings
        cost = uncached + created * ratio.cost_cache_write + read * ratio.cost_cache_read
        return Totals(
            calls=len(chosen),
            uncached=uncached,
            created=created,
            read=read,
            output=output,
            seconds=sum(call.seconds for call in chosen),
            cost=round(cost + output * ratio.cost_output, 1),
            hit_percent=cache_hit_percent(read, created, uncached),
        )


def cache_hit_percent(read: int, created: int, uncached: int) -> float:
    """Return the share of input tokens read from the cache, in percent with one decimal.

    All three kinds count as input: read, newly written, and neither. No input at all is 0.0.
    """
    total = read + created + uncached
    return round(100 * read / total, 1) if total else 0.0

"""What the model cost, call by call and purpose by purpose: tokens, cache,
time.

Costs are in units of one uncached input token, by the ratios in the
settings, and never in money, because prices change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from memlab.settings import Settings

USAGE = {
    "uncached": "input_tokens",
    "created": "cache_creation_input_tokens",
    "read": "cache_read_input_tokens",
    "output": "output_tokens",
}
"""The kinds of tokens with a price of their own, by our name for each and the
service's.
"""


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Tokens by kind, as the service reported them for one call, or summed
    over several.
    """

    uncached: int = 0
    created: int = 0
    read: int = 0
    output: int = 0

    @staticmethod
    def from_usage(usage: object) -> Tokens:
        """Read what the service reported: an object or a mapping; a figure
        that is missing or cannot be right is 0.
        """
        counts = {}
        for kind, name in USAGE.items():
            count = (
                usage.get(name)
                if isinstance(usage, Mapping)
                else getattr(usage, name, 0)
            )
            counts[kind] = max(0, count) if isinstance(count, int) else 0
        return Tokens(**counts)

    @staticmethod
    def total(parts: Iterable[Tokens]) -> Tokens:
        """Add up tokens, kind by kind."""
        listed = list(parts)
        return Tokens(
            **{
                kind: sum(getattr(part, kind) for part in listed)
                for kind in USAGE
            }
        )

    def by_kind(self) -> dict[str, int]:
        """Give the tokens of each kind by our name for it."""
        return {kind: getattr(self, kind) for kind in USAGE}

    def as_usage(self) -> dict[str, int]:
        """Give the tokens of each kind by the service's name for it."""
        return {name: getattr(self, kind) for kind, name in USAGE.items()}

    @property
    def input(self) -> int:
        """All input tokens: uncached, newly written to the cache, and read
        from it.
        """
        return self.uncached + self.created + self.read

    @property
    def hit_percent(self) -> float:
        """The share of the input tokens that was read from the cache, in
        percent; 0 of none.
        """
        return round(100 * self.read / self.input, 1) if self.input else 0.0

    def price(self, settings: Settings) -> float:
        """Give the cost, in units of one uncached input token."""
        cost = (
            self.uncached
            + self.created * settings.cost_cache_write
            + self.read * settings.cost_cache_read
            + self.output * settings.cost_output
        )
        return round(cost, 1)


@dataclass(frozen=True)
class Call(Tokens):
    """One call to the model; ``ended`` is when the last byte came.

    ``status`` is ``ok``, or the HTTP status or error name that came instead.
    ``miss`` is why the cache was not read in full, if the service said so.
    ``replayed`` is for an answer from a tape, which has cost nothing now.
    """

    purpose: str
    model: str
    started: datetime
    answered: datetime
    ended: datetime
    status: str = "ok"
    miss: str = ""
    replayed: bool = False

    @property
    def seconds(self) -> float:
        """The time from sending to the last byte."""
        return (self.ended - self.started).total_seconds()


@dataclass(frozen=True)
class Totals(Tokens):
    """The sum over calls; ``cost`` is in units of one uncached input token."""

    calls: int
    seconds: float
    cost: float


class Ledger:
    """Every call, in the order in which the answers ended."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Settings()
        self._calls: list[Call] = []

    async def admit(self, model: str, body: bytes) -> None:
        """Wait until a call may be sent; what this raises keeps it from being
        sent. Everything is admitted here.
        """

    def record(self, call: Call) -> None:
        """Add a call that has ended."""
        self._calls.append(call)

    def __iter__(self) -> Iterator[Call]:
        return iter(tuple(self._calls))

    def __len__(self) -> int:
        return len(self._calls)

    def by_purpose(self) -> dict[str, Totals]:
        """Sum the calls of each purpose, purposes in alphabetical order."""
        purposes = sorted({call.purpose for call in self._calls})
        return {
            purpose: self._sum(
                call for call in self._calls if call.purpose == purpose
            )
            for purpose in purposes
        }

    def total(self) -> Totals:
        """Sum all calls."""
        return self._sum(self._calls)

    def _sum(self, calls: Iterable[Call]) -> Totals:
        listed = list(calls)
        tokens = Tokens.total(listed)
        return Totals(
            calls=len(listed),
            seconds=sum(call.seconds for call in listed),
            cost=tokens.price(self._settings),
            **tokens.by_kind(),
        )

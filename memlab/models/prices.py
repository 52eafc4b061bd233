"""What calls to the service's own models cost in money, by a dated table.

The table is ``prices.toml``. A model that is not in it has no price: a server
of one's own, or a model that is newer than the table. Left out: the price of
the one-hour cache, which memlab does not ask for.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from memlab.ledger import Call

FILE = Path(__file__).with_name("prices.toml")
_MILLION = 1_000_000
_RELEASE = re.compile(r"-\d{8}$")  # a model's name can end with its date


@dataclass(frozen=True)
class Price:
    """A model's price in dollars per million tokens of each kind."""

    input: float
    cache_write: float
    cache_read: float
    output: float

    def of(self, call: Call) -> float:
        """Return what a call cost, in dollars."""
        cost = (
            call.uncached * self.input
            + call.created * self.cache_write
            + call.read * self.cache_read
            + call.output * self.output
        )
        return cost / _MILLION


@dataclass(frozen=True)
class PriceTable:
    """The prices by model, and the day on which they were right."""

    as_of: date
    models: Mapping[str, Price]

    def dollars(self, calls: Iterable[Call]) -> float | None:
        """Return what calls cost together; None if a model has no price.

        An answer from a tape costs nothing.
        """
        total = 0.0
        for call in calls:
            if call.replayed:
                continue
            price = self.models.get(_RELEASE.sub("", call.model))
            if price is None:
                return None
            total += price.of(call)
        return total


@cache
def price_table(file: Path = FILE) -> PriceTable:
    """Read the table of prices."""
    with file.open("rb") as source:
        table = tomllib.load(source)
    models = {name: Price(**price) for name, price in table["models"].items()}
    return PriceTable(table["as_of"], models)

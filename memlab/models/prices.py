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

_RELEASE = re.compile(r"-\d{8}$")  # a model's name can end with its date


@dataclass(frozen=True)
class PriceTable:
    """Dollars per million tokens, by model and kind, and the day on which they
    were right.
    """

    as_of: date
    models: Mapping[str, Mapping[str, float]]

    def dollars(self, calls: Iterable[Call]) -> float | None:
        """Return what calls cost together; None if a model has no price.

        An answer from a tape costs nothing.
        """
        total = 0.0
        for call in calls:
            price = self.models.get(_RELEASE.sub("", call.model))
            if call.replayed:
                continue
            if price is None:
                return None
            total += call.uncached * price["input"]
            total += call.created * price["cache_write"]
            total += call.read * price["cache_read"]
            total += call.output * price["output"]
        return total / 1_000_000


@cache
def price_table() -> PriceTable:
    """Read the table of prices."""
    text = Path(__file__).with_name("prices.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return PriceTable(table["as_of"], table["models"])

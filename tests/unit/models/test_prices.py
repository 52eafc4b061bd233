"""What calls cost in money: only where somebody is paid, and only by a price that is known."""

from __future__ import annotations

import pytest

from memlab.clock import STORY_START
from memlab.ledger import Call, Ledger
from memlab.models.meter import price_table
from memlab.settings import Settings


def ledger(*models: str) -> Ledger:
    kept = Ledger()
    for model in models:
        kept.record(
            Call(
                purpose="main",
                model=model,
                started=STORY_START,
                ended=STORY_START,
                uncached=1_000,
                created=2_000,
                read=10_000,
                output=100,
            )
        )
    return kept


@pytest.mark.parametrize("model", ["claude-opus-5-5", "claude-opus-5-5-20260901"])
def test_a_known_model_has_a_price(model: str) -> None:
    # 1,000 × $4 + 2,000 × $5 + 10,000 × $0.20 + 100 × $20, per million
    assert price_table().dollars(ledger(model)) == pytest.approx(0.018)


def test_an_unknown_model_has_none() -> None:
    assert price_table().dollars(ledger("claude-opus-5-5", "claude-next-1")) is None


def test_the_models_that_memlab_uses_by_itself_have_a_price() -> None:
    assert {Settings().main_model, Settings().select_model} <= set(price_table().models)

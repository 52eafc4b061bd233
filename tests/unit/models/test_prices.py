"""What calls cost in money: only where somebody is paid, and only by a price that is known."""

from __future__ import annotations

import pytest

from memlab.chat.views import cost_lines
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
def test_a_known_model_has_its_cost_and_the_date_of_the_price(model: str) -> None:
    head, main, total, dated = cost_lines(ledger(model), in_dollars=True)
    assert head.endswith("US$")
    # 1,000 × $4 + 2,000 × $5 + 10,000 × $0.20 + 100 × $20, per million
    assert main.endswith("0.0180")
    assert total.endswith("0.0180")
    assert dated == f"Prices as of {price_table().as_of:%Y-%m-%d}."


def test_of_an_unknown_model_only_tokens_are_shown() -> None:
    lines = cost_lines(ledger("claude-opus-5-5", "claude-next-1"), in_dollars=True)
    assert "US$" not in lines[0]
    assert lines[1].split() == ["main", "2", "2,000", "4,000", "20,000", "200", "76.9"]
    assert lines[-1] == "Some calls went to a model whose price is not known."


def test_a_local_model_costs_nothing_even_under_a_known_name() -> None:
    lines = cost_lines(ledger("claude-opus-5-5"))
    assert [line.split()[-1] for line in lines] == ["%", "76.9", "76.9"]


def test_the_models_that_memlab_uses_by_itself_have_a_price() -> None:
    assert {Settings().main_model, Settings().select_model} <= set(price_table().models)

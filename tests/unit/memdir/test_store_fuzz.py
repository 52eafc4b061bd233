"""Any order of changes to the store agrees with a plain model of a memory directory."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.unit.memdir.store_machine import StoreMachine


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("runs", [25, pytest.param(500, marks=pytest.mark.soak)])
def test_any_order_of_changes_agrees_with_a_plain_model(runs: int) -> None:
    steps = settings(max_examples=runs, stateful_step_count=20, deadline=None, database=None)
    run_state_machine_as_test(StoreMachine, settings=steps)  # type: ignore[no-untyped-call]

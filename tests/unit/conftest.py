"""What the tests of the bench and of its notebook share."""

from __future__ import annotations

import pytest


@pytest.fixture
def rough_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw 300 times instead of 10,000 times, and rehearse one question for an estimate.

    The intervals themselves are tested in `test_uncertainty.py`.
    """
    from memlab.bench import estimate
    from memlab.evals.metrics import paired_bootstrap

    monkeypatch.setitem(paired_bootstrap.__kwdefaults__, "draws", 300)
    monkeypatch.setattr(estimate, "REHEARSED", 1)

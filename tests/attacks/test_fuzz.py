"""The fuzzer finds nothing wrong with the guards, in a short run and in a longer one."""

from __future__ import annotations

import pytest

from tests.attacks import fuzz
from tests.platforms import needs_linux

pytestmark = needs_linux


def test_a_short_run_breaks_no_promise() -> None:
    counts = fuzz.run(minutes=0, examples=30)
    for what in ("texts judged", "pipelines ran", "programs started", "paths refused"):
        assert counts[what] > 0, counts


@pytest.mark.soak
def test_a_longer_run_breaks_no_promise() -> None:
    assert fuzz.run(minutes=0, examples=1_000, first=1_000_000)["pipelines ran"] > 0

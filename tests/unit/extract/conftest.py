"""A desk with an extractor, and a model that answers it as the test has written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.extract.helpers import ExtractSetup


@pytest.fixture
def setup(tmp_path: Path) -> ExtractSetup:
    made = ExtractSetup(tmp_path / "home")
    made.model.roles["extract"] = made.answer
    return made

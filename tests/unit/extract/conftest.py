"""A desk with an extractor, and a model that answers it as the test has written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.models.roles import ROLES
from tests.unit.extract.helpers import ExtractSetup


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ExtractSetup:
    made = ExtractSetup(tmp_path / "home")
    monkeypatch.setitem(ROLES, "extract", made.answer)
    return made

"""A home of its own for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.course import gap, parts


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "home"
    monkeypatch.setenv("MEMLAB_COURSE_HOME", str(folder))
    monkeypatch.setattr(gap, "SECONDS", 0.5)
    yield folder
    parts.remove_all()

"""A home of its own for every test, and none of its parts in memlab afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.course import my, parts


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("MEMLAB_COURSE_HOME", str(tmp_path / "home"))
    my.load()
    yield tmp_path / "home"
    parts.remove_all()

"""A home of its own for every test of the course, and nothing of it left in memlab afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.course import my, parts
from memlab.course.kernel_state import KERNEL_STATE


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("MEMLAB_COURSE_HOME", str(tmp_path / "home"))
    for name in ("MEMLAB_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    my.load()
    yield tmp_path / "home"
    parts.remove_all()
    KERNEL_STATE.cancel_leftovers()

"""A home of its own for every test, and no task left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.course import parts
from memlab.course.kernel_state import KERNEL_STATE


@pytest.fixture(autouse=True)
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "home of the course"
    monkeypatch.setenv("MEMLAB_COURSE_HOME", str(folder))
    for name in ("MEMLAB_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    yield folder
    parts.remove_all()
    KERNEL_STATE.cancel_leftovers()

"""The desk of a test: a small home, a model, an agent's context."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.agent.helpers import AgentSetup


@pytest.fixture
def setup(tmp_path: Path) -> AgentSetup:
    return AgentSetup(tmp_path / "home")

"""A prompt that has lost a block: the person is told, whatever the prompt was for."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.models.request import ModelRequest
from memlab.models.standin.task import MissingBlockError
from memlab.models.wire import Reply
from tests.unit.agent.helpers import run
from tests.unit.test_harness import TABS, House, talk


@pytest.fixture
def house(tmp_path: Path) -> House:
    house = House(tmp_path / "home")
    house.memory.mkdir(parents=True)
    (house.memory / "tabs.md").write_text(TABS, encoding="utf-8")
    return house


@pytest.mark.parametrize(
    ("purpose", "begins"),
    [
        ("extract", "Saving to memory failed: "),
        ("select", "Recall chose by keywords: "),
        ("dream", "The dream failed: "),
    ],
)
def test_the_notice_names_prompt_and_block(purpose: str, begins: str, house: House) -> None:
    def broken(request: ModelRequest) -> Reply:
        raise MissingBlockError(purpose, "manifest")

    house.model.roles[purpose] = broken
    harness = house.harness()
    talk(harness, "I prefer tabs.", "I prefer tabs, really.")
    if purpose == "dream":
        run(harness.dream_now)
    (notice,) = [one for one in harness.notices if "no <manifest> block" in one]
    assert notice.startswith(begins)
    assert f"Put {{{{manifest}}}} back into {purpose}.md" in notice

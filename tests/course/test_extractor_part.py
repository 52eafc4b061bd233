"""A learner's Extractor in the machine: whatever it does, no memory is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memlab.course.gaps.nb08 import Extractor, scheduled
from memlab.extract import extractor
from tests.unit.extract.test_schedules import play


class Idle(Extractor):
    """Does nothing."""

    async def turn_ended(self, conversation: Any) -> None:
        pass


class Raising(Extractor):
    """Raises before a run, or after the first."""

    async def turn_ended(self, conversation: Any) -> None:
        if self.cursor is None:
            await self.process(conversation)
        raise ValueError("a mistake of the learner's")


class Stuck(Extractor):
    """Believes for ever that a run is under way."""

    async def turn_ended(self, conversation: Any) -> None:
        await super().turn_ended(conversation)
        self.running = True


class Forgetful(Extractor):
    """Loses what was stashed."""

    async def process(self, conversation: Any) -> None:
        await super().process(conversation)
        self.stash = None


class Repeating(Extractor):
    """Has every run twice, with all messages."""

    async def process(self, conversation: Any) -> None:
        for _ in range(2):
            self.cursor = None
            await super().process(conversation)


class Eager(Extractor):
    """Starts a run whether or not another is under way."""

    async def turn_ended(self, conversation: Any) -> None:
        await self.process(conversation)


class Unmade(Extractor):
    """Cannot be made."""

    def __init__(self) -> None:
        super().__init__(None)


@pytest.mark.parametrize(
    "mine", [Extractor, Idle, Raising, Stuck, Forgetful, Repeating, Eager, Unmade]
)
def test_no_message_is_lost_or_read_twice(
    mine: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = scheduled(mine, extractor.Extractor)
    monkeypatch.setattr("tests.unit.extract.helpers.Extractor", kind)
    assert play(range(25), tmp_path, monkeypatch)

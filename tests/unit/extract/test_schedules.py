"""Random schedules of turns, slow runs, failures, direct writes, compactions and kills.

The fork is played, so that a thousand fit into a test; the clock is the course's.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.background import Background
from memlab.agent.fork import ForkResult
from memlab.agent.request import RequestPrefix
from memlab.events import ExtractionSkipped
from memlab.extract import Extractor, extractor
from memlab.settings import Settings
from tests.unit.agent.helpers import run
from tests.unit.extract.helpers import TABS, ExtractSetup, Talk

QUICK = 150


@dataclass
class PlayedForks:
    """Forks that take some time and sometimes fail; never may two be under way at once."""

    setup: ExtractSetup
    chance: random.Random
    fates: Sequence[str] = ("done", "done", "done", "error", "turn_limit", "raises")
    under_way: int = 0
    at_most: int = 0
    runs: int = 0

    async def __call__(
        self, prefix: RequestPrefix, prompt: str, runtime: Any, **parts: Any
    ) -> ForkResult:
        self.under_way += 1
        self.runs += 1
        self.at_most = max(self.at_most, self.under_way)
        try:
            await self.setup.clock.sleep(self.chance.choice((0, 0.2, 1, 5, 30)))
            fate = self.chance.choice(self.fates)
            if fate == "raises":
                raise OSError("no space left")
            return ForkResult("", fate, "" if fate == "done" else "It failed.")
        finally:
            self.under_way -= 1


@dataclass
class Schedule:
    """One random session, and what its stop hooks were handed."""

    setup: ExtractSetup
    seed: int
    handed: list[tuple[str, ...]] = field(default_factory=list)
    writes: int = 0
    ranges: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.forks = PlayedForks(self.setup, self.chance)
        every = self.chance.choice((1, 1, 2, 3))
        self.settings = Settings(extract_every_turns=every)
        self.extractor: Extractor = self.setup.extractor(settings=self.settings)
        self.talk = Talk(self.setup)

    async def play(self) -> None:
        background = Background(self.setup.runtime())
        for _ in range(self.chance.randint(3, 9)):
            self._turn()
            background.start(self.extractor, self._hand_in())
            await self.setup.clock.sleep(self.chance.choice((0, 0.1, 1, 10, 60)))
            if killed := self.chance.random() < 0.1:
                await background.drain(0, ())  # what is under way is cut off
            assert self.forks.under_way <= 1
        await background.drain(10_000, ())
        seen = self.covered("extract_started", "extract_skipped")
        waits = killed or self.extractor.pending is not None  # for the next turn
        assert waits or self.handed[-1][-1] in seen, "the last context is lost"
        self.forks.fates = ("done",)
        for _ in range(self.settings.extract_every_turns):
            self._turn(calm=True)
            background.start(self.extractor, self._hand_in())
            assert await background.drain(10_000, ()) == ()

    def _turn(self, *, calm: bool = False) -> None:
        if not calm and self.chance.random() < 0.1:
            self.talk.compact()
        turn = self.talk.add("user", "I want tabs.")
        if not calm and self.chance.random() < 0.2:
            self.writes += 1
            self.setup.agent_writes(f"{TABS}\nSaid {self.writes} times.\n", turn=turn)
        self.talk.add("assistant", "Yes.")

    def _hand_in(self) -> RequestPrefix:
        prefix = self.talk.prefix()
        self.handed.append(prefix.uuids)
        return prefix

    def covered(self, *names: str, **wanted: str) -> list[str]:
        """The messages in the ranges of some events, each as often as it stands in one."""
        found: list[str] = []
        for event in self.setup.events:
            about = event.figures
            if event.name not in names or any(about.get(k) != v for k, v in wanted.items()):
                continue
            first, last = about["first"], about["last"]
            whole = next(one for one in self.handed if first in one and last in one)
            span = whole[whole.index(first) : whole.index(last) + 1]
            assert len(span) == about["messages"]
            found += span
        return found

    def check(self) -> None:
        everything = dict.fromkeys(uuid for uuids in self.handed for uuid in uuids)
        processed = self.covered("extracted")
        skipped = [
            uuid
            for reason in ("direct write", "nothing said")
            for uuid in self.covered("extract_skipped", reason=reason)
        ]
        passed = self.covered("extract_failed", "extract_stashed", "extract_skipped")
        assert self.forks.at_most <= 1
        assert len(processed + skipped) == len({*processed, *skipped}), "dealt with twice"
        left = everything.keys() - {*processed, *skipped}
        assert left <= set(passed), "passed over without a word"
        waiting = left & set(self.talk.uuids)
        if waiting:  # only the throttle lets the newest turns wait, and fewer of them than it says
            last = list(self.setup.events)[-1]
            assert isinstance(last, ExtractionSkipped)
            assert last.reason == "throttle", "still there, and never dealt with"
            assert last.messages == len(waiting)
            assert len(waiting) <= 2 * (self.settings.extract_every_turns - 1)
        else:
            assert self.extractor.cursor == self.talk.uuids[-1]
        assert self.extractor.pending is None
        assert not self.extractor.running


def play(seeds: Sequence[int], home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    seen: dict[str, int] = {}
    for seed in seeds:
        schedule = Schedule(ExtractSetup(home / str(seed)), seed)
        monkeypatch.setattr(extractor, "run_forked_agent", schedule.forks)
        try:
            run(schedule.play, 3_600)
            schedule.check()
        except AssertionError as error:
            events = "\n".join(map(str, schedule.setup.events))
            raise AssertionError(f"seed {seed}: {error}\n{events}") from error
        for event in schedule.setup.events:
            name = f"{event.name} {event.figures.get('reason', '')}".strip()
            seen[name] = seen.get(name, 0) + 1
    return seen


EXPECTED = {
    "extract_started",
    "extracted",
    "extract_stashed",
    "extract_failed It failed.",
    "extract_failed OSError: no space left",
    "extract_failed It was cut off.",
    "extract_skipped direct write",
    "extract_skipped throttle",
    "drain_cut_off",
}


@pytest.mark.behaviour("I2", "I3")
@pytest.mark.slow
def test_every_message_is_dealt_with_once_or_said_to_be_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = play(range(QUICK), tmp_path, monkeypatch)
    assert seen.keys() >= EXPECTED

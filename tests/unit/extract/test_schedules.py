"""Random schedules of turns, slow runs, failures, direct writes, compactions and kills.

The fork is played, so that a thousand fit into a test; the clock is the course's.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.background import Background
from memlab.agent.fork import ForkResult
from memlab.agent.request import RequestPrefix
from memlab.extract import Extractor, extractor
from memlab.settings import Settings
from tests.house import House, note, run

SEEDS = [12, pytest.param(60, marks=pytest.mark.slow), pytest.param(600, marks=pytest.mark.soak)]


class Schedule:
    """One random session, and what its stop hooks were handed."""

    def __init__(self, home: Path, seed: int) -> None:
        self.house, self.chance = House(home), random.Random(seed)
        self.every = self.chance.choice((1, 1, 2, 3))
        runtime = self.house.runtime(settings=Settings(extract_every_turns=self.every))
        self.extractor = Extractor(runtime=runtime, tools=(), context=self.house.context())
        self.fates = ["done"] * 3 + ["error", "turn_limit", "raises"]
        self.under_way = 0
        self.messages: list[dict[str, str]] = []
        self.uuids: list[str] = []
        self.handed: list[tuple[str, ...]] = []

    async def fork(self, prefix: RequestPrefix, *given: Any, **parts: Any) -> ForkResult:
        """Take some time, and sometimes fail."""
        self.under_way += 1
        assert self.under_way == 1, "two runs at once"
        try:
            await self.house.clock.sleep(self.chance.choice((0, 0.2, 1, 5, 30)))
            fate = self.chance.choice(self.fates)
            if fate == "raises":
                raise OSError("no space left")
            return ForkResult("", fate, "" if fate == "done" else "It failed.")
        finally:
            self.under_way -= 1

    def _turn(self, chance: float = 1.0) -> RequestPrefix:
        if self.chance.random() < 0.1 * chance:  # a compaction
            self.messages, self.uuids = [], []
        for role in ("user", "assistant"):
            self.messages.append({"role": role, "content": "I want tabs."})
            self.uuids.append(self.house.clock.new_id())
        if self.chance.random() < 0.2 * chance:
            text = note(f"I want tabs {len(self.handed)}.")
            by = {"who": "main agent", "turn": self.uuids[-2]}
            self.house.store.write_text("tabs.md", text, **by)
        self.handed.append(tuple(self.uuids))
        return RequestPrefix("m", "s", (), tuple(self.messages), self.handed[-1])

    async def play(self) -> None:
        background, killed = Background(self.extractor.runtime), False
        for _ in range(self.chance.randint(3, 9)):
            background.start(self.extractor, self._turn())
            await self.house.clock.sleep(self.chance.choice((0, 0.1, 1, 10, 60)))
            if killed := self.chance.random() < 0.1:
                await background.drain(0)  # what is under way is cut off
        await background.drain(10_000)
        seen = self.covered("extract_started", "extract_skipped")
        waits = killed or self.extractor.pending is not None  # for the next turn
        assert waits or self.handed[-1][-1] in seen, "the last context is lost"
        self.fates = ["done"]
        for _ in range(self.every):
            background.start(self.extractor, self._turn(0.0))
            assert await background.drain(10_000) == ()

    def covered(self, *names: str, reason: str = "") -> list[str]:
        """The messages in the ranges of some events, each as often as it stands in one."""
        found: list[str] = []
        for about in (one.figures for one in self.house.events if one.name in names):
            if reason in str(about.get("reason")):
                first, last = about["first"], about["last"]
                whole = next(one for one in self.handed if first in one and last in one)
                found += whole[whole.index(first) : whole.index(last) + 1]
        return found

    def check(self) -> None:
        done = self.covered("extracted")
        for reason in ("direct write", "nothing said"):
            done += self.covered("extract_skipped", reason=reason)
        assert len(done) == len({*done}), "dealt with twice"
        left = {uuid for uuids in self.handed for uuid in uuids} - {*done}
        told = self.covered("extract_failed", "extract_stashed", "extract_skipped")
        assert left <= {*told}, "passed over without a word"
        if waiting := left & {*self.uuids}:  # which only the throttle may cause
            last = [*self.house.events][-1].figures
            assert (last.get("reason"), last["messages"]) == ("throttle", len(waiting))
            assert len(waiting) <= 2 * (self.every - 1)
        else:
            assert self.extractor.cursor == self.uuids[-1]
        assert self.extractor.pending is None


@pytest.mark.behaviour("I2", "I3")
@pytest.mark.parametrize("seeds", SEEDS)
def test_every_message_is_dealt_with_once_or_said_to_be_skipped(
    seeds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = set()
    for seed in range(seeds):
        schedule = Schedule(tmp_path / str(seed), seed)
        monkeypatch.setattr(extractor, "run_forked_agent", schedule.fork)
        run(schedule.play())
        schedule.check()
        seen |= {f"{e.name} {e.figures.get('reason', '')}".strip() for e in schedule.house.events}
    expected = {"extracted", "extract_stashed", "extract_skipped direct write", "drain_cut_off"}
    expected |= {"extract_skipped throttle", "extract_failed It was cut off."}
    assert seen >= expected | {"extract_failed It failed.", "extract_failed OSError: no space left"}

"""Agents in several processes share a memory, and one is killed again and again: nothing is lost.

Each says things and dreams as fast as it can. Left out: kills inside a single change, which
``test_kills`` has, and contests for the lock.
"""

from __future__ import annotations

import os
import random
import re
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import SystemClock
from memlab.dream import ConsolidationLock, Held
from memlab.memdir.doctor import diagnose
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings
from tests.faults.killing import TIMES, child, until_killed
from tests.faults.scenes import assert_unbroken, assert_whole
from tests.house import House, reads, talk, writes
from tests.platforms import needs_fork

OFTEN = Settings().with_changes(dream_min_hours=0, dream_min_sessions=1, dream_scan_minutes=0)


def live(home: Path, seed: int, many: int) -> None:
    """Say things that nobody else says, with a dream after each turn that may have one; a file
    tells what was said. Every other one is for the extractor to notice.
    """
    clock: Any = SystemClock()
    house, chance = House(home, clock, OFTEN), random.Random(seed)

    def dreams(request: Any) -> list[Any]:
        """Turn the index round, and change the end of a memory."""
        index = (house.memory / "MEMORY.md").read_text("utf-8").splitlines()
        file, text = next(iter(house.files().items()))
        text = text.rstrip() + "\n" * random.randint(1, 2)
        return [writes("MEMORY.md", "\n".join(index[::-1]) + "\n"), writes(file, text)]

    look = lambda request: [reads("MEMORY.md"), *map(reads, [*house.files()][:1])]  # noqa: E731
    house.answers("dream", look, dreams, "Turned round.")
    harness = house.harness(f"{seed}", toggles=Toggles(auto_dream=True))
    for number in range(many):
        who, what, where = ("".join(chance.choices("bdfgklmnprtv", k=5)) for _ in range(3))
        text = f"Remember that {who} keeps the {what} in the {where}."
        if number % 2:
            text = f"I prefer {who} {what}, not {where}."
        assert not talk(harness, text)[0].error
        with (home / "said").open("a") as file:
            file.write(f"{who} {what} {where}\n")


@needs_fork
@pytest.mark.parametrize("times", [TIMES[0], pytest.param(60, marks=pytest.mark.soak)])
def test_agents_in_several_processes_lose_nothing(house: House, times: int) -> None:
    house.fill(boats="Two boats are of wood.")
    for number in range(2):
        house.transcript(f"before-{number}").append("user", f"{number}")
    talk(house.harness(), "What is of wood?")  # imports once what each child would
    going_on = [child(live, house.home, number, times // 2) for number in range(2)]
    chance = random.Random(times)
    for number in range(2, 2 + times // 4):
        until_killed(lambda pipe, n=number: live(house.home, n, 100), chance, 300)  # type: ignore[misc]
    assert [os.waitpid(pid, 0)[1] for pid in going_on] == [0, 0]
    said = (house.home / "said").read_text().splitlines()
    assert len(said) >= times
    texts = [{*re.findall(r"\w+", text.casefold())} for text in house.files().values()]
    assert [one for one in said if not any({*one.split()} <= text for text in texts)] == []
    store = MemoryStore(house.memory)
    assert_whole(house.memory, store)
    assert_unbroken(store)
    assert {one.who for one in store.history()} == {"user", "main agent", "extractor", "dream"}
    assert diagnose(house.memory).is_clean
    lock = ConsolidationLock(house.memory)
    assert isinstance(lock.try_acquire(), Held), "a session that begins now can go on"

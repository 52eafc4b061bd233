"""Agents in several processes share a memory, and one is killed again and again: nothing is lost.

Each says things and dreams as fast as it can. Left out: kills inside a single change, which
``test_kills`` has, and contests for the lock.
"""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import SystemClock
from memlab.dream import ConsolidationLock, Held
from memlab.memdir.doctor import diagnose
from memlab.memdir.places import forget_paths
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from memlab.settings import Settings
from tests.faults.killing import TIMES, child
from tests.faults.scenes import assert_unbroken, assert_whole
from tests.house import House, reads, talk, writes
from tests.platforms import needs_fork

OFTEN = Settings().with_changes(dream_min_hours=0, dream_min_sessions=1, dream_scan_minutes=0)


def things_to_say(seed: int, many: int) -> Iterator[list[str]]:
    """Give the words of things worth keeping, which nobody else has; every other one is for the
    extractor to notice.
    """
    chance = random.Random(seed)
    for _ in range(many):
        yield ["".join(chance.choices("bdfgklmnprtv", k=9)) for _ in range(4)]


def live(home: Path, name: str, seed: int, many: int) -> None:
    """Say things, with a dream after each turn that may have one; a file tells what was said."""
    clock: Any = SystemClock()
    house = House(home, clock, OFTEN)

    def dreams(request: Any) -> list[Any]:
        """Turn the index round, and change the end of a memory."""
        index = (house.memory / "MEMORY.md").read_text("utf-8").splitlines()
        file = next(iter(house.files()))
        text = house.files()[file].rstrip() + "\n" * random.randint(1, 2)
        return [writes("MEMORY.md", "\n".join(index[::-1]) + "\n"), writes(file, text)]

    looks = [lambda request: [reads("MEMORY.md"), *map(reads, [*house.files()][:1])]]
    house.answers("dream", *looks, dreams, "Turned round.")
    harness = house.harness(name, toggles=Toggles(auto_dream=True))
    for number, (who, what, where, why) in enumerate(things_to_say(seed, many)):
        text = f"Remember that {who} keeps the {what} in the {where} for {why}."
        if number % 2:
            text = f"I prefer {who} {what}, not {where}, in all my {why}."
        for said in talk(harness, text):
            assert not said.error
        with (home / "said").open("a") as file:
            file.write(f"{who} {what} {where} {why}\n")


@needs_fork
@pytest.mark.parametrize("times", TIMES)
def test_agents_in_several_processes_lose_nothing(tmp_path: Path, times: int) -> None:
    import filelock  # noqa: F401 - loaded once, before the fork
    import psutil  # noqa: F401

    forget_paths()
    house = House(tmp_path / "home")
    house.fill(boats="Two boats are of wood.")
    for number in range(2):
        house.transcript(f"before-{number}").append("user", f"{number}")
    going_on = [child(lambda n=n: live(house.home, f"{n}", n, times // 2)) for n in range(2)]  # type: ignore[misc]
    chance = random.Random(times)
    for number in range(2, 2 + times // 4):
        pid = child(lambda n=number: live(house.home, f"{n}", n, 100))  # type: ignore[misc]
        time.sleep(0.5 + chance.random())
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    for pid in going_on:
        assert os.waitpid(pid, 0)[1] == 0
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

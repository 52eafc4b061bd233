"""Two agents in two processes share a memory: nothing is lost, and one of them at a time dreams.

Left out: kills inside a single change, which ``test_kills`` has, and the lock alone, which
``test_lock_contests`` has.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.clock import SystemClock
from memlab.dream import ConsolidationLock, Held
from memlab.events import EventLog
from memlab.memdir.doctor import diagnose
from memlab.memdir.places import forget_paths
from memlab.memdir.store import MemoryStore
from tests.faults.accounts import dreams_at_once, forgotten, losses, saved
from tests.faults.disks import in_memory
from tests.faults.neighbours import Street, things_to_say
from tests.platforms import needs_fork

DREAM, EXTRACTION = ("held", "free"), ("extract_started", "extracted")
TABS = "---\nname: Tabs\ndescription: tabs, not spaces\ntype: user\n---\n\nTabs, not spaces.\n"


@pytest.fixture
def street(monkeypatch: pytest.MonkeyPatch) -> Iterator[Street]:
    import anthropic  # noqa: F401 - loaded once, before the fork
    import filelock  # noqa: F401
    import psutil  # noqa: F401

    forget_paths()
    with tempfile.TemporaryDirectory(dir=in_memory(), prefix="memlab-tests-") as name:
        made = Street(Path(name) / "home")
        copies = made.home / "copies"
        copies.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(copies))
        yield made
        for one in made.running:
            one.kill()


def talk(street: Street, turns: int) -> None:
    both = [
        street.move_in(name, things_to_say(seed, turns))
        for seed, name in enumerate(("anna", "boris"))
    ]
    for one in both:
        one.start()
    for one in both:
        assert one.wait() == 0, (street.logs / f"{one.name}.error").read_text(encoding="utf-8")


def assert_next_one_can_work(street: Street) -> None:
    """A session that begins now can take the lock and write, and no copy lies about."""
    street.harness("next", EventLog(SystemClock()))
    assert list((street.home / "copies").iterdir()) == []
    lock = ConsolidationLock(street.memory)
    assert isinstance(lock.try_acquire(), Held)
    assert lock.rollback()
    store = MemoryStore(street.memory)
    before = len(store.history())
    store.write_text("tabs.md", TABS)
    assert len(store.history()) == before + 1


@needs_fork
@pytest.mark.parametrize("turns", [20, pytest.param(100, marks=pytest.mark.soak)])
def test_two_agents_lose_nothing_and_never_dream_at_once(street: Street, turns: int) -> None:
    talk(street, turns)
    told = street.told()
    said = [line["words"] for line in told if line["what"] == "turn"]
    assert len(said) == 2 * turns
    assert losses(street) == []
    assert forgotten(street, said) == []
    assert dreams_at_once(told) == []
    assert diagnose(street.memory).is_clean
    writers = {entry.who for entry in MemoryStore(street.memory).history()}
    assert writers == {"main agent", "extractor", "dream"}, "all three were at work"
    assert len(set(saved(told))) == 2 * turns, "each thing was saved"
    assert_next_one_can_work(street)


@needs_fork
@pytest.mark.parametrize("kills", [3, pytest.param(30, marks=pytest.mark.soak)])
def test_one_agent_is_killed_again_and_again_while_the_other_goes_on(
    street: Street, kills: int
) -> None:
    """Each is killed at a random moment of a dream, of an extraction, or of whatever follows."""
    chance, stop = random.Random(kills), street.home / "stop"

    def until_told() -> Iterator[str]:
        for text in things_to_say(0, 5_000):
            if stop.exists():
                return
            yield text

    boris, hit = street.move_in("boris", until_told()), 0
    boris.start()
    while hit < kills or not (cut_off(street, *DREAM) and cut_off(street, *EXTRACTION)):
        sign = b"det"[hit % 3 : hit % 3 + 1]
        number = len(street.running)
        anna = street.move_in(f"anna-{number}", things_to_say(number, 12))
        anna.start()
        if anna.hear(sign):
            end = time.perf_counter() + chance.random() * 0.02
            while time.perf_counter() < end:
                pass
            anna.kill()
            hit += 1
        assert number < 20 * kills, "no kill fell into a dream, or none into an extraction"
    stop.touch()
    assert boris.wait() == 0, (street.logs / "boris.error").read_text(encoding="utf-8")
    told = street.told()
    assert losses(street) == []
    asked = [one["words"] for one in told if one["what"] == "turn" and "Remember" in one["words"]]
    assert forgotten(street, asked) == []
    assert dreams_at_once(told) == []
    assert diagnose(street.memory).is_clean
    assert_next_one_can_work(street)


def cut_off(street: Street, begins: str, ends: str) -> int:
    """Count what those who were killed have begun and, for all that is known, not ended."""
    begun = [line["what"] for line in street.told("anna*")]
    return begun.count(begins) - begun.count(ends)

"""Two agents in two processes share a memory: nothing is lost, and one of them at a time dreams.

Left out: kills inside a single change, which ``test_kills`` has, and the lock alone, which
``test_lock_contests`` has.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import SystemClock
from memlab.dream import ConsolidationLock, Held
from memlab.events import EventLog
from memlab.harness import Harness
from memlab.memdir.index import INDEX
from memlab.memdir.lint import diagnose
from memlab.memdir.paths import forget_paths
from memlab.memdir.store import MemoryStore
from tests.faults.accounts import dreams_at_once, forgotten, losses, saved
from tests.faults.disks import in_memory
from tests.faults.neighbours import Street, things_to_say
from tests.faults.test_kills import needs_fork

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


def talk(street: Street, turns: int, change: Callable[[Harness], object] = id) -> None:
    both = [
        street.move_in(name, things_to_say(seed, turns), change)
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
    while hit < kills:
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
        assert number < 4 * kills, "the agents end before they can be killed"
    stop.touch()
    assert boris.wait() == 0, (street.logs / "boris.error").read_text(encoding="utf-8")
    told = street.told()
    assert losses(street) == []
    asked = [one["words"] for one in told if one["what"] == "turn" and "Remember" in one["words"]]
    assert forgotten(street, asked) == []
    assert dreams_at_once(told) == []
    assert diagnose(street.memory).is_clean
    assert cut_off(told, "held", "free") > 0, "some were killed while they dreamt"
    assert cut_off(told, "extract_started", "extracted") > 0, "and some while they extracted"
    assert_next_one_can_work(street)


def cut_off(told: list[dict[str, Any]], begins: str, ends: str) -> int:
    """Count what has begun and, for all that is known, not ended."""
    begun = [line["what"] for line in told if line["by"].startswith("anna")]
    return begun.count(begins) - begun.count(ends)


def rough(harness: Harness) -> None:
    """Spoil a lock: whatever stands in its file keeps nobody out, and tells of no dream before."""
    lock = harness.dreams.lock
    lock._standing = lambda found: "nobody looked"  # type: ignore[method-assign]
    lock.last_consolidated_at = lambda stat=None: None  # type: ignore[method-assign]


@needs_fork
def test_a_lock_that_keeps_nobody_out_is_found(street: Street) -> None:
    talk(street, 6, rough)
    assert dreams_at_once(street.told()) != []


def three_saved(street: Street) -> MemoryStore:
    store = MemoryStore(street.memory)
    for name in ("Tabs", "Tides", "Boats"):
        store.write_text(f"{name.lower()}.md", TABS.replace("Tabs", name), who="extractor")
    return store


def replace_behind_its_back(street: Street) -> None:
    (street.memory / "tabs.md").write_text("mine", encoding="utf-8")


def remove(street: Street) -> None:
    (street.memory / "tabs.md").unlink()


def unpoint(street: Street) -> None:
    index = street.memory / INDEX
    index.write_text("\n".join(index.read_text().splitlines()[1:]), encoding="utf-8")


def leave_something(street: Street) -> None:
    (street.memory / "draft.txt").write_text("", encoding="utf-8")


def lose_a_change(street: Street) -> None:
    journal = street.memory / ".memlab" / "journal.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    journal.write_text("".join(lines[:2] + lines[4:]), encoding="utf-8")


def drop_without_a_word(street: Street) -> None:
    MemoryStore(street.memory).replace_many({"tabs.md": None}, who="dream")


def promise(street: Street) -> None:
    line = {"at": "", "by": "anna", "what": "notice", "text": "Saved to memory: ferry.md"}
    (street.logs / "anna.jsonl").write_text(json.dumps(line), encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (replace_behind_its_back, "tabs.md is not what the journal says"),
        (remove, "tabs.md is not what the journal says"),
        (unpoint, "the index points to ['boats.md'] or twice to one"),
        (leave_something, "left behind: ['draft.txt']"),
        (lose_a_change, "change-0003 by extractor did not see the version of MEMORY.md before it"),
        (drop_without_a_word, "change-0004 took ['tabs.md'] away, and nobody was told why"),
        (promise, "anna was told that ferry.md is saved, and the journal does not know"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_lost_is_found(
    street: Street, damage: Callable[[Street], object], found: str
) -> None:
    three_saved(street)
    assert losses(street) == []
    damage(street)
    assert found in losses(street)


def test_what_is_said_no_more_is_found(street: Street) -> None:
    three_saved(street)
    said = ["Remember: tabs, not spaces.", "Remember: tabs, not columns."]
    assert forgotten(street, said) == ["Remember: tabs, not columns."]

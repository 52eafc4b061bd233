"""The index of similar memories finds what comparing each with each finds, and reads little."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.memdir import cache
from memlab.memdir.cache import TIME_STEP, MemoryCache
from memlab.memdir.lint import diagnose
from memlab.memdir.memory import Memory, MemoryType, format_memory, parse_memory
from memlab.memdir.rules import Finding, check, duplicates
from memlab.memdir.similar import SimilarMemories
from memlab.memdir.store import MemoryStore

WORDS = [f"word{number}" for number in range(30)]


def made(chance: random.Random, number: int) -> Memory:
    """Make a memory of few words, so that many are alike; some share a name or are tombstones."""
    name = f"Name {chance.randrange(25)}"
    description = " ".join(chance.sample(WORDS, chance.randrange(1, 7)))
    body = " ".join(chance.choices(WORDS, k=chance.randrange(0, 14)))
    dropped = "it is over" if not body and chance.random() < 0.5 else ""
    path = Path(f"m{number:03}.md")
    return Memory(name, description, MemoryType.user, body, path=path, dropped=dropped)


def found(memory: Memory, others: Sequence[Memory]) -> list[Finding]:
    return list(duplicates(memory, others))


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8))]
)
def test_the_index_decides_as_comparing_with_all_does(seed: int) -> None:
    chance = random.Random(seed)
    memories = [made(chance, number) for number in range(120)]
    index = SimilarMemories()
    for place, memory in enumerate(memories):
        index.add(place, memory)
    for place in chance.sample(range(120), 30):
        index.remove(place, memories[place])
        memories[place] = made(chance, place)
        index.add(place, memories[place])
    findings = 0
    for place, memory in enumerate(memories):
        others = memories[:place] + memories[place + 1 :]
        places = index.most_similar(memory, without=[place])
        assert found(memory, [memories[at] for at in places[-1:]]) == found(memory, others)
        findings += len(found(memory, others))
    assert findings > 20


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the memories that each memory is compared with."""
    counts: list[int] = []

    def counted(
        memory: Memory, now: datetime, others: Sequence[Memory], **more: Any
    ) -> list[Finding]:
        counts.append(len(others))
        return check(memory, now, others, **more)

    monkeypatch.setattr("memlab.memdir.lint.check", counted)
    monkeypatch.setattr("memlab.memdir.rules.check", counted)
    return counts


def text(number: int) -> str:
    body = f"The warden of the north pier checks rope {number} before every tour in the morning."
    return f"---\nname: Rope {number}\ndescription: rope {number}\ntype: user\n---\n\n{body}\n"


def test_the_doctor_compares_each_of_many_similar_memories_once(
    tmp_path: Path, compared: list[int]
) -> None:
    for number in range(150):
        (tmp_path / f"rope-{number}.md").write_text(text(number), "utf-8")
    findings = diagnose(tmp_path).findings
    assert sum(one.rule == "duplicate" for one in findings) == 149
    assert len(compared) == 150
    assert max(compared) == 1


class Disk:
    """A directory of memories, and which of its files were read and parsed."""

    def __init__(self, top: Path, count: int) -> None:
        self.top = top
        self.read: list[str] = []
        self.parsed: list[str] = []
        self.now = 0
        for number in range(count):
            (top / f"m{number}.md").write_text(text(number), "utf-8")
        self.known = MemoryCache(top, self._read, parse=self._parse, now=lambda: self.now)

    def _read(self, path: Path) -> bytes | None:
        self.read.append(path.name)
        return path.read_bytes() if path.exists() else None

    def _parse(self, data: bytes, *, path: Path) -> Memory:
        self.parsed.append(path.name)
        return parse_memory(data, path=path)

    def update(self) -> dict[str, Memory]:
        """Look again, long after the newest change."""
        self.read.clear()
        self.parsed.clear()
        files = sorted(self.top.glob("*.md"))
        self.now = max(path.stat().st_ctime_ns for path in files) + 10 * TIME_STEP
        return self.known.update(path.name for path in files)


def test_only_what_changed_is_read_and_parsed_again(tmp_path: Path) -> None:
    disk = Disk(tmp_path, 20)
    first = disk.update()
    assert len(disk.parsed) == 20
    assert disk.update() == first
    assert (disk.read, disk.parsed) == ([], [])
    (tmp_path / "m3.md").write_text(text(300), "utf-8")
    (tmp_path / "m4.md").unlink()
    now = disk.update()
    assert (disk.read, disk.parsed) == (["m3.md"], ["m3.md"])
    assert now["m3.md"].name == "Rope 300"
    assert "m4.md" not in now


def test_an_edit_that_keeps_size_and_mtime_is_noticed(tmp_path: Path) -> None:
    disk = Disk(tmp_path, 3)
    disk.update()
    path = tmp_path / "m1.md"
    before = path.stat()
    path.write_text(text(1).replace("north", "south"), "utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert "south" in disk.update()["m1.md"].body


def test_a_second_edit_in_the_same_moment_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path, 2)
    monkeypatch.setattr(cache, "_stamp", lambda path: (1, 1, 1, 1, 1))  # nothing to tell apart
    disk.known.update(["m0.md", "m1.md"])
    (tmp_path / "m0.md").write_text(text(0).replace("north", "south"), "utf-8")
    assert "south" in disk.known.update(["m0.md", "m1.md"])["m0.md"].body


def test_a_write_finds_the_memory_that_an_edit_by_hand_made_similar(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path)
    store.write_text("rope-1.md", text(1))
    store.write_text("lamp.md", text(2).replace("rope", "lamp").replace("warden", "keeper"))
    (tmp_path / "lamp.md").write_text(text(7).replace("Rope 7", "Lamp"), "utf-8")
    told = [one.message for one in store.write_text("rope-9.md", text(9)).findings]
    assert any(one.startswith(("rope-1.md says", "lamp.md says")) for one in told)
    (tmp_path / "rope-1.md").unlink()
    (tmp_path / "lamp.md").unlink()
    (tmp_path / "rope-9.md").unlink()
    findings = store.write_text("rope-5.md", text(5)).findings
    assert [one for one in findings if one.rule == "duplicate"] == []


def test_files_of_one_change_are_compared_with_each_other(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path)
    pair = {f"rope-{number}.md": text(number).encode() for number in (1, 2)}
    findings = store.replace_many(pair).findings
    assert [one.message.split()[0] for one in findings if one.rule == "duplicate"] == [
        "rope-2.md",
        "rope-1.md",
    ]


def test_policy_of_another_kind_still_see_all_memories(tmp_path: Path) -> None:
    seen: list[list[str]] = []

    def check(memory: Memory, *, existing: Sequence[Memory], now: object) -> list[Finding]:
        seen.append([other.name for other in existing])
        return []

    store = MemoryStore(tmp_path, checks=check)
    for number in range(3):
        store.write_text(f"rope-{number}.md", text(number))
    assert seen == [[], ["Rope 0"], ["Rope 0", "Rope 1"]]
    assert format_memory(store.read("rope-2.md")) == text(2)

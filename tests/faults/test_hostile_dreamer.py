"""A dreamer that means harm: whatever it does, by tools or past them, nothing is lost in silence.

The judge shares no code with the review: each memory holds words that no other has, and after a
dream they have to be found again, or a receipt names the memory and gives the reason.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memlab.dream import DreamTask
from memlab.memdir.index import parse_pointers
from memlab.memdir.memory import parse_memory
from memlab.memdir.places import INDEX
from tests.faults.killing import TIMES
from tests.house import SHOWN, Call, House, note, reads, use, writes
from tests.unit.dream.night import gone, lock, sleep, tree, waiting

COUNT = 10
NAMES = [f"m{number:02}.md" for number in range(COUNT)]
OWN_LINE = "Ask Maren before you touch the almanac."


def marks(number: int) -> list[str]:
    """Words that only one memory has."""
    return [f"{first}{number:02}{last}" for first in "bdfgkm" for last in ("alo", "uri")]


def body(number: int) -> str:
    own = marks(number)
    return f"{' '.join(own[:4])} is so. {' '.join(own[4:8])} too.\n{' '.join(own[8:])} as well."


def matter(number: int, text: str) -> str:
    return note(text, f"Matter {number}", "reference", "on it")


def by_tool(chance: random.Random) -> list[Call]:
    """Make a call, or some, that do harm or may do."""
    one, other = chance.sample(range(COUNT), 2)
    mine, theirs = NAMES[one], NAMES[other]
    both = f"{body(one)}\n{body(other)}"
    share = int(len(both) * chance.choice([1.0, 0.9, 0.5]))
    hollow = ["", " ", "It is so.", " ".join(marks(one)[: chance.randrange(12)]), body(other)]
    hollow += [f"{body(one)} See [this](../../keys.md)."]
    why = ["x", "stale because", "stale because the season is over", "''", "no reason at all"]
    why += [f"contradicted by {theirs}", "superseded by m01.md"]
    places = [f"{SHOWN}/../stolen.md", f"{SHOWN}/logs/a.md", f"{SHOWN}/.memlab/x.md"]
    places += [f"{SHOWN}/%2e%2e/a.md", "~/.ssh/authorized_keys", "CLAUDE.md"]
    lines = ["", "none\n", "- [Out](../../up.md) - gone\n", "more\n" * 300, "x" * 30_000]
    heir = chance.choice([theirs, "nowhere.md", "../out.md", INDEX])
    flood = [writes(f"f{n}.md", note(f"Flood{n} came.", f"F{n}")) for n in range(25)]
    merged = [writes(mine, matter(one, both[:share])), writes(theirs, gone(superseded_by=mine))]
    harm: list[list[Call]] = [
        [writes(mine, gone(superseded_by=heir))],
        [writes(mine, gone(dropped=chance.choice(why)))],
        [writes(mine, matter(one, chance.choice(hollow)))],
        [use("Write", file_path=chance.choice(places), content=note("a b c"))],
        [use("Bash", command=f"rm -rf {SHOWN}")],
        [writes(INDEX, chance.choice(lines))],
        [writes("huge.md", note("word " * chance.choice([10, 3_500]), "Huge"))],
        flood[: chance.choice([5, 25])],
        merged,
        merged,
    ]
    return chance.choice(harm)


def past_the_tools(chance: random.Random, house: House) -> None:
    """Reach into the copy itself, as a tool with a hole in it would."""
    copy = next(house.home.parent.glob("memlab-dream-*"), None)
    if copy is None:
        return
    file = copy / chance.choice(NAMES)
    garbage = {file: b"\x00\xff garbage", copy / INDEX: b"\x00"}
    garbage |= {copy / ".consolidate-lock": b"1", copy / ".memlab" / "journal.jsonl": b"{}\n{}\n"}
    acts: list[Callable[[], object]] = [
        lambda: file.unlink(missing_ok=True),
        lambda: [*map(Path.unlink, copy.glob("m*.md"))],
        lambda: (copy / "out.md").symlink_to(house.project / "CLAUDE.md"),
        lambda: shutil.rmtree(copy),
        lambda: [(copy / f"n{n}.md").write_text("n") for n in range(60)],
        *[lambda at=at, data=data: at.write_bytes(data) for at, data in garbage.items()],  # type: ignore[misc]
    ]
    chance.choice(acts)()


def harm(house: House, seed: int) -> DreamTask:
    """Dream by chance: some calls to tools, and now and then a hand in the copy."""
    chance = random.Random(seed)

    def some(request: Any) -> list[Call]:
        return [call for _ in range(chance.randrange(2, 6)) for call in by_tool(chance)]

    def reach(request: Any) -> Any:
        for _ in range(chance.choice([0, 0, 1, 2])):
            past_the_tools(chance, house)
        return some(request) if chance.random() < 0.3 else "All is in order."

    return sleep(house, [reads(name) for name in (*NAMES, INDEX)], some, reach, "Done.")


def wrong(house: House, task: DreamTask) -> list[str]:
    """Say what a dream has cost that no receipt accounts for, and what else is wrong."""
    now = {name: data.decode("utf-8", "replace") for name, (data, _) in tree(house.memory).items()}
    index = now.pop(INDEX, "")
    everywhere = " ".join(now.values())
    accepted = task.receipt.accepted if task.receipt.change else ()
    kinds = ("contradicted", "stale", "dropped")
    listed = {one.file for one in accepted if one.kind in kinds and len(one.reason) > 3}
    found = [
        name
        for number, name in enumerate(NAMES)
        if sum(one in everywhere for one in marks(number)) < (4 if name in now else 7)
        and (name in now or name not in listed)
    ]
    for name, text in now.items():
        if not parse_memory(text.encode()).body.strip() or len(text) > 20_000 or "](.." in text:
            found.append(f"{name} is no memory")
    is_broken = OWN_LINE not in index or len(index) > 25_000 or index.count("\n") > 200
    if is_broken or sorted(one.file for one in parse_pointers(index)) != sorted(now):
        found.append(INDEX)
    too_many = len(listed - now.keys()) > COUNT // 5 or len(now) > COUNT + 25
    return found + ["too many are gone for good, or new"] * too_many


@pytest.mark.behaviour("K3")
@pytest.mark.parametrize("times", [TIMES[0], pytest.param(200, marks=pytest.mark.soak)])
def test_nothing_unaccounted_is_ever_committed(house: House, times: int, tmp_path: Path) -> None:
    house.fill(**{name[:-3]: matter(number, body(number)) for number, name in enumerate(NAMES)})
    index = house.memory / INDEX
    index.write_text(f"# Robin's\n\n{OWN_LINE}\n\n" + index.read_text())
    (house.project / "CLAUDE.md").write_text("the project's rules\n")
    shutil.copytree(house.memory, tmp_path / "past")
    before, committed, refused = tree(house.memory), 0, 0
    for seed in range(times):
        shutil.rmtree(house.memory)
        shutil.copytree(tmp_path / "past", house.memory)
        task = harm(house, seed)
        assert wrong(house, task) == [], seed
        assert bool(task.receipt.waits) is (task.phase == "waiting") is waiting(house).there, seed
        assert lock(house).peek() is None, seed
        assert {one.name for one in tmp_path.iterdir()} == {"home", "past"}, seed
        assert tree(house.home).keys() == {"tidebook/CLAUDE.md"}, seed
        refused += any(one.refused for one in task.receipt.changes)
        if task.receipt.change:
            committed += 1
            house.store.undo(task.receipt.change)
        assert tree(house.memory) == before, seed
    assert committed > times / 10, "some of it was harmless, and was carried out"
    assert refused > times / 4

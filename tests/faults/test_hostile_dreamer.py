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
    return [f"{one}{number:02}{end}" for one in "bdfgkm" for end in ("alo", "uri")]


def body(number: int) -> str:
    own = " ".join(marks(number)).split(" ", 6)
    return f"{' '.join(own[:6])} is so.\n{own[6]} as well."


def matter(number: int, text: str) -> str:
    return note(text, f"Matter {number}", "reference", "on it")


def harmful(chance: random.Random) -> list[Call]:
    """Make a call, or some, that do harm or may do."""
    one, other = chance.sample(range(COUNT), 2)
    mine, theirs = NAMES[one], NAMES[other]
    both = f"{body(one)}\n{body(other)}"
    hollow = ["", body(other), f"{body(one)} [x](../../keys.md)", " ".join(marks(one)[:5])]
    why = ["x", "stale because it is over", f"contradicted by {theirs}"]
    heirs = [theirs, "nowhere.md", "../out.md", INDEX]
    places = ["../stolen.md", "logs/a.md", ".memlab/x.md", "%2e%2e/a.md"]
    lines = ["", "- [Out](../../up.md) - gone\n", "more\n" * 300, "x" * 30_000]
    merged = matter(one, both[: int(len(both) * chance.choice([1.0, 0.9, 0.5]))])
    harm: list[list[Call]] = [
        [writes(mine, gone(superseded_by=chance.choice(heirs)))],
        [writes(mine, gone(dropped=chance.choice(why)))],
        [writes(mine, matter(one, chance.choice(hollow)))],
        [writes(chance.choice(places), note("a b c"))],
        [use("Bash", command=f"rm -rf {SHOWN}")],
        [writes(INDEX, chance.choice(lines))],
        [writes("huge.md", note("word " * 3_500, "Huge"))],
        [writes(f"f{n}.md", note(f"Flood{n} came.", f"F{n}")) for n in range(25)],
        *2 * [[writes(mine, merged), writes(theirs, gone(superseded_by=mine))]],
    ]
    return chance.choice(harm)


def past_the_tools(chance: random.Random, house: House) -> None:
    """Reach into the copy itself, as a tool with a hole in it would."""
    (copy,) = house.home.parent.glob("memlab-dream-*")
    file = copy / chance.choice([*NAMES, INDEX, ".memlab/journal.jsonl"])
    acts: list[Callable[[], object]] = [
        lambda: file.unlink(missing_ok=True),
        lambda: file.write_bytes(b"\x00\xff garbage"),
        lambda: [*map(Path.unlink, copy.glob("m*.md"))],
        lambda: (copy / "out.md").symlink_to("/etc/passwd"),
        lambda: shutil.rmtree(copy),
    ]
    chance.choice(acts)()


def harm(house: House, seed: int) -> DreamTask:
    """Dream by chance: some calls to tools, and now and then a hand in the copy."""
    chance = random.Random(seed)

    def some(request: Any) -> list[Call]:
        return [call for _ in range(chance.randrange(2, 6)) for call in harmful(chance)]

    def reach(request: Any) -> str:
        if chance.random() < 0.5:
            past_the_tools(chance, house)
        return "All is in order."

    return sleep(house, [reads(name) for name in (*NAMES, INDEX)], some, reach)


def wrong(house: House, task: DreamTask) -> list[str]:
    """Say what a dream has cost that no receipt accounts for, and what else is wrong."""
    now, index = house.files(), (house.memory / INDEX).read_text("utf-8")
    accepted = task.receipt.accepted if task.receipt.change else ()
    listed = {one.file for one in accepted if one.reason[3:] and one.kind != "merged"}
    found = list[str]()
    for number, name in enumerate(NAMES):
        left = sum(one in " ".join(now.values()) for one in marks(number))
        if left < (4 if name in now else 7) and (name in now or name not in listed):
            found.append(name)
    for name, text in now.items():
        is_hollow = not parse_memory(text.encode()).body.strip()
        if is_hollow or len(text) > 20_000 or "](.." in text:
            found.append(f"{name} is no memory")
    is_over = len(index) > 25_000 or index.count("\n") > 200
    pointed = sorted(one.file for one in parse_pointers(index))
    if OWN_LINE not in index or is_over or pointed != sorted(now):
        found.append(INDEX)
    too_many = len(listed - now.keys()) > COUNT // 5 or len(now) > COUNT + 25
    return found + ["too many are gone for good, or new"] * too_many


@pytest.mark.behaviour("K3")
@pytest.mark.parametrize("times", [TIMES[0], pytest.param(200, marks=pytest.mark.soak)])
def test_nothing_unaccounted_is_ever_committed(house: House, times: int, tmp_path: Path) -> None:
    house.fill(**{name[:-3]: matter(number, body(number)) for number, name in enumerate(NAMES)})
    index = house.memory / INDEX
    index.write_text(f"# Robin's\n\n{OWN_LINE}\n\n" + index.read_text())
    shutil.copytree(house.memory, tmp_path / "past")
    before, committed, refused = tree(house.memory), 0, 0
    for seed in range(times):
        shutil.rmtree(house.memory)
        shutil.copytree(tmp_path / "past", house.memory)
        task = harm(house, seed)
        assert wrong(house, task) == [], seed
        assert bool(task.receipt.waits) is (task.phase == "waiting") is waiting(house).there, seed
        assert lock(house).peek() is None, seed
        assert tree(house.home) == {}, seed
        refused += any(one.refused for one in task.receipt.changes)
        if task.receipt.change:
            committed += 1
            house.store.undo(task.receipt.change)
        assert tree(house.memory) == before, seed
    assert committed > times / 10, "some of it was harmless, and was carried out"
    assert refused > times / 4

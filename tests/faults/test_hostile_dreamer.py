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
OWN_LINE = "Ask Maren before you touch the almanac."


def marks(number: int) -> list[str]:
    """Words that only one memory has."""
    return [f"{first}{number:02}{last}" for first in "bdfgkm" for last in ("alo", "uri")]


def body(number: int) -> str:
    own = marks(number)
    return f"{' '.join(own[:4])} is so. {' '.join(own[4:8])} too.\n{' '.join(own[8:])} as well."


NAMES = [f"m{number:02}.md" for number in range(COUNT)]


def matter(number: int, text: str, about: str = "on it") -> str:
    return note(text, f"Matter {number}", "reference", about)


def by_tool(chance: random.Random) -> list[Call]:
    """Make a call, or two, that do harm or may do."""
    one, other = chance.sample(range(COUNT), 2)
    mine, theirs = NAMES[one], NAMES[other]
    both = f"{body(one)}\n{body(other)}"
    share = int(len(both) * chance.choice([1.0, 0.9, 0.5]))
    hollow = ["", " ", "It is so.", " ".join(marks(one)[: chance.randrange(12)]), body(other)]
    link = f"{body(one)} See [this]({chance.choice(['../../keys.md', '/etc/passwd'])})."
    why = ["x", "stale because", "stale because the season is over", "''", "no reason at all"]
    why += [f"contradicted by {theirs}", "superseded by m01.md"]
    outside = ["../stolen.md", "../../../stolen.md", "logs/a.md", ".memlab/x.md", "%2e%2e/a.md"]
    places = [f"{SHOWN}/{chance.choice(outside)}", "~/.ssh/authorized_keys", "CLAUDE.md"]
    lines = ["", "none\n", "- [Out](../../up.md) - gone\n", "more\n" * 300, "x" * 30_000]
    heir = chance.choice([theirs, "nowhere.md", "../out.md", INDEX])
    flood: list[Call] = [writes(f"f{n}.md", note(f"Flood{n} came.", f"F{n}")) for n in range(25)]
    merged: list[Call] = [
        writes(mine, matter(one, both[:share])),
        writes(theirs, gone(superseded_by=mine)),
    ]
    harm: list[list[Call]] = [
        [writes(mine, gone(superseded_by=heir))],
        [writes(mine, gone(dropped=chance.choice(why)))],
        [writes(mine, matter(one, chance.choice(hollow)))],
        [writes(mine, matter(one, link))],
        [use("Write", file_path=chance.choice(places), content=note("a b c"))],
        [use("Bash", command=f"rm -rf {SHOWN}"), use("Bash", command=f"find {SHOWN} -delete")],
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
    if copy:
        file = copy / chance.choice(NAMES)
        acts: list[Callable[[], object]] = [
            lambda: file.unlink(missing_ok=True),
            lambda: [*map(Path.unlink, copy.glob("m*.md"))],
            lambda: file.write_bytes(b"\x00\xff garbage"),
            lambda: file.write_text(gone(superseded_by="m00.md")),
            lambda: (copy / INDEX).write_bytes(b"\x00"),
            lambda: (copy / "out.md").symlink_to(house.project / "CLAUDE.md"),
            lambda: (copy / ".consolidate-lock").write_text("1"),
            lambda: (copy / ".memlab" / "journal.jsonl").write_text("{}\n{}\n"),
            lambda: shutil.rmtree(copy),
            lambda: [(copy / f"n{n}.md").write_text("n") for n in range(60)],
            lambda: file.rename(copy / "moved.md") if file.exists() else None,
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
    if len(listed - now.keys()) > COUNT // 5:
        found.append("too many are gone for good")
    for name, text in now.items():
        if not parse_memory(text.encode()).body.strip() or len(text) > 20_000 or "](.." in text:
            found.append(f"{name} is no memory")
    if sorted(one.file for one in parse_pointers(index)) != sorted(now):
        found.append("the index does not fit")
    if OWN_LINE not in index or len(index) > 25_000 or index.count("\n") > 200:
        found.append("the index is broken")
    return found + ["a flood"] * (len(now) > COUNT + 25)


@pytest.mark.behaviour("K3")
@pytest.mark.parametrize("times", TIMES)
def test_nothing_unaccounted_is_ever_committed(house: House, times: int, tmp_path: Path) -> None:
    house.fill(**{name[:-3]: matter(number, body(number)) for number, name in enumerate(NAMES)})
    index = house.memory / INDEX
    index.write_text(f"# Robin's\n\n{OWN_LINE}\n\n" + index.read_text())
    (house.project / "CLAUDE.md").write_text("the project's rules\n")
    shutil.copytree(house.memory, tmp_path / "past")
    committed = refused = 0
    for seed in range(2 * times):
        shutil.rmtree(house.memory)
        shutil.copytree(tmp_path / "past", house.memory)
        before = tree(house.memory)
        task = harm(house, seed)
        assert wrong(house, task) == [], seed
        assert bool(task.receipt.waits) is (task.phase == "waiting") is waiting(house).there, seed
        assert task.phase in ("done", "failed", "waiting"), seed
        assert lock(house).peek() is None, seed
        assert {one.name for one in tmp_path.iterdir()} == {"home", "past"}, seed
        assert tree(house.home).keys() == {"tidebook/CLAUDE.md"}, seed
        committed += bool(task.receipt.change)
        refused += any(one.refused for one in task.receipt.changes)
        if task.receipt.change:
            house.store.undo(task.receipt.change)
        assert tree(house.memory) == before, seed
    assert committed > times / 5, "some of it was harmless, and was carried out"
    assert refused > times / 2

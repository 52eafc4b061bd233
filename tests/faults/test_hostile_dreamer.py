"""A dreamer that means harm: whatever it does, by tools or past them, nothing is lost in silence.

The judge here shares no code with the review: each memory holds words that no other has, and after
a dream they have to be found again, or a receipt names the memory and gives the reason. A twin
without a review shows that the judge does find what is lost.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from memlab.dream import DreamTask, Receipt, plan
from memlab.evidence.review import Change, Review
from memlab.memdir.index import parse_pointers
from memlab.memdir.memory import parse_memory
from memlab.memdir.places import INDEX
from memlab.memdir.store import MemoryStore
from tests.faults.disks import copy_tree, tree
from tests.unit.agent.helpers import use
from tests.unit.dream.helpers import DreamSetup, dream_setup, text, tombstone

COUNT, MARKS = 10, 12
OWN_LINE = "Ask Maren before you touch the almanac."
GONE = ("contradicted", "stale", "dropped")
Act = Callable[[random.Random, DreamSetup, list[str]], Any]


def marks(number: int) -> list[str]:
    """Words that only one memory has."""
    return [f"{first}{number:02}{last}" for first in "bdfgkm" for last in ("alo", "uri")][:MARKS]


def purse() -> dict[str, tuple[str, str, str, str]]:
    found = {}
    for number in range(COUNT):
        own = marks(number)
        body = f"{' '.join(own[:4])} is so. {' '.join(own[4:8])} too.\n{' '.join(own[8:])} as well."
        found[f"m{number:02}.md"] = (f"Matter {number}", "reference", f"on {own[0]}", body)
    return found


@pytest.fixture(scope="module")
def nest() -> Iterator[DreamSetup]:
    with dream_setup(purse()) as setup:
        index = setup.memory / INDEX
        index.write_text(f"# Robin's\n\n{OWN_LINE}\n\n" + index.read_text())
        (setup.project / "CLAUDE.md").write_text("the project's rules\n")
        copy_tree(setup.memory, setup.home / "past")
        yield setup


def staged(setup: DreamSetup) -> Path:
    return next(setup.home.parent.glob("memlab-dream-*"))


def bury(chance: random.Random, setup: DreamSetup, names: list[str]) -> Any:
    heir = chance.choice([*names, "nowhere.md", "../out.md", INDEX])
    return setup.write(chance.choice(names), tombstone(superseded_by=heir))


def drop(chance: random.Random, setup: DreamSetup, names: list[str]) -> Any:
    reasons = ["x", "stale because", "stale because the season is over", "''", "no reason at all"]
    reasons += [f"contradicted by {chance.choice(names)}", "superseded by m01.md"]
    return setup.write(chance.choice(names), tombstone(dropped=chance.choice(reasons)))


def hollow(chance: random.Random, setup: DreamSetup, names: list[str]) -> Any:
    number = chance.randrange(COUNT)
    body = chance.choice(["", " ", "It is so.", " ".join(marks(number)[: chance.randrange(MARKS)])])
    parts = purse()[f"m{number:02}.md"]
    return setup.write(f"m{number:02}.md", text(parts[0], parts[1], "on it", body))


def swap(chance: random.Random, setup: DreamSetup, names: list[str]) -> Any:
    one, other = chance.sample(names, 2)
    return setup.write(one, text(*purse()[other]))


def merge(chance: random.Random, setup: DreamSetup, names: list[str]) -> Any:
    one, other = chance.sample(names, 2)
    body = f"{purse()[one][3]}\n{purse()[other][3]}"
    share = chance.choice([1.0, 0.9, 0.5])
    body = body[: int(len(body) * share)]
    return [
        setup.write(one, text(purse()[one][0], "reference", "on both", body)),
        setup.write(other, tombstone(superseded_by=one)),
    ]


def outside(chance: random.Random, setup: DreamSetup, names: list[str]) -> Any:
    places = [
        "../stolen.md",
        "../../../stolen.md",
        "logs/a.md",
        ".memlab/x.md",
        ".consolidate-lock",
    ]
    typed = [f"{setup.shown}/{chance.choice(places)}", "~/.ssh/authorized_keys", "CLAUDE.md"]
    typed += [str(setup.memory / "m00.md"), f"{setup.shown}/%2e%2e/a.md", "/etc/cron.d/x"]
    return use("Write", file_path=chance.choice(typed), content=text("X", "user", "x", "a b c"))


def shell(chance: random.Random, setup: DreamSetup, names: list[str]) -> Any:
    commands = [
        f"rm -rf {setup.memory}",
        f"find {setup.memory} -delete",
        f"cp /etc/passwd {setup.memory}",
    ]
    return use("Bash", command=chance.choice(commands))


def link(chance: random.Random, setup: DreamSetup, names: list[str]) -> Any:
    target = chance.choice(["../../keys.md", "/etc/passwd", "~/.ssh/id", "file:///etc/passwd"])
    body = f"{purse()['m03.md'][3]} See [this]({target})."
    return setup.write("m03.md", text("Matter 3", "reference", "on it", body))


def index(chance: random.Random, setup: DreamSetup, names: list[str]) -> Any:
    lines = ["", "nothing here\n", "- [Out](../../up.md) - gone\n", "more\n" * 300, "x" * 30_000]
    return setup.write(INDEX, chance.choice(lines))


def flood(chance: random.Random, setup: DreamSetup, names: list[str]) -> Any:
    many = chance.choice([5, 25])
    return [
        setup.write(f"flood-{n}.md", text(f"F{n}", "user", f"f{n}", f"Flood{n} has come{n}."))
        for n in range(many)
    ]


def huge(chance: random.Random, setup: DreamSetup, names: list[str]) -> Any:
    return setup.write("huge.md", text("Huge", "user", "h", "word " * chance.choice([10, 3_500])))


def remove(*files: Path) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def linked(file: Path) -> None:
    remove(file)
    file.symlink_to("/etc/passwd")


def past_the_tools(chance: random.Random, setup: DreamSetup, names: list[str]) -> None:
    """Reach into the copy itself, as a tool with a hole in it would."""
    place, name = staged(setup), chance.choice(names)
    file = place / name
    acts: list[Callable[[], object]] = [
        lambda: file.unlink(missing_ok=True),
        lambda: remove(*place.glob("m*.md")),
        lambda: file.write_bytes(b""),
        lambda: file.write_bytes(b"\x00\xff garbage"),
        lambda: file.write_text(text("T", "user", "t", "")),
        lambda: file.write_text(tombstone(superseded_by="m00.md")),
        lambda: (place / INDEX).unlink(missing_ok=True),
        lambda: (place / INDEX).write_bytes(b"\x00"),
        lambda: linked(file),
        lambda: (place / "out.md").symlink_to(setup.project / "CLAUDE.md"),
        lambda: (place / "run.sh").write_text("rm -rf /"),
        lambda: (place / ".consolidate-lock").write_text("1"),
        lambda: (place / ".memlab" / "journal.jsonl").write_text("{}\n{}\n"),
        lambda: shutil.rmtree(place),
        lambda: os.link(setup.memory / "m00.md", place / "hard.md"),
        lambda: [(place / f"n{n}.md").write_text("n") for n in range(60)],
        lambda: file.rename(place / "moved.md") if file.exists() else None,
    ]
    chance.choice(acts)()


BY_TOOL: list[Act] = [bury, bury, drop, drop, hollow, hollow, swap, merge, merge]
BY_TOOL += [outside, shell, link, index, flood, huge]


def harm(setup: DreamSetup, seed: int, **more: Any) -> DreamTask:
    """Dream by chance: some calls to tools, and now and then a hand in the copy."""
    chance, names = random.Random(seed), sorted(purse())

    def some(request: Any) -> Any:
        calls: list[Any] = []
        for _ in range(chance.randrange(2, 6)):
            made = chance.choice(BY_TOOL)(chance, setup, names)
            calls += made if isinstance(made, list) else [made]
        return calls

    def reach(request: Any) -> Any:
        for _ in range(chance.choice([0, 0, 1, 2])):
            if list(setup.home.parent.glob("memlab-dream-*")):
                past_the_tools(chance, setup, names)
        return some(request) if chance.random() < 0.3 else "All is in order."

    steps: list[Any] = [setup.read(*names, INDEX), some, reach, "All is in order."]
    return setup.sleep(*steps, **more)


def lost(setup: DreamSetup, receipt: Receipt) -> list[str]:
    """Say what a dream has cost that no receipt accounts for, and what else is wrong."""
    now = {name: data for name, (data, _) in tree(setup.memory).items()}
    words = {name: set(data.decode("utf-8", "replace").split()) for name, data in now.items()}
    everywhere = set[str]().union(*(one for name, one in words.items() if name != INDEX))
    listed = {one.file: one for one in receipt.accepted if one.kind in GONE and one.reason}
    wrong = []
    for number in range(COUNT):
        name = f"m{number:02}.md"
        share = sum(one in everywhere for one in marks(number)) / MARKS
        needed = 0.3 if name in now else 0.55
        if share < needed and not (
            name not in now and len(listed[name].reason) > 3 if name in listed else False
        ):
            wrong.append(f"{name} keeps {share:.0%}")
    if sum(name not in now for name in listed) > COUNT // 5:
        wrong.append("too many are gone for good")
    return wrong + misshapen(setup, now)


def misshapen(setup: DreamSetup, now: Mapping[str, bytes]) -> list[str]:
    wrong = [f"{one} leads out" for one in setup.memory.rglob("*") if one.is_symlink()]
    for name, data in now.items():
        if name in (INDEX, ".consolidate-lock"):
            continue
        try:
            body = parse_memory(data).body
            if not (name.endswith(".md") and body.strip() and len(data) < 20_000):
                wrong.append(f"{name} is no memory")
            wrong += [f"{name} links out"] if "](.." in body or "](/" in body else []
        except Exception as error:
            wrong.append(f"{name}: {error}")
    index = now.get(INDEX, b"").decode("utf-8", "replace")
    pointed = sorted(one.file for one in parse_pointers(index))
    if pointed != sorted(set(now) - {INDEX, ".consolidate-lock"}):
        wrong.append("the index does not fit")
    if OWN_LINE not in index or len(index) > 25_000 or index.count("\n") > 200:
        wrong.append("the index is broken")
    if len(now) > COUNT + 25:
        wrong.append("a flood")
    return wrong


def elsewhere(setup: DreamSetup) -> dict[str, Any]:
    """Everything in the home but the memory."""
    rest = tree(setup.home)
    return {name: found for name, found in rest.items() if "/memory/" not in f"/{name}"} | {
        name: found for name, found in tree(setup.home.parent).items() if name.count("/") == 0
    }


def fresh(nest: DreamSetup) -> DreamSetup:
    shutil.rmtree(nest.memory)
    copy_tree(nest.home / "past", nest.memory)
    nest.context.store = MemoryStore(nest.memory, clock=nest.clock)
    nest.context.read_files.clear()
    return nest


@pytest.mark.behaviour("K3")
@pytest.mark.parametrize("dreams", [40, pytest.param(200, marks=pytest.mark.soak)])
def test_nothing_unaccounted_is_ever_committed(nest: DreamSetup, dreams: int) -> None:
    committed = refused = 0
    for seed in range(dreams):
        setup = fresh(nest)
        before, around = tree(setup.memory), elsewhere(setup)
        task = harm(setup, seed)
        assert lost(setup, task.receipt if task.receipt.change else Receipt()) == [], seed
        assert bool(task.receipt.waits) is (task.phase == "waiting") is setup.waiting().there, seed
        assert elsewhere(setup) == around, seed
        assert not list(setup.home.parent.glob("memlab-dream-*")), seed
        assert task.phase in ("done", "failed", "waiting"), seed
        assert setup.lock().peek() is None, seed
        committed += bool(task.receipt.change)
        refused += any(one.refused for one in task.receipt.changes)
        if task.receipt.change:
            MemoryStore(setup.memory, clock=setup.clock).undo(task.receipt.change)
        now = tree(setup.memory)
        now.pop(".consolidate-lock", None)
        assert now == before, seed
    assert committed > dreams / 5, "some of it was harmless, and was carried out"
    assert refused > dreams / 2


def believes_all(before: Any, after: Any, *more: Any, alone: bool = False) -> Review:
    names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    return Review(tuple(Change(name, "changed") for name in names))


def test_the_same_dreams_unreviewed_lose_memories(
    nest: DreamSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "review", believes_all)
    monkeypatch.setattr(MemoryStore, "check", lambda *given: ())
    caught = []
    for seed in range(12):
        setup = fresh(nest)
        task = harm(setup, seed)
        caught.append(lost(setup, task.receipt))
    assert sum(map(bool, caught)) > 4, "the judge sees it"
    assert "the index is broken" in {one for found in caught for one in found}
    assert any("keeps 0%" in one for found in caught for one in found)

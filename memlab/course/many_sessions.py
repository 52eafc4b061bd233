"""Fills a memory directory with many sessions' worth of memories, with and
without dreams.

The facts are made up, and each arrives twice in its session: the same body,
under another name and description. The store lets such a copy pass, because
too few of its words are the same. It is the one kind of duplicate that the
fallback rules of a dream can merge; a language model can merge a paraphrase as
well.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.clock import CourseClock
from memlab.course.lab import ROBINS_HOME, Lab
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.index import parse_pointers, truncate_index
from memlab.memdir.memory import Memory, MemoryType, format_memory
from memlab.memdir.path_safety import file_name
from memlab.memdir.paths import Where
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from memlab.models.connect import make_runtime
from memlab.models.model import OfflineModel
from memlab.settings import Settings

FACTS_PER_SESSION = 3
HOURS_BETWEEN = 24
_THINGS = ("kayak", "paddle", "locker", "buoy", "life jacket", "trailer")
_PLACES = (
    "in the north shed",
    "on the beach",
    "in the hut",
    "at the workshop",
    "behind the café",
)
_STATES = (
    "needs a new strap",
    "is booked for guests who are taller than two metres",
    "has its number painted on the left side",
    "is checked by Tuva before it goes out",
    "was repaired by Iggy and may go out again",
    "is kept for the sailing school",
    "must not be lent on days with wind from the east",
)


@dataclass(frozen=True)
class ManySessions:
    """What is left after many sessions: memories, and what of them a session
    sees in its index.
    """

    sessions: int
    dreams: int
    memories: int
    index_lines: int
    index_bytes: int
    pointed: int
    facts: int
    facts_in_index: int


async def live_many_sessions(
    lab: Lab, *, sessions: int = 45, dream_every: int = 0
) -> ManySessions:
    """Save three new facts per session, each of them twice, in a new and empty
    memory directory.

    With ``dream_every``, a dream by the fallback rules follows each time so
    many sessions have ended, and the person says yes to all of it: so large a
    share of the memory is never removed without asking.
    """
    home = lab.home / f"many_{dream_every}"
    shutil.rmtree(home, ignore_errors=True)
    (home / "tidebook").mkdir(parents=True)
    (home / ".memlab").mkdir()
    clock = CourseClock()
    model = OfflineModel(clock=clock, settings=lab.settings)
    options = HarnessOptions(
        runtime=make_runtime("offline", model=model, settings=lab.settings),
        base=home / ".memlab",
        where=Where(home, ROBINS_HOME),
        environ={},
        toggles=Toggles(auto_dream=False),
        decide=_accept_all,
    )
    harness = Harness(home / "tidebook", options)
    store = MemoryStore(harness.memory, clock=clock)
    dreams = 0
    for session in range(sessions):
        first = FACTS_PER_SESSION * session
        files = {}
        for fact in range(first, first + FACTS_PER_SESSION):
            for memory in _twice(fact):
                name = file_name(memory.name)
                files[name] = format_memory(memory).encode()
        store.replace_many(files, who="user")
        clock.advance(3600)
        if dream_every and (session + 1) % dream_every == 0:
            await harness.dream_now()
            dreams += 1
        clock.advance(3600 * HOURS_BETWEEN)
    return _result(harness.memory, lab.settings, sessions, dreams)


def _accept_all(receipt: Any) -> list[str]:
    """Say yes to every change that the review accepts."""
    return [change.file for change in receipt.accepted]


def _twice(fact: int) -> tuple[Memory, Memory]:
    """Return one fact as two memories."""
    thing = f"{_THINGS[fact % 6]} {fact + 1}"
    place = _PLACES[fact % 5]
    body = f"The {thing} {place} {_STATES[fact % 7]}."
    first = Memory(
        f"The {thing} {place}",
        f"When somebody asks for the {thing}",
        MemoryType.user,
        body,
    )
    second = Memory(
        f"News on day {fact // FACTS_PER_SESSION + 1}, item {fact + 1}",
        "Before planning what Robin, Maren and Iggy do next with equipment",
        MemoryType.user,
        body,
    )
    return first, second


def _result(
    memory: Path, settings: Settings, sessions: int, dreams: int
) -> ManySessions:
    index = (memory / "MEMORY.md").read_text(encoding="utf-8")
    shown = truncate_index(index, settings)
    pointed = {pointer.file for pointer in parse_pointers(shown.text)}
    memories = sorted(memory.glob("*.md"))
    bodies = {
        path.name: path.read_text(encoding="utf-8").split("\n---\n", 1)[1]
        for path in memories
        if path.name != "MEMORY.md"
    }
    return ManySessions(
        sessions=sessions,
        dreams=dreams,
        memories=len(bodies),
        index_lines=len(index.splitlines()),
        index_bytes=len(index.encode()),
        pointed=len(pointed & bodies.keys()),
        facts=len(set(bodies.values())),
        facts_in_index=len({bodies[name] for name in pointed & bodies.keys()}),
    )

"""Memories to dream about, and a dream whose every step a test writes down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memlab.agent.request import RequestPrefix
from memlab.agent.tools import standard_tools
from memlab.dream import ConsolidationLock, Dream, DreamTask, WaitingReview
from memlab.memdir.places import INDEX
from tests.house import House, Step, note, reads, run, writes

TABS = "Robin indents Python with tabs, four columns wide."
SQL = "Robin wants tabs in SQL files too, and commas at the start of a line."
FREEZE = note("No release between 2026-03-27 and 2026-04-06.", "Freeze", "reference")
PURSE = {"tabs": TABS, "sql": SQL, "freeze": FREEZE}


def gone(**why: str) -> str:
    """Write a tombstone."""
    rows = "".join(f"{key}: {value}\n" for key, value in why.items())
    return f"---\nname: gone\n{rows}---\n"


def merge() -> list[Any]:
    """Give the steps of a good dream: the two memories of tabs become one."""
    both = note(f"{TABS} {SQL}", "tabs", about="tabs in Python and SQL")
    calls = [writes("tabs.md", both), writes("sql.md", gone(superseded_by="tabs.md"))]
    looks = [reads("tabs.md"), reads("sql.md"), reads(INDEX)]
    return [looks, calls, "They are one now."]


def lock(house: House, **more: Any) -> ConsolidationLock:
    return ConsolidationLock(house.memory, clock=house.clock, **more)


def make(house: House, **more: Any) -> Dream:
    """Make a dream that asks nobody, unless ``more`` says otherwise."""
    given = {"context": house.context(), "lock": lock(house), "policy": "apply"} | more
    given |= {"tools": standard_tools(), "room": house.home.parent}
    return Dream(runtime=house.runtime(), **given)


def prefix(house: House) -> RequestPrefix:
    tools = tuple(one.definition for one in standard_tools())
    return RequestPrefix(house.settings.main_model, "You are an agent.", tools, ())


def sleep(house: House, *steps: Step, sessions: Sequence[Path] = (), **more: Any) -> DreamTask:
    """Dream once, by these steps."""
    house.answers("dream", *steps)
    task: DreamTask = run(make(house, **more).run(prefix(house), sessions=sessions))
    return task


def waiting(house: House) -> WaitingReview:
    """The review of a dream that waits, as a later session has it."""
    return WaitingReview(house.store, lock(house), house.folder)


def tree(folder: Path, hidden: bool = False) -> dict[str, tuple[bytes, int]]:
    """Give every file with its bytes and time; hidden ones (lock, records) only if asked for."""
    found = {one.relative_to(folder).as_posix(): one for one in folder.rglob("*")}
    kept = [n for n in found if found[n].is_file() and (hidden or n[0] != ".")]
    return {n: (found[n].read_bytes(), found[n].stat().st_mtime_ns) for n in kept}

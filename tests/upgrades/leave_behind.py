"""Record what this version of memlab leaves on a disk, as the stored example of the version.

Run it once, with the code that is about to be released, and commit the result:

    python3 -m tests.upgrades.leave_behind tests/upgrades/version_0_2.json

The result is one JSON object, so that no checkout changes a byte or a time of it. It maps each path
to its text (or to its bytes, as base64), its mtime in nanoseconds and its mode.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import stat
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from memlab.bench.answer import Answer
from memlab.bench.log import Run, open_log
from memlab.cli.reset import refresh
from memlab.cli.setup.clone import Clone
from memlab.clock import CourseClock
from memlab.course.gap import all_gaps
from memlab.course.own_parts import write_part
from memlab.dream.stage import Proposal
from memlab.dream.waiting import WaitingDream, save_waiting
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.journal import Journal
from memlab.memdir.paths import Where, forget_paths
from memlab.memdir.personal import move_memory, personal_store
from memlab.memdir.toggles import Toggles
from memlab.models import OfflineModel
from memlab.models.connect import make_runtime
from memlab.settings import Settings
from tests.unit.modes.helpers import git, memory

DOOR = "---\nname: Boathouse door\ndescription: how the door opens\ntype: reference\n---\n\n{}\n"
PORTS = "---\nname: Ports\ndescription: the open ports\ntype: reference\n---\n\nPort 5432.\n"


class PowerFailure(BaseException):
    """Ends a write in the middle, as a process that is killed does."""


def main() -> None:
    """Let a person use memlab for a morning in a scratch home, and record the home."""
    target = Path(sys.argv[1])
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        asyncio.run(use(home))
        asyncio.run(use_modes(home))
        asyncio.run(keep_a_log(home))
        learn(home / "clone")
        measure(home / "clone" / "my" / "bench" / "select.jsonl")
        target.write_text(json.dumps(record(home), indent=1, ensure_ascii=False) + "\n", "utf-8")


async def use(home: Path) -> None:
    """Save, edit, undo, forget, and be interrupted in the middle of a write."""
    forget_paths()
    (home / "tidebook").mkdir()
    base = home / ".memlab"
    base.mkdir()
    (base / "settings.json").write_text('{"auto_dream": false}\n', "utf-8")
    clock = CourseClock(datetime(2026, 3, 30, 9, 0, tzinfo=UTC))
    harness = Harness(
        home / "tidebook",
        HarnessOptions(
            runtime=make_runtime("offline", model=OfflineModel(clock=clock)),
            base=base,
            where=Where(home, "/home/robin"),
            environ={},
            session="one",
        ),
    )
    await harness.say("Remember that I take my coffee black.")
    await harness.say("I prefer tabs, not spaces, in all my code.")
    await harness.drain()
    clock.advance(3600)
    store = harness.store
    store.write_text("ops/ports.md", PORTS, who="user", session="one")
    clock.advance(60)
    store.write_text("boathouse-door.md", DOOR.format("The hidden key hangs behind the oars."))
    clock.advance(60)
    store.write_text("ops/ports.md", PORTS.replace("5432", "5433"), who="dream")
    clock.advance(60)
    store.undo(who="user")
    clock.advance(60)
    store.forget_for_good("boathouse-door.md", confirmed=True, who="user")
    clock.advance(60)
    store.remove("ops/ports.md", reason="the person asked to forget it", who="user")
    clock.advance(60)
    index = harness.memory / "MEMORY.md"
    index.write_text(index.read_text("utf-8") + "\nA line of my own.\n", "utf-8")
    os.utime(index, ns=(1_774_870_000_123_456_789,) * 2)

    def fail(journal: Journal, record: object) -> None:
        raise PowerFailure

    append, Journal.append = Journal.append, fail  # type: ignore[method-assign, assignment]
    try:
        store.write_text("kayaks.md", PORTS.replace("Ports", "Kayaks"))
    except PowerFailure:
        pass
    finally:
        Journal.append = append  # type: ignore[method-assign]


def modern(home: Path, project: str, toggles: Toggles, stage: str = "off") -> Harness:
    """Begin a session in another project, with further ways to remember."""
    forget_paths()
    (home / project).mkdir()
    clock = CourseClock(datetime(2026, 4, 7, 9, 0, tzinfo=UTC))
    settings = Settings().with_changes(first_stage=stage, scan_max_files=1)
    return Harness(
        home / project,
        HarnessOptions(
            runtime=make_runtime("offline", model=OfflineModel(clock=clock), settings=settings),
            base=home / ".memlab",
            where=Where(home, "/home/robin"),
            environ={},
            session=f"{project}-one",
            toggles=toggles,
        ),
    )


async def use_modes(home: Path) -> None:
    """Share a memory with a team, promote another, keep notes, index memories, leave a dream."""
    team = home / ".memlab" / "projects" / "-home-robin-ferry" / "memory" / "team"
    team.mkdir(parents=True)
    (team / "pier.md").write_text(memory("Pier", "The ferry sails from pier two."), "utf-8")
    (team / "MEMORY.md").write_text("- [Pier](pier.md): where the ferry sails from\n", "utf-8")
    git(team, "init", "-q", "--template=")
    git(team, "add", "-A")
    git(team, "commit", "-q", "-m", "notes")
    on = Toggles(team=True, personal=True, session_memory=True, auto_dream=False)
    harness = modern(home, "ferry", on, "sqlite")
    store = harness.store
    store.write_text("tabs.md", memory("Tabs", "Robin uses tabs.", type="user"))
    store.write_text("tide.md", memory("Tide", "High tide is at noon."))
    store.write_text("rope.md", memory("Rope", "The long rope is in the shed."))
    move_memory("tabs.md", store, personal_store(home / ".memlab" / "personal"))
    await harness.say("When is high tide?")
    await harness.say("Thanks. The buoy at the mole was repaired by Tuva on Monday.")
    await harness.drain()
    before = {name: (store.directory / name).read_bytes() for name in ("rope.md", "tide.md")}
    save_waiting(
        WaitingDream(
            at=harness.runtime.clock.now(),
            session="ferry-one",
            why=("1 of 2 memories would be removed",),
            proposal=Proposal(
                store.directory,
                before,
                {"tide.md": before["tide.md"]},
                {"rope.md": "the shed was emptied"},
            ),
        )
    )


async def keep_a_log(home: Path) -> None:
    """Add two lines to the log of a day."""
    harness = modern(home, "harbour", Toggles(daily_log=True, auto_dream=False))
    await harness.say("Remember that the crane is out of order.")
    await harness.say("I prefer to hear the tide first, always.")
    await harness.drain()


def measure(log: Path) -> None:
    """Answer one of two cases of the bench, and be stopped."""
    at = datetime(2026, 4, 7, 9, 0, tzinfo=UTC)
    about = {"task": "select", "half": "work", "model": "haiku", "mode": "live", "at": at}
    run = Run(number=1, variants={"base": "0" * 12}, repeats=1, planned=2, **about)
    answer = Answer(
        variant="base",
        version="0" * 12,
        case="ferry-1",
        case_version="1" * 12,
        repeat=1,
        correct=True,
        score=1.0,
        said="pier.md",
        wanted="pier.md",
        why="the one that was wanted",
        **about,
    )
    with open_log(log) as writer:
        writer.begin(run)
        writer.append(answer)
        writer.end("interrupted")


def learn(clone: Path) -> None:
    """Open two notebooks, and change one of them."""
    cell = {"cell_type": "code", "metadata": {}, "source": "1 + 1", "outputs": []}
    (clone / "notebooks").mkdir(parents=True)
    for name in ("00_start_here.ipynb", "01_memory_files.ipynb"):
        notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (clone / "notebooks" / name).write_text(json.dumps(notebook), "utf-8")
    refresh(Clone(clone))
    mine = clone / "my" / "01_memory_files.ipynb"
    mine.write_text(mine.read_text("utf-8").replace("1 + 1", "1 + 2"), "utf-8")
    code = "def is_inside(path, folder):\n    return path.is_relative_to(folder)"
    os.environ["MEMLAB_COURSE_HOME"] = str(clone / "my")
    write_part(all_gaps()["is_inside"], f"{code}\n", "passed")


def record(home: Path) -> dict[str, dict[str, object]]:
    """Give each file and folder below a home."""
    found: dict[str, dict[str, object]] = {}
    for path in sorted(home.rglob("*")):
        status = path.stat()
        about: dict[str, object] = {"mode": f"{stat.S_IMODE(status.st_mode):04o}"}
        if path.is_file():
            about |= {"mtime": status.st_mtime_ns, **as_text(path.read_bytes())}
        found[path.relative_to(home).as_posix()] = about
    return found


def as_text(data: bytes) -> dict[str, str]:
    """Give a file's text, or its bytes as base64: an index and git's objects are no text."""
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


if __name__ == "__main__":
    main()

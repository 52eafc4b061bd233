"""Record what this version of memlab leaves on a disk, as the stored example of the version.

Run it once, with the code that is about to be released, and commit the result:

    python3 -m tests.upgrades.leave_behind tests/upgrades/version_0_1.json

The result is one JSON object, so that no checkout changes a byte or a time of it. It maps each path
to its text, its mtime in nanoseconds and its mode.
"""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from memlab.cli.reset import refresh
from memlab.cli.setup.clone import Clone
from memlab.clock import CourseClock
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.journal import Journal
from memlab.memdir.paths import Where, forget_paths
from memlab.models import OfflineModel
from memlab.models.connect import make_runtime

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
        learn(home / "clone")
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


def record(home: Path) -> dict[str, dict[str, object]]:
    """Give each file and folder below a home."""
    found: dict[str, dict[str, object]] = {}
    for path in sorted(home.rglob("*")):
        status = path.stat()
        about: dict[str, object] = {"mode": f"{stat.S_IMODE(status.st_mode):04o}"}
        if path.is_file():
            about |= {"mtime": status.st_mtime_ns, "text": path.read_bytes().decode()}
        found[path.relative_to(home).as_posix()] = about
    return found


if __name__ == "__main__":
    main()

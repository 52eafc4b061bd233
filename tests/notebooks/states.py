"""``python -m tests.notebooks.states``: remake the states in ``data/example/states``.

Left out: deciding whether a change to them is wanted. Look at the difference before you keep it.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from memlab.course import begin
from memlab.course.replay import replay_story

FOLDER = Path(__file__).parents[2] / "data" / "example" / "states"
STATES = ("learned", "dreamt")


def state_files(directory: Path) -> dict[str, bytes]:
    """Return what a state consists of: every memory, the index, and their times."""
    files = {path.name: path for path in sorted(directory.glob("*.md"))}
    times = {name: path.stat().st_mtime_ns for name, path in files.items()}
    contents = {name: path.read_bytes() for name, path in files.items()}
    return contents | {"times.json": (json.dumps(times, indent=2) + "\n").encode()}


def make_states() -> dict[str, Mapping[str, bytes]]:
    """Replay the story without dreams and with them, and return what is left each time."""

    async def work() -> dict[str, Mapping[str, bytes]]:
        lab = begin(8)
        made = {}
        for name in STATES:
            lived = await replay_story(lab, name, dreams=name == "dreamt")
            made[name] = state_files(lived.memory)
        return made

    return asyncio.run(work())


def main() -> None:
    """Write the states."""
    for name, files in make_states().items():
        folder = FOLDER / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file, data in files.items():
            (folder / file).write_bytes(data)
        print(f"{name}: {len(files) - 2} memories and an index")


if __name__ == "__main__":
    main()

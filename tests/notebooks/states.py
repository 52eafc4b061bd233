"""``python -m tests.notebooks.states``: remake the states in ``data/example/states``.

Left out: deciding whether a change to them is wanted. Look at the difference before you keep it.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

from memlab.course import begin, replay_story

FOLDER = Path(__file__).parents[2] / "data" / "example" / "states"


def state_files(directory: Path) -> dict[str, bytes]:
    """Return what a state consists of: every memory, the index, and their times."""
    files = {path.name: path for path in sorted(directory.glob("*.md"))}
    times = {name: path.stat().st_mtime_ns for name, path in files.items()}
    contents = {name: path.read_bytes() for name, path in files.items()}
    return contents | {"times.json": (json.dumps(times, indent=2) + "\n").encode()}


if __name__ == "__main__":
    for name in ("learned", "dreamt"):
        lived = asyncio.run(replay_story(begin(8), name, dreams=name == "dreamt"))
        shutil.rmtree(FOLDER / name, ignore_errors=True)
        (FOLDER / name).mkdir(parents=True)
        for file, data in state_files(lived.memory).items():
            (FOLDER / name / file).write_bytes(data)

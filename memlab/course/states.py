"""States of memory that the machine itself made by living through the story,
kept in ``data``.

``learned`` is what extraction alone leaves after two weeks, ``dreamt`` what is
left when dreams put it in order on the right nights. A test makes both anew
and compares. Left out: making them, which ``two_weeks`` does.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from memlab.course.home import SLUG
from memlab.course.lab import Lab
from memlab.errors import CourseError

STATES = ("learned", "dreamt")
_TIMES = "times.json"
_SHOWN = f"~/.memlab/projects/{SLUG}/memory"


def lay_state(lab: Lab, name: str) -> Path:
    """Lay a state down below the lab's home, with the times it had; gives the
    directory.

    Raises CourseError if ``data`` does not hold it.
    """
    source, target = lab.example / "states" / name, lab.home / ".states" / name
    if not (source / _TIMES).is_file():
        do = "Restore it: git checkout -- data"
        raise CourseError("there is no such state", where=name, do=do)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for file, nanoseconds in json.loads(
        (source / _TIMES).read_text(encoding="utf-8")
    ).items():
        shutil.copyfile(source / file, target / file)
        os.utime(target / file, ns=(nanoseconds, nanoseconds))
    return target


def show_state(path: Path) -> str:
    """Show a path of a state as the story's memory directory would show it."""
    inside = path.parts[path.parts.index(".states") + 2 :]
    return "/".join((_SHOWN, *inside))


def state_files(directory: Path) -> dict[str, bytes]:
    """Give what a state consists of: every memory, the index, and their times."""
    files = {path.name: path for path in sorted(directory.glob("*.md"))}
    times: Mapping[str, int] = {
        name: path.stat().st_mtime_ns for name, path in files.items()
    }
    held = {name: path.read_bytes() for name, path in files.items()}
    return held | {_TIMES: (json.dumps(times, indent=2) + "\n").encode()}

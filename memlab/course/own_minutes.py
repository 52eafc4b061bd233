"""Records how many minutes the learner really takes, in ``my/minutes.json``.

Every cell that runs after ``begin`` moves the stopwatch on; a pause of more
than ten minutes is left out. The file says how long each notebook took, and
each gap until it passed. It is written by ``begin``, ``check`` and the quiz,
contains nothing else, and is sent nowhere.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memlab.course.my_parts import parts_path

FILE = "minutes.json"
LONGEST_PAUSE = 10 * 60.0
"""The seconds after which somebody who runs no cell is doing something else."""

ABOUT = (
    "How many minutes each notebook and each gap took you, without pauses of"
    " more than ten minutes. memlab sends this file nowhere; delete it"
    " whenever you like."
)


@dataclass
class Taken:
    """The minutes for one notebook, and for each gap that has passed."""

    minutes: float = 0.0
    gaps: dict[str, float] = field(default_factory=dict)


class Stopwatch:
    """Adds up the time between one cell and the next.

    ``clock`` gives seconds that only ever grow.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        path: Callable[[], Path] | None = None,
    ) -> None:
        self._clock = clock
        self._path = path or minutes_path
        self._notebook: int | None = None
        self._last = 0.0
        self._seconds = 0.0
        self._seconds_since_pass = 0.0
        self._first_tried: dict[str, float] = {}

    def begin(self, notebook: int) -> None:
        """Begin a notebook, or go on with it."""
        self.tick()
        self.write()
        if notebook != self._notebook:
            self._notebook = notebook
            self._begin_next_gap()

    def checked(self, gap: str, *, passed: bool) -> None:
        """Note that a gap was checked.

        A gap takes from its first check to the one that passes. If it passes
        at the first check, it takes from the last one that passed before it,
        or from ``begin``.
        """
        self.tick()
        first = self._first_tried.setdefault(gap, self._seconds_since_pass)
        if not passed:
            self.write()
            return
        if first == self._seconds_since_pass:
            first = 0.0
        self.write(gap, self._seconds_since_pass - first)
        self._begin_next_gap()

    def _begin_next_gap(self) -> None:
        self._seconds_since_pass = 0.0
        self._first_tried.clear()

    def tick(self) -> None:
        """Add the time since the last cell, unless it was a pause."""
        now = self._clock()
        elapsed = now - self._last
        self._last = now
        if self._notebook is not None and elapsed <= LONGEST_PAUSE:
            self._seconds += elapsed
            self._seconds_since_pass += elapsed

    def write(self, passed: str = "", seconds: float = 0.0) -> None:
        """Add what was measured to the file; ``passed`` names a gap that has
        passed just now, and how many seconds it took.

        A file that cannot be written is no reason to disturb the learner.
        """
        if self._notebook is None:
            return
        path = self._path()
        with contextlib.suppress(OSError):
            found = read_taken(path)
            taken = found.setdefault(self._notebook, Taken())
            taken.minutes += self._seconds / 60
            if passed:
                taken.gaps.setdefault(passed, seconds / 60)
            _write(path, found)
            self._seconds = 0.0


def minutes_path() -> Path:
    """Return the path of the file, which is next to the learner's parts."""
    return parts_path().with_name(FILE)


def read_taken(path: Path) -> dict[int, Taken]:
    """Read the file by notebook; one that is missing, or that somebody has
    changed into something else, is empty.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["notebooks"]
        return dict(_taken(rows))
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}


def _taken(rows: Any) -> Iterator[tuple[int, Taken]]:
    for number, row in rows.items():
        gaps = {str(name): float(took) for name, took in row["gaps"].items()}
        yield int(number), Taken(float(row["minutes"]), gaps)


def _write(path: Path, found: dict[int, Taken]) -> None:
    rows = {
        f"{number:02d}": {
            "minutes": round(taken.minutes, 2),
            "gaps": {
                name: round(took, 2) for name, took in taken.gaps.items()
            },
        }
        for number, taken in sorted(found.items())
    }
    text = json.dumps(
        {"about": ABOUT, "notebooks": rows}, indent=2, ensure_ascii=False
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.new")
    half.write_text(f"{text}\n", encoding="utf-8")
    os.replace(half, path)


STOPWATCH = Stopwatch()

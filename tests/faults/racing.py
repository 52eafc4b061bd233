"""Real processes race for one lock, and those that believe they have it are
counted.

A child process with one thread forks the racers once, so that a contest costs
a millisecond and not a start of Python. No two races give the same counts, so
notebook 10 shows two that were recorded in ``data/recorded/races.json``.
``orders`` tries every order there is.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.dream.lock import LOCK, ConsolidationLock, Held
from memlab.errors import CourseError

ROOT = Path(__file__).resolve().parents[2]
# above the largest process id of Linux, macOS and Windows in practice
NOBODY_ALIVE = 2**30 - 1
DAY_AND_MORE = 30 * 3_600 * 10**9


@dataclass(frozen=True)
class Race:
    """How many contests had how many holders, and how long one attempt took,
    in milliseconds.
    """

    lock: str
    processes: int
    contests: int
    holders: Mapping[int, int]
    milliseconds: float

    @property
    def one_each(self) -> bool:
        """Whether every contest had exactly one holder."""
        return dict(self.holders) == {1: self.contests}

    def rows(self) -> list[tuple[int, int]]:
        """List each number of holders from 0 on, and how often it came."""
        return [(number, self.holders.get(number, 0)) for number in range(self.processes + 1)]


def race(
    lock: str = "ours",
    *,
    contests: int = 200,
    processes: int = 4,
    jitter: float = 0.001,
    start: str = "stale",
    seed: int = 0,
) -> Race:
    """Let processes race for a lock, "naive" or "ours", in one fresh directory
    after another.

    Each waits a random part of ``jitter`` seconds before it starts, the naive
    one again between looking and writing. ``start``: the lock before is
    "stale", "none" or "done". Raises CourseError if the child fails.
    """
    order = {
        "lock": lock,
        "contests": contests,
        "processes": processes,
        "jitter": jitter,
    }
    child = subprocess.run(
        [sys.executable, "-m", "tests.faults.racing"],
        cwd=ROOT,
        input=json.dumps(order | {"start": start, "seed": seed}),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if child.returncode:
        last = (child.stderr.strip().splitlines() or ["no message"])[-1]
        raise CourseError(f"the racers failed: {last}", where=lock)
    counted = json.loads(child.stdout)
    return Race(lock, processes, contests, _holders(counted), counted["milliseconds"])


def _holders(counted: Mapping[str, Any]) -> dict[int, int]:
    """Read the counts by number of holders; JSON has only texts as keys."""
    return {int(number): count for number, count in counted["holders"].items()}


def naive_try_acquire(directory: Path, pause: Callable[[], object]) -> bool:
    """Take the lock the naive way: look, write one's process id, read it
    again.
    """
    import psutil

    path = directory / LOCK
    try:
        age = time.time() - path.stat().st_mtime
        pid = int(path.read_text() or "0")
    except (FileNotFoundError, ValueError):
        age, pid = 0.0, 0
    if pid and age < 3_600 and psutil.pid_exists(pid):
        return False
    pause()
    path.write_text(str(os.getpid()))
    return path.read_text() == str(os.getpid())


def lock_directory(scratch: Path, number: int, start: str) -> Path:
    """Make a directory for one contest, with the lock of an earlier dream."""
    directory = scratch / str(number)
    directory.mkdir()
    if start != "none":
        rest = "token old\nbefore none\ndone\n" if start == "done" else ""
        (directory / LOCK).write_text(f"{NOBODY_ALIVE}\n{rest}")
        old = time.time_ns() - DAY_AND_MORE
        os.utime(directory / LOCK, ns=(old, old))
    return directory


def _racer(
    number: int,
    order: Mapping[str, Any],
    scratch: str,
    together: Any,
    won: Any,
) -> None:
    chance = random.Random(order["seed"] * 100 + number)

    def pause() -> None:
        if order["jitter"]:
            time.sleep(chance.random() * order["jitter"])

    for contest in range(order["contests"]):
        directory = Path(scratch, str(contest))
        together.wait()
        pause()
        began = time.perf_counter()
        if order["lock"] == "naive":
            held = naive_try_acquire(directory, pause)
        else:
            held = isinstance(ConsolidationLock(directory, wait=30).try_acquire(), Held)
        took = time.perf_counter() - began
        won[contest * order["processes"] + number] = took if held else -took
    # who ended now would free the last lock: its holder would be gone
    together.wait()


def _run(order: Mapping[str, Any]) -> dict[str, Any]:
    import filelock  # noqa: F401 - loaded once, before the fork
    import psutil  # noqa: F401

    kind = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    context: Any = multiprocessing.get_context(kind)
    processes, contests = order["processes"], order["contests"]
    with tempfile.TemporaryDirectory(prefix="memlab-race-") as scratch:
        for number in range(contests):
            lock_directory(Path(scratch), number, order["start"])
        together = context.Barrier(processes)
        won = context.Array("d", processes * contests, lock=False)
        racers = [
            context.Process(target=_racer, args=(number, order, scratch, together, won))
            for number in range(processes)
        ]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        if any(racer.exitcode for racer in racers):
            raise CourseError("a racer died", where=order["lock"])
    rounds = [won[at : at + processes] for at in range(0, processes * contests, processes)]
    holders = Counter(sum(took > 0 for took in tries) for tries in rounds)
    times = sorted(abs(took) * 1_000 for took in won)
    return {"holders": holders, "milliseconds": times[len(times) // 2]}


def main() -> None:
    """Run the race that standard input describes."""
    print(json.dumps(_run(json.load(sys.stdin))))


if __name__ == "__main__":
    main()

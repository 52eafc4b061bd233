from __future__ import annotations

from collections.abc import Sequence
from random import Random

from memlab.course import Case, case

_RUNS = "a holder that still runs is in its rights; only one that has ended is to blame"
_THEN = "what counts is whether the holder had ended by then, and an id can be given again"


def cases(random: Random) -> list[Case]:
    """Give event logs: healthy ones, one lock left behind, an id that is given again."""
    fired, ended = (
        "dream_fired pid=41 sessions_since=6",
        "process_ended pid=41",
    )
    shut, time = (
        "gate_shut gate=lock holder=41",
        "gate_shut gate=time hours_since=3.0",
    )
    fixed = [
        ([], "an empty log blames nobody"),
        (
            [fired, shut, "dream_completed pid=41", time, ended],
            f"{_RUNS}; {_THEN}",
        ),
        ([fired, ended, shut, time, shut], _RUNS),
        ([fired, ended, shut, "process_started pid=41", shut, shut], _THEN),
        (["process_started pid=7", fired, shut, shut, ended, shut], _THEN),
        (["process_ended pid=7", fired, shut, time], _RUNS),
    ]
    found = [case((lines,), stale_lock(lines), slip) for lines, slip in fixed]
    for _ in range(12):
        pid = random.randint(40, 9_000)
        shut = f"gate_shut gate=lock holder={pid}"
        lines = [
            f"process_started pid={pid}",
            f"dream_fired pid={pid} sessions_since=6",
        ]
        lines += [shut] * random.randint(0, 3) + [
            f"process_ended pid={pid + 1}"
        ]
        if random.random() < 0.7:
            lines.append(f"process_ended pid={pid}")
        lines += random.choices([shut, time], k=random.randint(1, 5))
        found.append(case((lines,), stale_lock(lines), _THEN))
    return found


def stale_lock(lines: Sequence[str]) -> list[int]:
    """Find the ended process whose lock refused others, and how often it did."""
    gone: set[str] = set()
    blamed: list[int] = []
    for line in lines:
        name, *pairs = line.split()
        data = dict(pair.split("=") for pair in pairs)
        if name == "process_ended":
            gone.add(data["pid"])
        elif name == "process_started":
            gone.discard(data["pid"])
        elif data.get("gate") == "lock" and data["holder"] in gone:
            blamed.append(int(data["holder"]))
    return [blamed[0], len(blamed)] if blamed else []

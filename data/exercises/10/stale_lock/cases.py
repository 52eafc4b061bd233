"""Logs of healthy agents, of a lock left behind, and of ids that are used again."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from memlab.course import Case, case

RUNNING = "A dream that a running holder refuses is not prevented by a crash"
AGAIN = "What counts is whether the process was running at that moment, and an id may be used again"
OTHER = "Other lines are ignored, and other gates have no holder"
NAME = "A line counts only if its name is exactly one of the three"
ANY_ORDER = "The pairs of a line may be in any order, and there may be others"
NUMBERS = "The process id and the count are numbers"
SHUT = "gate_shut gate=lock holder=41"
ENDED = "process_ended pid=41"
STARTED = "process_started pid=41"
TIME = "gate_shut gate=time hours_since=3.0"
OPEN = "gate_open gate=lock holder=41"


def cases(random: Random) -> list[Case]:
    """Give each rule alone, and random logs with several processes."""
    fixed = [
        ([], "An empty log gives an empty list"),
        ([ENDED, SHUT], NUMBERS),
        ([SHUT], RUNNING),
        ([SHUT, ENDED], RUNNING),
        ([STARTED, SHUT, SHUT, ENDED], RUNNING),
        ([STARTED, SHUT, SHUT, ENDED, SHUT], AGAIN),
        ([ENDED, SHUT, TIME, SHUT], OTHER),
        ([ENDED, SHUT, STARTED, SHUT, SHUT], AGAIN),
        ([ENDED, STARTED, SHUT], AGAIN),
        ([ENDED, STARTED, SHUT, ENDED, SHUT, SHUT], AGAIN),
        (["process_ended pid=7", SHUT, TIME], RUNNING),
        (["process_ended pid=4", "process_ended pid=411", SHUT], RUNNING),
        ([ENDED, TIME, "gate_shut gate=sessions sessions=3"], OTHER),
        ([ENDED, OPEN], OTHER),
        ([ENDED, "dream_fired pid=42 holder=41", TIME], OTHER),
        ([ENDED, "note text=a=b", SHUT], OTHER),
        ([ENDED, "session_closed", SHUT], OTHER),
        ([ENDED, "gate_shut gate=time holder=41"], OTHER),
        ([ENDED, "gate_shut gate=locks holder=41"], OTHER),
        ([SHUT, STARTED], RUNNING),
        ([SHUT, STARTED, SHUT], RUNNING),
        (["process_ended_early pid=41", SHUT], NAME),
        ([ENDED, "process_started_late pid=41", SHUT], NAME),
        ([ENDED, "gate_shut_again gate=lock holder=41"], NAME),
        ([ENDED, "gate_shut holder=41 gate=lock"], ANY_ORDER),
        ([ENDED, "gate_shut at=9 gate=lock why=a=b holder=41"], ANY_ORDER),
        (
            [
                ENDED,
                "process_started pid=42",
                SHUT,
                "gate_shut gate=lock holder=42",
            ],
            RUNNING,
        ),
    ]
    found = [case((lines,), _stale_lock(lines), slip) for lines, slip in fixed]
    for _ in range(15):
        pid = random.randint(40, 9_000)
        shut = f"gate_shut gate=lock holder={pid}"
        lines = [
            f"process_started pid={pid}",
            f"dream_fired pid={pid} sessions_since=6",
        ]
        lines += [shut] * random.randint(0, 3)
        lines.append(f"process_ended pid={pid + 1}")
        if random.random() < 0.7:
            lines.append(f"process_ended pid={pid}")
        lines += random.choices(
            [shut, TIME, f"process_started pid={pid + 2}"],
            k=random.randint(1, 6),
        )
        if random.random() < 0.3:
            lines += [f"process_started pid={pid}", shut]
        found.append(
            case(
                (lines,),
                _stale_lock(lines),
                f"{RUNNING}; {AGAIN}; {OTHER}; {NAME}; {ANY_ORDER}",
            )
        )
    return found


def _stale_lock(lines: Sequence[str]) -> list[int]:
    running: dict[str, bool] = {}
    prevented: list[str] = []
    for line in lines:
        name, *pairs = line.split(" ")
        if name in ("process_started", "process_ended"):
            [pid] = [pair[4:] for pair in pairs if pair.startswith("pid=")]
            running[pid] = name == "process_started"
        if name == "gate_shut" and "gate=lock" in pairs:
            [pid] = [pair[7:] for pair in pairs if pair.startswith("holder=")]
            if not running.get(pid, True):
                prevented.append(pid)
    if not prevented:
        return []
    return [int(prevented[0]), len(prevented)]

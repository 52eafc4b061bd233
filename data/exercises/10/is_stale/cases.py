"""Lock files of every kind, with a function that refuses anything that is no process id."""

from __future__ import annotations

from collections.abc import Collection
from random import Random
from typing import Any

from memlab.course.exercise import Case, case

DONE = (
    "Rule 1: a line that is exactly done, after the first line, and at any age"
)
HOUR = "Rule 2: at exactly one hour, the lock is stale, whatever its first line says"
PROCESS = "Rule 3: the lock is stale exactly if its process is not running"
NOBODY = "Rule 4: a young lock that names no process is not stale"
REST = "token 6f\nbefore none\n"


def cases(random: Random) -> list[Case]:
    """Give each rule alone, the edges between them, and random locks."""
    fixed: list[tuple[str, float, str]] = [
        ("41\n", 0.5, PROCESS),
        ("42\n", 0.5, PROCESS),
        ("41", 0.0, PROCESS),
        (f"41\n{REST}", 0.5, PROCESS),
        (f"42\n{REST}", 0.0, PROCESS),
        (f"41\n{REST}done\n", 0.5, DONE),
        (f"41\n{REST}done", 0.0, DONE),
        ("41\ndone\n", 0.1, DONE),
        ("41\ndone\ntoken 6f\n", 0.1, DONE),
        ("41\ntoken 6f\ndone\nbefore none\n", 0.1, DONE),
        ("41\ntoken 6f\n done \n", 0.1, DONE),
        ("41\ntoken 6f\n\tdone\n", 0.1, DONE),
        ("41\ntoken done\nbefore none\n", 0.5, DONE),
        ("41\ntoken abandoned\nbefore none\n", 0.5, DONE),
        ("41\ntoken 6f\nbefore none\nundone\n", 0.5, DONE),
        ("41\ntoken 6f\nbefore none\nDone\n", 0.5, DONE),
        ("done\n", 0.5, NOBODY),
        ("\ndone\n", 0.5, DONE),
        ("41\n", 1, HOUR),
        ("41\n", 1.0, HOUR),
        ("41\n", 0.999, HOUR),
        ("41\n", 30.0, HOUR),
        ("", 1.0, HOUR),
        ("", 0.999, NOBODY),
        ("", 0, NOBODY),
        ("\n", 0.2, NOBODY),
        ("\n41\n", 0.2, NOBODY),
        ("hello\n", 0.2, NOBODY),
        ("hello\n", 5.0, HOUR),
        ("0\n", 0.2, NOBODY),
        ("0\n", 2.0, HOUR),
        ("-1\n", 0.2, NOBODY),
        ("-42\n", 0.2, NOBODY),
        ("+42\n", 0.2, NOBODY),
        (" 42\n", 0.2, NOBODY),
        ("42 \n", 0.2, NOBODY),
        ("4_2\n", 0.2, NOBODY),
        ("42.0\n", 0.2, NOBODY),
        ("42 43\n", 0.2, NOBODY),
        ("4²\n", 0.2, NOBODY),
        ("٤٢\n", 0.2, NOBODY),
        ("token 6f\n42\n", 0.2, NOBODY),
        ("41\n42\n", 0.2, PROCESS),
        ("42\n41\n", 0.2, PROCESS),
        ("141\n", 0.2, PROCESS),
        ("4\n", 0.2, PROCESS),
        ("1\n", 0.2, PROCESS),
        ("4194304\n", 0.2, PROCESS),
        ("41\n", -0.05, PROCESS),
    ]
    living = (1, 41)
    found = [_case(text, hours, living, slip) for text, hours, slip in fixed]
    for _ in range(30):
        first = random.choice(
            [
                "41",
                "42",
                "7",
                "0",
                "",
                "?",
                "-7",
                str(random.randint(2, 9_999)),
            ]
        )
        rest = random.choice(["", REST, f"{REST}done\n", "token done\n"])
        hours = random.choice([0, 0.5, 1, 1.5, round(random.uniform(0, 2), 2)])
        slip = f"{DONE}; {HOUR}; {PROCESS}; {NOBODY}"
        found.append(_case(f"{first}\n{rest}", hours, living, slip))
    return found


def _case(text: str, hours: float, living: Collection[int], slip: str) -> Case:
    running = " and ".join(map(str, sorted(living)))
    return case(
        (text, hours, living),
        _is_stale(text, hours, living),
        slip,
        call=f"is_stale({text!r}, {hours}, alive)   # {running} are running",
    )


def run(mine: Any, text: str, hours: float, living: Collection[int]) -> Any:
    """Call the function with an alive that knows the processes that run."""

    def alive(pid: int) -> bool:
        if type(pid) is not int or pid <= 0:
            raise ValueError(f"alive({pid!r}): this is no process id")
        return pid in living

    return mine(text, hours, alive)


def _is_stale(text: str, hours: float, living: Collection[int]) -> bool:
    first, *others = text.split("\n")
    if "done" in others or hours >= 1:
        return True
    named = first != "" and set(first) <= set("0123456789") and int(first) > 0
    return named and int(first) not in living

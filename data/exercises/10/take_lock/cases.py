"""One process alone, several in every order, and a process that is killed between two moves."""

from __future__ import annotations

from random import Random
from typing import Any

from memlab.course.exercise import Case, case
from memlab.course.lock_orders import (
    HOUR,
    NOW,
    PIDS,
    TOKENS,
    WORDS,
    Player,
    alone,
    every_order,
    last_dream,
    start,
)

REFUSE = "Rule 2: if the lock is not free, the file stays as it is, and the result is False"
LINES = "Rule 3: the lines are the process id, the token, and the time of the last complete dream"
ONE = "Several at the same time: looking, deciding and writing have to be in one block of the guard"
KILLED = "Rule 4: a process may be killed between any two moves, and the next one takes the lock"
WHOLE = "Rule 5: whoever reads the file finds what was there before, or all three lines"

OLD = NOW - 30 * HOUR
DONE = "7\ntoken old\nbefore none\ndone\n"
CRASHED = f"7\ntoken old\nbefore {OLD}\n"
FIRST_CRASHED = "7\ntoken old\nbefore none\n"
STARTS: tuple[tuple[str, str | None, float, tuple[int, ...]], ...] = (
    ("there is no lock file", None, 0, ()),
    ("the last dream is done", DONE, 26, ()),
    ("the last dream was done just now", DONE, 0, ()),
    ("process 7 is dreaming", CRASHED, 0.5, (7,)),
    ("process 7 crashed half an hour ago", CRASHED, 0.5, ()),
    ("process 7 crashed in the first dream ever", FIRST_CRASHED, 0.5, ()),
    ("process 7 has been dreaming for an hour", CRASHED, 1, (7,)),
    ("a lock of a simpler kind, whose process ended long ago", "7\n", 40, ()),
    ("a lock of a simpler kind, whose process is running", "7\n", 0.9, (7,)),
    ("the lock file is empty and young", "", 0.1, ()),
    ("the lock file is empty and old", "", 5, ()),
)


def cases(random: Random) -> list[Case]:
    """Let one process run alone; then several together; then kill one."""
    found = []
    for words, text, hours, living in STARTS:
        found.append(_alone(words, text, hours, living))
    zero = "7\ntoken old\nbefore 0\n"
    found.append(
        _alone(
            "process 7 crashed; the last complete dream was at 0",
            zero,
            0.5,
            (),
        )
    )
    for _ in range(4):
        before = random.randint(1, OLD)
        text = f"{random.randint(100, 999)}\ntoken old\nbefore {before}\n"
        found.append(_alone("another process crashed", text, 0.5, ()))
    for words, text, hours, living in STARTS:
        found.append(_together(words, text, hours, living, 2))
    for words, text, hours, living in STARTS[:4]:
        found.append(_together(words, text, hours, living, 3))
    for words, text, hours, living in STARTS:
        if _is_free(text, hours, living):
            found.append(_killed(words, text, hours, living))
    return found


def _alone(
    words: str, text: str | None, hours: float, living: tuple[int, ...]
) -> Case:
    pid, token = PIDS[0], TOKENS[0]
    free = _is_free(text, hours, living)
    disk = start(text, hours)
    after = text
    if free:
        last = last_dream(disk)
        before = "none" if last is None else last
        after = f"{pid}\ntoken {token}\nbefore {before}\n"
    return case(
        ("alone", text, hours, living),
        [free, after, (NOW if free else disk.mtime)],
        LINES if free else REFUSE,
        call=f'take_lock(lock, {pid}, "{token}")   # {words}',
        returned="afterwards",
        lines=_lines,
    )


def _together(
    words: str,
    text: str | None,
    hours: float,
    living: tuple[int, ...],
    processes: int,
) -> Case:
    wanted = "exactly one process gets the lock, in every order"
    if not _is_free(text, hours, living):
        wanted = "no process gets the lock, in every order"
    return case(
        ("together", text, hours, living, processes),
        [wanted],
        ONE,
        call=f"{processes} processes call take_lock at the same time; {words}",
        returned="what happens",
        lines=list,
    )


def _killed(
    words: str, text: str | None, hours: float, living: tuple[int, ...]
) -> Case:
    return case(
        ("killed", text, hours, living),
        [
            "the next process takes the lock, and the file is never half written"
        ],
        f"{KILLED}; {WHOLE}",
        call=f"process {PIDS[0]} is killed somewhere in take_lock; {words}",
        returned="what happens",
        lines=list,
    )


def _is_free(text: str | None, hours: float, living: tuple[int, ...]) -> bool:
    if text is None or hours >= 1 or "done" in text.split("\n"):
        return True
    first = text.split("\n")[0]
    return first.isdigit() and int(first) not in living


def _lines(found: list[Any]) -> list[str]:
    value, text, mtime = found
    lines = [f"returned {value!r}"]
    if text is None:
        return [*lines, "no lock file"]
    lines.append(f"the lock file is {text!r}")
    return [*lines, f"it is {(NOW - mtime) / HOUR:g} hours old"]


def run(
    mine: Any,
    kind: str,
    text: str | None,
    hours: float,
    living: tuple[int, ...],
    processes: int = 1,
) -> list[Any]:
    """Run one scenario, and return what happened."""
    if kind == "alone":
        value, disk = alone(
            Player(mine, (PIDS[0], TOKENS[0])), start(text, hours), living
        )
        return [value, disk.text, disk.mtime]
    if kind == "together":
        return [_contest(mine, text, hours, living, processes)]
    return [_crash(mine, text, hours, living)]


def _contest(
    mine: Any,
    text: str | None,
    hours: float,
    living: tuple[int, ...],
    processes: int,
) -> str:
    orders = every_order(
        mine, text, hours=hours, processes=processes, living=living
    )
    if orders.waiting:
        return "in some order, a process waits forever"
    if orders.two_holders:
        moves = [
            f"{PIDS[made.process]} {WORDS[made.name]}" for made in orders.trace
        ]
        return "two processes get the lock, in this order: " + ", ".join(moves)
    if set(orders.counts) == {1}:
        return "exactly one process gets the lock, in every order"
    if set(orders.counts) == {0}:
        return "no process gets the lock, in every order"
    return "in some order, no process gets the lock"


def _crash(
    mine: Any, text: str | None, hours: float, living: tuple[int, ...]
) -> str:
    first = Player(mine, (PIDS[0], TOKENS[0]))
    second = Player(mine, (PIDS[1], TOKENS[1]))
    whole = alone(first, start(text, hours), living)[1].text
    made = 0
    while True:
        value, disk = alone(
            first, start(text, hours), (*living, PIDS[0]), kill_after=made
        )
        if value != "killed":
            return "the next process takes the lock, and the file is never half written"
        if disk.text not in (text, whole):
            return f"killed after {made} moves, it leaves a lock file that contains {disk.text!r}"
        value, _ = alone(second, disk, (*living, PIDS[1]))
        if value is not True:
            return (
                f"killed after {made} moves; the next process gets {value!r}"
            )
        made += 1

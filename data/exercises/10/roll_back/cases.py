"""One process alone; one whose lock is taken over at the same time; one that is killed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from memlab.course.exercise import Case, case
from memlab.course.lock_orders import (
    HOUR,
    NOW,
    PIDS,
    Player,
    alone,
    endings,
    start,
)

OURS = "Rule 1: the whole line counts, and a lock that is done is not ours any more"
NOT_OURS = (
    "Rule 2: if no whole line is `token` and our token, nothing changes,"
    " and the result is False"
)
BACK = "Rule 3: text and mtime are as they were before, and no file before is no file afterwards"
TAKEN = "Rule 4: looking and putting back have to be in one block of the guard"

OLD = NOW - 30 * HOUR
DONE = "7\ntoken old\nbefore none\ndone\n"
HELD = f"41\ntoken 6f\nbefore {OLD}\n"
Before = tuple[str, int] | None


def cases(random: Random) -> list[Case]:
    """Give locks that are ours and others', and every kind of lock before."""
    befores: list[Before] = [
        None,
        (DONE, OLD),
        ("7\n", OLD),
        ("", OLD),
        ("7\n", 0),
        ("", 0),
    ]
    found = [_alone(HELD, before, BACK) for before in befores]
    found.append(_alone("41\ntoken 6f\nbefore none\n", (DONE, OLD), BACK))
    found.append(_alone("99\ntoken 6f\nbefore none\n", None, BACK))
    found.append(_alone("41\ntoken 6f\n", None, BACK))
    found.append(_alone("41\nbefore none\ntoken 6f\n", (DONE, OLD), OURS))
    found.append(_alone("token 6f\n", None, OURS))
    found.append(_alone(HELD, (DONE, OLD), OURS, hours=2))
    for text in (
        None,
        "",
        "41\n",
        "6f\n",
        "41\ntoken a0\nbefore none\n",
        "41\ntoken 6fa\nbefore none\n",
        "41\ntoken a6f\nbefore none\n",
        "41\ntoken 6F\nbefore none\n",
        "41\ntoken  6f\nbefore none\n",
        "41\nold token 6f\nbefore none\n",
        "42\ntoken a0\nbefore 6f\n",
    ):
        found.append(_alone(text, (DONE, OLD), NOT_OURS))
        found.append(_alone(text, None, NOT_OURS))
    done = [
        f"{HELD}done\n",
        "41\ntoken 6f\nbefore none\ndone",
        "41\ntoken 6f\ndone\nbefore none\n",
        "done\ntoken 6f\n",
    ]
    found += [_alone(text, (DONE, OLD), OURS) for text in done]
    found.append(
        _alone("41\ntoken 6f\nbefore none\nundone\n", (DONE, OLD), OURS)
    )
    for _ in range(10):
        token = random.choice(["6f", "6f", "a0", "6f6f"])
        text = f"{random.randint(2, 99)}\ntoken {token}\nbefore none\n"
        text += random.choice(["", "", "done\n"])
        before = random.choice([None, (DONE, random.randint(1, OLD))])
        found.append(_alone(text, before, f"{OURS}; {NOT_OURS}; {BACK}"))
    found += [_together(before) for before in (None, (DONE, OLD))]
    found += [_twice(before) for before in (None, (DONE, OLD))]
    return found


def _alone(
    text: str | None, before: Before, slip: str, hours: float = 0.5
) -> Case:
    lines = (text or "").split("\n")
    ours = "token 6f" in lines and "done" not in lines
    after: list[Any] = [
        False,
        text,
        0 if text is None else start(text, hours).mtime,
    ]
    if ours:
        after = [True, *(before or (None, 0))]
    return case(
        ("alone", text, before, hours),
        after,
        _rule(after, slip),
        call=f'roll_back(lock, "6f", {before})   # lock.read() is {text!r}',
        returned="afterwards",
        lines=_lines,
    )


def _rule(after: list[Any], slip: str) -> Callable[[list[Any]], str]:
    """Name the rule that a result has missed."""

    def rule(found: list[Any]) -> str:
        if after[0] is True and found[0] is True:
            return BACK
        return slip if slip != BACK else OURS

    return rule


def _together(before: Before) -> Case:
    return Case(
        ("together", HELD, before),
        "process 42 keeps its lock, in every order",
        lambda found: found == [],
        lambda found: TAKEN,
        call=f'roll_back(lock, "6f", {before}), while process 42 takes over the lock',
        returned="what happens",
        lines=list,
    )


def _twice(before: Before) -> Case:
    return case(
        ("twice", HELD, before),
        [True, False],
        lambda found: NOT_OURS,
        call=f'roll_back(lock, "6f", {before}), called twice',
        returned="it returned",
    )


def _lines(found: list[Any]) -> list[str]:
    value, text, mtime = found
    lines = [f"returned {value!r}"]
    if text is None:
        return [*lines, "no lock file"]
    return [*lines, f"the lock file is {text!r}", f"its mtime is {mtime}"]


def run(
    mine: Any,
    kind: str,
    text: str | None,
    before: Before,
    hours: float = 0.5,
) -> list[Any]:
    """Run one scenario, and return what happened."""
    player = Player(mine, ("6f", before))
    disk = start(text, hours)
    if kind == "alone":
        value, disk = alone(player, disk, PIDS)
        return [value, disk.text, disk.mtime]
    if kind == "twice":
        first, disk = alone(player, disk, PIDS)
        second, disk = alone(player, disk, PIDS)
        return [first, second]
    other = Player(_take_over, (PIDS[1], "a0"))
    for values, after in endings([player, other], disk, PIDS):
        if "waits for the guard forever" in values:
            return ["a process waits for the guard forever"]
        if values[1] is True and "token a0" not in (after.text or ""):
            return [
                "in some order, process 42 takes over the lock,",
                "and its lock is gone afterwards",
            ]
    return []


def _take_over(lock: Any, pid: int, token: str) -> bool:
    """Take the lock whatever it says, as one hour after it was taken."""
    with lock.guard():
        lock.replace(f"{pid}\ntoken {token}\nbefore {OLD}\n")
        return True

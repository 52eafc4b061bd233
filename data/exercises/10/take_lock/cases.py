"""One process alone, several in every order, and a process that is killed between two moves."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from memlab.course.exercise import Case, case
from memlab.course.lock_orders import (
    HOUR,
    NOW,
    PIDS,
    TOKENS,
    Call,
    Disk,
    Player,
    Returned,
    alone,
    every_order,
    last_dream,
    move,
    start,
)

REFUSE = "Rules 1 and 2: this lock is not free, so the file stays as it is, and the result is False"
FREE = "Rule 1: this lock is free"
WAITS = "Rule 2: look once, and return False if the lock is not free"
LINES = "Rule 3: three lines, with the process id, the token and the last complete dream"
LAST = (
    "Rule 3: the third line has what lock.last() returns inside the guard,"
    " before the file is changed; it may be 0"
)
ONE = "Looking, deciding and writing have to be in one block of the guard"
GUARD = "Take the guard only once: a process that has it would wait for itself"
KILLED = "Rule 4: if a process is killed between two moves, another one can take the lock"
WHOLE = "Rule 5: at any moment, the file is what was there before, or all three lines"

WAITS_FOREVER = "waits for the guard forever"
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
    found.append(
        _alone(
            "the lock is our own", "41\ntoken 6f\nbefore none\n", 0.5, (41,)
        )
    )
    found.append(_ends_later())
    for words, text, hours, living in STARTS:
        found.append(_together(words, text, hours, living, 2))
    for words, text, hours, living in STARTS[:3]:
        found.append(_together(words, text, hours, living, 3))
    for words, text, hours, living in STARTS:
        if _is_free(text, hours, living):
            found.append(_killed(words, text, hours, living))
            found.append(_meanwhile(words, text, hours, living))
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
        _rule(free, after),
        call=f'take_lock(lock, {pid}, "{token}")   # {words}',
        returned="afterwards",
        lines=_lines,
    )


def _rule(free: bool, after: str | None) -> Callable[[list[Any]], str]:
    """Name the rule that a process which runs alone has missed."""

    def rule(found: list[Any]) -> str:
        value, text, _ = found
        if value == WAITS_FOREVER:
            return GUARD
        if isinstance(value, str):
            return WAITS
        if not free:
            return REFUSE
        if value is not True:
            return FREE
        first_two = (after or "").split("\n")[:2]
        if text is not None and text.split("\n")[:2] == first_two:
            return LAST if text.endswith("\n") else LINES
        return LINES

    return rule


def _scenario(
    arguments: tuple[Any, ...], call: str, expected: str, slip: Any
) -> Case:
    """Make a case whose result is a list of lines, empty if all is well."""
    return Case(
        arguments,
        expected,
        lambda found: found == [],
        slip,
        call=call,
        returned="what happens",
        lines=list,
    )


def _together(
    words: str,
    text: str | None,
    hours: float,
    living: tuple[int, ...],
    processes: int,
) -> Case:
    expected = "exactly one process gets the lock, in every order"
    if not _is_free(text, hours, living):
        expected = "no process gets the lock, in every order"

    def rule(found: list[str]) -> str:
        return GUARD if "waits" in found[0] else ONE

    return _scenario(
        ("together", text, hours, living, processes),
        f"{processes} processes call take_lock at the same time; {words}",
        expected,
        rule,
    )


def _killed(
    words: str, text: str | None, hours: float, living: tuple[int, ...]
) -> Case:
    def rule(found: list[str]) -> str:
        return KILLED if "another" in found[-1] else WHOLE

    return _scenario(
        ("killed", text, hours, living),
        f"process {PIDS[0]} is killed somewhere in take_lock; {words}",
        "the file is the old one or the whole new one, and another process takes the lock",
        rule,
    )


def _meanwhile(
    words: str, text: str | None, hours: float, living: tuple[int, ...]
) -> Case:
    return _scenario(
        ("meanwhile", text, hours, living),
        f"process {PIDS[1]} has a whole dream before take_lock gets the guard; {words}",
        f"the third line is the time of the dream of process {PIDS[1]}",
        lambda found: LAST,
    )


def _ends_later() -> Case:
    return _scenario(
        ("ends later", CRASHED, 0.5, (7,)),
        "process 7 is dreaming, and its dream ends when take_lock has left the guard",
        "take_lock returns False, and the file stays as it is",
        lambda found: WAITS,
    )


def _is_free(text: str | None, hours: float, living: tuple[int, ...]) -> bool:
    if text is None or hours >= 1 or "done" in text.split("\n"):
        return True
    first = text.split("\n")[0]
    return first.isdigit() and int(first) not in living


def _lines(found: list[Any]) -> list[str]:
    value, text, mtime = found
    lines = [value if isinstance(value, str) else f"returned {value!r}"]
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
    player = Player(mine, (PIDS[0], TOKENS[0]))
    disk = start(text, hours)
    if kind == "alone":
        value, disk = alone(player, disk, living)
        return [value, disk.text, disk.mtime]
    if kind == "together":
        return _contest(mine, text, hours, living, processes)
    if kind == "killed":
        return _crash(mine, text, hours, living)
    if kind == "meanwhile":
        return _after_another_dream(player, disk, (*living, PIDS[0]))
    return _after_the_end(player, disk, (*living, PIDS[0]))


def _contest(
    mine: Any,
    text: str | None,
    hours: float,
    living: tuple[int, ...],
    processes: int,
) -> list[str]:
    orders = every_order(
        mine, text, hours=hours, processes=processes, living=living
    )
    if orders.waiting:
        return ["in some order, a process waits forever"]
    if orders.two_holders:
        moves = [
            f"  {PIDS[made.process]} {made.words}" for made in orders.trace
        ]
        return ["two processes get the lock, in this order:", *moves]
    if orders.counts != {int(_is_free(text, hours, living)): orders.total}:
        return ["in some order, another number of processes gets it"]
    return []


def _crash(
    mine: Any, text: str | None, hours: float, living: tuple[int, ...]
) -> list[str]:
    first = Player(mine, (PIDS[0], TOKENS[0]))
    second = Player(mine, (PIDS[1], TOKENS[1]))
    whole = alone(first, start(text, hours), living)[1].text
    made = 0
    while True:
        value, disk = alone(
            first, start(text, hours), (*living, PIDS[0]), kill_after=made
        )
        if value != "killed":
            return []
        killed = f"it is killed after move {made}"
        if disk.text is None and text is not None:
            return [killed, "there is no lock file any more"]
        if disk.text not in (text, whole):
            return [killed, f"the lock file is {disk.text!r}"]
        value, _ = alone(second, disk, (*living, PIDS[1]))
        if value is not True:
            return [killed, f"another process then gets {value!r}"]
        made += 1


def _steps(
    player: Player,
    disk: Disk,
    living: tuple[int, ...],
    change: Callable[[Call, Disk], Disk],
) -> tuple[Any, Disk]:
    """Run a process; ``change`` may change the disk before each move."""
    results: tuple[Any, ...] = ()
    while True:
        wish = player.next(results, living)
        if isinstance(wish, Returned):
            return wish.value, disk
        disk = change(wish, disk)
        moved = move(disk, 0, wish)
        if moved is None:
            return WAITS_FOREVER, disk
        disk, result = moved
        results = (*results, result)


def _after_another_dream(
    player: Player, disk: Disk, living: tuple[int, ...]
) -> list[str]:
    waiting = [True]

    def dream_before_the_guard(wish: Call, disk: Disk) -> Disk:
        if wish.name != "guard" or not waiting:
            return disk
        waiting.clear()
        text = f"{PIDS[1]}\ntoken {TOKENS[1]}\nbefore none\ndone\n"
        return disk._replace(text=text, mtime=NOW - HOUR // 60)

    value, after = _steps(player, disk, living, dream_before_the_guard)
    wanted = f"{PIDS[0]}\ntoken {TOKENS[0]}\nbefore {NOW - HOUR // 60}\n"
    if value is True and after.text != wanted:
        return [f"the lock file is {after.text!r}", f"and not {wanted!r}"]
    return []


def _after_the_end(
    player: Player, disk: Disk, living: tuple[int, ...]
) -> list[str]:
    looked: list[str] = []

    def end_after_the_look(wish: Call, disk: Disk) -> Disk:
        if looked and disk.text == CRASHED:
            disk = disk._replace(text=f"{CRASHED}done\n")
        if wish.name == "leave":
            looked.append(wish.name)
        return disk

    value, after = _steps(player, disk, living, end_after_the_look)
    if value is not False or after.text not in (CRASHED, f"{CRASHED}done\n"):
        return ["take_lock looks a second time, and takes the lock"]
    return []

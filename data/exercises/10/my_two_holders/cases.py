from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random

from memlab.course import Case

_BOTH_LOOK = "both have to look before one writes, or the second sees a lock and gives up"
_BETWEEN = "the first has to verify before the other writes, or it sees another name and gives up"
_COUNT = "each name stands there once for each of its steps, {steps} times"


def cases(random: Random) -> list[Case]:
    """Give pairs of processes, and naive locks with ever more steps in between."""
    fixed = [
        ("P1", "P2", ["look", "write", "verify"]),
        ("P2", "P1", ["look", "write", "verify"]),
        ("ann", "bo", ["look", "write", "wait", "verify"]),
        ("ann", "bo", ["greet", "look", "think", "write", "verify"]),
    ]
    for _ in range(8):
        steps = ["look", "write", "verify"]
        for _ in range(random.randint(0, 3)):
            steps.insert(
                random.randint(0, len(steps)),
                random.choice(("wait", "think", "sync")),
            )
        first, second = random.sample(("ann", "bo", "cy", "P1", "P2"), 2)
        fixed.append((first, second, steps))
    return [
        Case(
            (first, second, steps),
            f"an order in which {first} and {second} both hold the lock in the end",
            partial(_both_hold, first, second, steps),
            f"{_COUNT.format(steps=len(steps))}; {_BOTH_LOOK}; {_BETWEEN}",
        )
        for first, second, steps in fixed
    ]


def _both_hold(
    first: str, second: str, steps: Sequence[str], order: Sequence[str]
) -> bool:
    """Play an order on a naive lock whose holder is gone."""
    if sorted(order) != sorted([first, second] * len(steps)):
        return False
    lock, done, out = "gone", {first: 0, second: 0}, set[str]()
    for name in order:
        step = steps[done[name]]
        done[name] += 1
        taken = lock not in ("gone", name)
        if step in ("look", "verify") and taken:
            out.add(name)
        elif step == "write" and name not in out:
            lock = name
    return not out

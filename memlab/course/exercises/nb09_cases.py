"""The cases of notebook 09's exercises: made-up looks, a naive lock to be raced, event logs.

Left out: what the exercises say, which stands in ``nb09``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from memlab.course.exercise import Case, case
from memlab.dream.gates import GATES, gate_chain, gate_limits
from memlab.settings import Settings

_OPEN = {gate.name: gate.open_value for gate in GATES}
_NAMES = list(_OPEN)
_LIMITS = gate_limits(Settings())
# The gates that the exercise's text names.
_FIVE = {name: _OPEN[name] for name in ("toggles", "time", "throttle", "sessions", "lock")}
_NEVER = "None means never, or not yet: nothing to wait for, so the gate is open"
_EDGE = "a number at its limit opens the gate: 24 hours are a day"
_HELD = "a held lock shuts the last gate, and a free one leaves it open"
_SWITCH = "dreams that are not allowed end the chain at its first gate"
_ORDER = "the gates are asked in the order of the docstring, and the first shut one is named"

_BOTH_LOOK = "both have to look before one writes, or the second sees a lock and gives up"
_BETWEEN = "the first has to verify before the other writes, or it sees another name and gives up"
_COUNT = "each name stands there once for each of its steps, {steps} times"

_RUNS = "a holder that still runs is in its rights; only one that has ended is to blame"
_THEN = "what counts is whether the holder had ended by then, and an id can be given again"


@dataclass(frozen=True)
class Looks:
    """The gates' answers; a gate that is not among the facts is open, and no gate after a shut one
    may be asked.
    """

    facts: tuple[tuple[str, Any], ...]

    def __call__(self, gate: str) -> Any:
        """Give one fact; raises RuntimeError for one that need not be known any more."""
        facts = _OPEN | dict(self.facts)
        shut = gate_chain(facts.__getitem__, _LIMITS)
        if shut and _NAMES.index(gate) > _NAMES.index(shut):
            raise RuntimeError(f"{gate!r} was looked at, though {shut!r} is shut before it")
        return facts[gate]

    def __repr__(self) -> str:
        """Show the facts."""
        return f"looks({', '.join(f'{gate}={fact}' for gate, fact in self.facts)})"


def chain_cases(chance: random.Random) -> Sequence[Case]:
    """Give states of the world: each gate shut, each open, numbers at their limits, and none."""
    fixed: list[tuple[Mapping[str, Any], str]] = [
        ({}, _HELD),
        ({"toggles": False}, _SWITCH),
        ({"time": 3}, _ORDER),
        ({"throttle": 4}, _ORDER),
        ({"sessions": 0}, _ORDER),
        ({"lock": True}, _HELD),
        (_LIMITS, _EDGE),
        ({"time": None}, _NEVER),
        ({"throttle": None}, _NEVER),
        ({"time": 0.0, "sessions": 0}, _ORDER),
    ]
    cases = [_chain_case({**_FIVE, **changed}, slip) for changed, slip in fixed]
    for _ in range(20):
        facts = {
            "toggles": chance.random() < 0.9,
            "time": chance.choice([None, 23.9, 24, 50, chance.randint(20, 60)]),
            "throttle": chance.choice([None, 9.9, 10, chance.randint(8, 40)]),
            "sessions": chance.choice([4, 5, 6, chance.randint(3, 12)]),
            "lock": chance.random() < 0.4,
        }
        cases.append(_chain_case(facts, _ORDER))
    return cases


def _chain_case(facts: Mapping[str, Any], slip: str) -> Case:
    looks = Looks(tuple(facts.items()))
    return case((looks, dict(_LIMITS)), gate_chain(looks, _LIMITS), slip)


def schedule_cases(chance: random.Random) -> Sequence[Case]:
    """Give pairs of processes, and naive locks with ever more steps in between."""
    fixed = [
        ("P1", "P2", ["look", "write", "verify"]),
        ("P2", "P1", ["look", "write", "verify"]),
        ("ann", "bo", ["look", "write", "wait", "verify"]),
        ("ann", "bo", ["greet", "look", "think", "write", "verify"]),
    ]
    for _ in range(8):
        steps = ["look", "write", "verify"]
        for _ in range(chance.randint(0, 3)):
            steps.insert(chance.randint(0, len(steps)), chance.choice(("wait", "think", "sync")))
        first, second = chance.sample(("ann", "bo", "cy", "P1", "P2"), 2)
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


def _both_hold(first: str, second: str, steps: Sequence[str], order: Sequence[str]) -> bool:
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


def log_cases(chance: random.Random) -> Sequence[Case]:
    """Give event logs: healthy ones, one lock left behind, an id that is given again."""
    fired, ended = "dream_fired pid=41 sessions_since=6", "process_ended pid=41"
    shut, time = "gate_shut gate=lock holder=41", "gate_shut gate=time hours_since=3.0"
    fixed = [
        ([], "an empty log blames nobody"),
        ([fired, shut, "dream_completed pid=41", time, ended], f"{_RUNS}; {_THEN}"),
        ([fired, ended, shut, time, shut], _RUNS),
        ([fired, ended, shut, "process_started pid=41", shut, shut], _THEN),
        (["process_started pid=7", fired, shut, shut, ended, shut], _THEN),
        (["process_ended pid=7", fired, shut, time], _RUNS),
    ]
    cases = [case((lines,), stale_lock(lines), slip) for lines, slip in fixed]
    for _ in range(12):
        pid = chance.randint(40, 9_000)
        shut = f"gate_shut gate=lock holder={pid}"
        lines = [f"process_started pid={pid}", f"dream_fired pid={pid} sessions_since=6"]
        lines += [shut] * chance.randint(0, 3) + [f"process_ended pid={pid + 1}"]
        if chance.random() < 0.7:
            lines.append(f"process_ended pid={pid}")
        lines += chance.choices([shut, time], k=chance.randint(1, 5))
        cases.append(case((lines,), stale_lock(lines), _THEN))
    return cases


def stale_lock(lines: Sequence[str]) -> list[int]:
    """Find the ended process whose lock refused others, and how often it did."""
    gone: set[str] = set()
    blamed: list[int] = []
    for line in lines:
        name, *pairs = line.split()
        told = dict(pair.split("=") for pair in pairs)
        if name == "process_ended":
            gone.add(told["pid"])
        elif name == "process_started":
            gone.discard(told["pid"])
        elif told.get("gate") == "lock" and told["holder"] in gone:
            blamed.append(int(told["holder"]))
    return [blamed[0], len(blamed)] if blamed else []

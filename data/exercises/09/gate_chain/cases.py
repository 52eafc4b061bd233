from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from memlab.course.exercise import Case, case

LIMITS = {"time": 24, "throttle": 10, "sessions": 5, "messages": 10}
ORDER = "The gates are asked in the order of the list"
ONCE = "look and is_open are called once for a gate that is asked"
AFTER = "After a shut gate, neither look nor is_open is called"
DISK = "If look raises OSError, the gate is shut"
OTHER = "Only OSError is caught"
ANSWER = "is_open gets the answer of the gate, and decides"
WHOLE = "Each gate has a state, also those that were not asked"

Spec = tuple[tuple[str, Any], ...]
"""Name and answer of each gate; an answer may be an exception."""


class Gates:
    """Gates that exist only here, and the calls that were made to them."""

    def __init__(self, spec: Spec) -> None:
        self._answers = dict(spec)
        self.calls: list[str] = []
        self.pairs = [(name, self._opener(name)) for name, _ in spec]

    def look(self, name: str) -> Any:
        self.calls.append(f"look({name!r})")
        answer = self._answers[name]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _opener(self, name: str) -> Callable[[Any], bool]:
        def is_open(answer: Any) -> bool:
            self.calls.append(f"is_open of {name}: {answer!r}")
            return _opens(name, answer)

        return is_open


def _opens(name: str, answer: Any) -> bool:
    if name in LIMITS:
        return answer is None or answer >= LIMITS[name]
    return (not answer) if name == "lock" else bool(answer)


def run(mine: Any, spec: Spec) -> list[str]:
    """Let the learner's function ask; gives the states, then the calls."""
    gates = Gates(spec)
    before = list(gates.pairs)
    try:
        returned = mine(gates.pairs, gates.look)
    except (RuntimeError, KeyError) as error:
        planned = [answer for _, answer in spec if answer is error]
        if not planned:
            raise
        return [f"raised {type(error).__name__}", *gates.calls]
    if not isinstance(returned, list):
        return [f"returned {returned!r}"]
    changed = ["the list gates was changed"] * (gates.pairs != before)
    return [*(_row(item) for item in returned), *gates.calls, *changed]


def _row(item: Any) -> str:
    if isinstance(item, tuple) and len(item) == 2:
        return f"{item[0]}: {item[1]}"
    return repr(item)


def _wanted(spec: Spec) -> list[str]:
    """Say what should be returned and called, gate by gate."""
    states: list[str] = []
    calls: list[str] = []
    shut = False
    for name, answer in spec:
        if shut:
            states.append(f"{name}: not asked")
            continue
        calls.append(f"look({name!r})")
        if isinstance(answer, OSError):
            shut = True
        elif isinstance(answer, Exception):
            return [f"raised {type(answer).__name__}", *calls]
        else:
            calls.append(f"is_open of {name}: {answer!r}")
            shut = not _opens(name, answer)
        states.append(f"{name}: {'shut' if shut else 'open'}")
    return [*states, *calls]


def cases(random: Random) -> list[Case]:
    every = {
        "toggles": True,
        "time": 30,
        "throttle": None,
        "sessions": 6,
        "lock": False,
    }
    fixed: list[tuple[Spec, str]] = [
        ((("time", 30), ("sessions", 2)), ANSWER),
        ((("time", 3), ("sessions", 2)), AFTER),
        ((("sessions", 2), ("time", 3)), ORDER),
        (tuple(every.items()), ANSWER),
        (tuple({**every, "toggles": False}.items()), AFTER),
        (tuple({**every, "time": None}.items()), ANSWER),
        (tuple({**every, "time": 0, "throttle": 3}.items()), AFTER),
        (tuple({**every, "throttle": 3}.items()), AFTER),
        (tuple({**every, "sessions": 0}.items()), AFTER),
        (tuple({**every, "lock": True}.items()), ANSWER),
        (tuple({**every, "messages": 3}.items()), WHOLE),
        ((("lock", False), ("toggles", True)), ORDER),
        ((("lock", True), ("toggles", True)), ORDER),
        ((), WHOLE),
        ((("time", 24),), ANSWER),
        (tuple({**every, "time": OSError(5, "disk")}.items()), DISK),
        (tuple({**every, "sessions": PermissionError(13, "no")}.items()), DISK),
        (tuple({**every, "lock": FileNotFoundError(2, "gone")}.items()), DISK),
        (tuple({**every, "lock": TimeoutError("slow")}.items()), DISK),
        (tuple({**every, "time": 3, "lock": OSError(5, "x")}.items()), AFTER),
        (tuple({**every, "sessions": RuntimeError("a mistake")}.items()), OTHER),
        (tuple({**every, "sessions": KeyError("a mistake")}.items()), OTHER),
    ]
    for _ in range(25):
        answers: dict[str, Any] = {
            "toggles": random.random() < 0.9,
            "time": random.choice((None, 23.9, 24, 50)),
            "throttle": random.choice((None, 9.9, 10, 40)),
            "sessions": random.choice((4, 5, 6, 12)),
            "messages": random.choice((9, 10, 30)),
            "lock": random.random() < 0.4,
        }
        names = random.sample(list(answers), random.randint(1, 6))
        broken = random.choice([*names, "", "", ""])
        if broken:
            answers[broken] = OSError(5, "Input/output error")
        fixed.append((tuple((name, answers[name]) for name in names), ""))
    return [_case(spec, slip) for spec, slip in fixed]


def _case(spec: Spec, slip: str) -> Case:
    wanted = _wanted(spec)
    gates = [f"{name} ({_in_words(answer)})" for name, answer in spec]

    def observed(rows: list[str]) -> str:
        return _observed(wanted, rows) or slip

    return case(
        (spec,),
        wanted,
        observed,
        call=f"gate_chain(gates, look), with these gates: {', '.join(gates) or 'none'}",
        returned="states, then calls",
        lines=list,
    )


def _in_words(answer: Any) -> str:
    if isinstance(answer, Exception):
        return f"look raises {type(answer).__name__}"
    return f"the answer is {answer!r}"


def _observed(wanted: list[str], rows: list[str]) -> str:
    """Say what is different, where one sentence can say it."""
    if rows and rows[0].startswith("returned "):
        return "The function has to return a list."
    calls = [row for row in rows if row.startswith(("look(", "is_open of"))]
    right = [row for row in wanted if row.startswith(("look(", "is_open of"))]
    if len(calls) != len(set(calls)):
        return f"{ONCE}."
    if len(calls) > len(right) and calls[: len(right)] == right:
        return f"{AFTER}."
    if calls == right and len(rows) < len(wanted):
        return f"{WHOLE}."
    return ""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from memlab.course.exercise import Case, case

LIMITS = {"time": 24, "throttle": 10, "sessions": 5, "messages": 10}
ORDER = "The gates are asked in the order of the list"
ONCE = "look and is_open are called once for a gate that is asked"
AFTER = "After a shut gate, neither look nor is_open is called"
EACH = "is_open is called right after look, gate by gate"
FALSY = "None and 0 are answers, too: call is_open with them"
OTHER = "Only OSError is caught; any other exception has to come through"
FAILED = "If look raises OSError, the gate is shut, and is_open is not called"
PAIR = "Each item is a tuple of a name and a state"
WHOLE = "Each gate has a state, also those that were not asked"
ERRORS: dict[str, type[Exception]] = {
    "OSError": OSError,
    "PermissionError": PermissionError,
    "FileNotFoundError": FileNotFoundError,
    "TimeoutError": TimeoutError,
    "RuntimeError": RuntimeError,
    "KeyError": KeyError,
}


@dataclass(frozen=True)
class Fails:
    """An answer that look can't get: it raises this exception instead."""

    error: str

    @property
    def is_disk(self) -> bool:
        return issubclass(ERRORS[self.error], OSError)


Spec = tuple[tuple[str, Any], ...]
"""Name and answer of each gate."""


class Gates:
    """Gates that exist only here, and the calls that were made to them."""

    def __init__(self, spec: Spec) -> None:
        self._answers = dict(spec)
        self.calls: list[str] = []
        self.pairs = [(name, self._opener(name)) for name, _ in spec]

    def look(self, name: str) -> Any:
        self.calls.append(f"look({name!r})")
        answer = self._answers[name]
        if isinstance(answer, Fails):
            raise ERRORS[answer.error](f"planned: {name}")
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
        if "planned: " not in str(error):
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
        if isinstance(answer, Fails):
            if not answer.is_disk:
                return [f"raised {answer.error}", *calls]
            shut = True
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
    specs: list[Spec] = [
        (("time", 3), ("sessions", 2)),
        (("time", 30), ("sessions", 2)),
        (("sessions", 2), ("time", 3)),
        tuple(every.items()),
        tuple({**every, "toggles": False}.items()),
        tuple({**every, "time": None}.items()),
        tuple({**every, "time": 0, "throttle": 3}.items()),
        tuple({**every, "throttle": 3}.items()),
        tuple({**every, "sessions": 0}.items()),
        tuple({**every, "lock": True}.items()),
        tuple({**every, "messages": 3}.items()),
        (("lock", False), ("toggles", True)),
        (("lock", True), ("toggles", True)),
        (),
        (("time", 24),),
        tuple({**every, "time": Fails("OSError")}.items()),
        tuple({**every, "sessions": Fails("PermissionError")}.items()),
        tuple({**every, "lock": Fails("FileNotFoundError")}.items()),
        tuple({**every, "lock": Fails("TimeoutError")}.items()),
        tuple({**every, "time": 3, "lock": Fails("OSError")}.items()),
        tuple({**every, "sessions": Fails("RuntimeError")}.items()),
        tuple({**every, "sessions": Fails("KeyError")}.items()),
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
            answers[broken] = Fails("OSError")
        specs.append(tuple((name, answers[name]) for name in names))
    return [_case(spec) for spec in specs]


def _case(spec: Spec) -> Case:
    wanted = _wanted(spec)
    gates = [f"{name} ({_in_words(answer)})" for name, answer in spec]

    return case(
        (spec,),
        wanted,
        partial(_observed, wanted),
        call=f"gate_chain(gates, look), with these gates: {', '.join(gates) or 'none'}",
        returned="states, then calls",
        lines=list,
    )


def _in_words(answer: Any) -> str:
    if isinstance(answer, Fails):
        return f"look raises {answer.error}"
    return f"the answer is {answer!r}"


def _observed(wanted: list[str], rows: list[str]) -> str:
    """Say what is different, where one sentence can say it."""
    if rows and rows[0].startswith("returned "):
        return "The function has to return a list."
    if wanted and wanted[0].startswith("raised ") and rows[0] != wanted[0]:
        return f"{OTHER}."
    if any(row.startswith("[") for row in rows):
        return f"{PAIR}."
    calls = [row for row in rows if row.startswith(("look(", "is_open of"))]
    right = [row for row in wanted if row.startswith(("look(", "is_open of"))]
    if len(calls) != len(set(calls)):
        return f"{ONCE}."
    missed = [row for row in right if row not in calls]
    if missed and missed[0].startswith("is_open of"):
        return f"{FALSY}."
    failed = bool(right) and right[-1].startswith("look(")
    if failed and _asks_on(calls, right):
        return f"{FAILED}."
    looks = [row for row in calls if row.startswith("look(")]
    right_looks = [row for row in right if row.startswith("look(")]
    if len(looks) > len(right_looks) and set(right_looks) <= set(looks):
        return f"{AFTER}."
    if sorted(calls) == sorted(right) and calls != right:
        return f"{ORDER if looks != right_looks else EACH}."
    if calls == right and len(rows) < len(wanted):
        return f"{WHOLE}."
    if failed and calls == right:
        return f"{FAILED}."
    return ""


def _asks_on(calls: list[str], right: list[str]) -> bool:
    """Say whether is_open was called for the gate whose look has failed."""
    failed = right[-1].removeprefix("look('").removesuffix("')")
    return any(row.startswith(f"is_open of {failed}: ") for row in calls)

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

from memlab.course.exercise import Case, case
from memlab.dream.gates import Answer, Gate

PLACE = "The new row comes after sessions and before lock"
SAME = "The list gates has to stay as it is: return a new list"
ROW = "The row has to be made as the task says"
RETURN = "The function has to return a list of gates"


def ask(situation: Any) -> Answer:
    """Answer nothing of interest: only the row is checked."""
    return Answer(True)


def run(mine: Any, names: tuple[str, ...]) -> list[str]:
    """Let the learner's function add the row; describes the result."""
    gates = [
        Gate(name=name, question=f"{name}?", cost={}, ask=ask)
        for name in names
    ]
    before = list(gates)
    returned = mine(gates, ask)
    rows = _described(returned, before)
    if returned is gates or gates != before:
        rows.append("gates was changed")
    return rows


def _described(returned: Any, before: list[Gate]) -> list[str]:
    if not isinstance(returned, list):
        return [f"returned {returned!r}"]
    rows = []
    for gate in returned:
        if gate in before:
            rows.append(f"{gate.name} (as before)")
        elif isinstance(gate, Gate):
            rows.append(_in_words(gate))
        else:
            rows.append(f"not a Gate: {gate!r}")
    return rows


def _in_words(gate: Gate) -> str:
    asked = isinstance(gate.question, str) and gate.question.strip()
    question = "a question" if asked else repr(gate.question)
    function = "the given function" if gate.ask is ask else "something else"
    words = f"{gate.name}: {question}, cost {gate.cost}, asks {function}"
    if gate.figure is not None or gate.opens_if is not True:
        words += ", and more arguments"
    return words


def _wanted(names: tuple[str, ...]) -> list[str]:
    rows = [f"{name} (as before)" for name in names]
    new = "messages: a question, cost {'reads': 1}, asks the given function"
    return [*rows[:-1], new, rows[-1]]


def cases(random: Random) -> list[Case]:
    lists: list[tuple[str, ...]] = [
        ("toggles", "time", "throttle", "sessions", "lock"),
        ("sessions", "lock"),
        ("time", "sessions", "lock"),
        ("time", "toggles", "throttle", "weekday", "sessions", "lock"),
    ]
    others = ["toggles", "time", "throttle", "idle", "budget", "weekday"]
    for _ in range(6):
        front = random.sample(others, random.randint(0, 6))
        lists.append((*front, "sessions", "lock"))
    return [_case(names) for names in lists]


def _case(names: tuple[str, ...]) -> Case:
    wanted = _wanted(names)
    return case(
        (names,),
        wanted,
        partial(_observed, wanted),
        call=f"add_gate(gates, ask), with these gates: {', '.join(names)}",
        returned="you returned",
        lines=list,
    )


def _observed(wanted: list[str], rows: list[str]) -> str:
    """Say what is different, where one sentence can say it."""
    if rows and rows[0].startswith("returned "):
        return f"{RETURN}."
    if "gates was changed" in rows:
        return f"{SAME}."
    if wanted[-2] not in rows:
        return f"{ROW}."
    return f"{PLACE}."

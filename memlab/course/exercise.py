"""Exercises: a starter that runs, a check that tells, hints one at a time, a worked solution.

Left out: marks. Nothing is counted, stored or sent.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memlab.course.run_submission import Patience, Result, run_calls
from memlab.text import shorten

SEED = 20260330
_WIDTH = 70


@dataclass(frozen=True)
class Case:
    """One call and what it should give: ``expected`` in words, ``fits`` as a test of the result."""

    arguments: tuple[Any, ...]
    expected: str
    fits: Callable[[Any], bool]
    slip: str


@dataclass(frozen=True)
class Wrong:
    """A plausible wrong answer, and a few words that its ``fail:`` line has to hold."""

    source: str
    told: str


@dataclass(frozen=True)
class Exercise:
    """One exercise; ``part`` is the part of the machine it can replace, if any.

    ``starter``, ``solution`` and the wrong answers are source, so that tests can run them all and
    compare the starter with the notebook.
    """

    name: str
    notebook: int
    kind: Literal["build", "break", "diagnose"]
    returns: type
    starter: str
    solution: str
    why: str
    hints: tuple[str, ...]
    wrong: tuple[Wrong, ...]
    cases: Callable[[random.Random], Sequence[Case]]
    part: str = ""
    default: Callable[..., Any] | None = None

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters, as the starter has them."""
        opening = self.starter.index("(") + 1
        inside = self.starter[opening : self.starter.index(")", opening)]
        return [part.split(":")[0].strip() for part in inside.split(",") if part.strip()]


def case(arguments: tuple[Any, ...], expected: Any, slip: str) -> Case:
    """Make a case that wants one very value."""
    return Case(arguments, repr(expected), lambda result: bool(result == expected), slip)


def judge(exercise: Exercise, function: Any, patience: Patience | None = None) -> str:
    """Say in one line how the function does: ``todo: …``, ``fail: …`` or ``pass: …``."""
    if shape := _wrong_shape(exercise, function):
        return f"fail: {shape}"
    cases = list(exercise.cases(random.Random(SEED)))
    results = run_calls(function, [case.arguments for case in cases], patience)
    for number, one in enumerate(cases):
        call = _call(exercise, one)
        if number >= len(results):
            return f"fail: {call} does not come back. Likely slip: a loop whose end is never met"
        if isinstance(results[number].error, NotImplementedError):
            return _todo(exercise, "" if number == 0 else f" for {call}")
        if fault := _fault(exercise, one, results[number]):
            return f"fail: {call} {fault}"
    return f"pass: {exercise.name} holds in all {len(cases)} cases{_onward(exercise)}"


def _fault(exercise: Exercise, one: Case, result: Result) -> str:
    if result.error is not None:
        kind = type(result.error).__name__
        said = shorten(str(result.error), _WIDTH)
        told = f"raised {kind}: {said}" if said else f"raised {kind}"
        return f"{told}; expected {one.expected}. Likely slip: {one.slip}"
    wanted, value = exercise.returns, result.value
    if type(value) is not wanted:
        return f"returned {_type_fault(value, wanted)}"
    if not one.fits(value):
        came = shorten(repr(value), _WIDTH)
        return f"returned {came}; expected {one.expected}. Likely slip: {one.slip}"
    if result.changed:
        return "changed its argument. Work on a copy: the caller still needs the original"
    return ""


def _type_fault(value: Any, wanted: type) -> str:
    if value is None:
        return f"None; expected a {wanted.__name__}. Likely slip: a branch without return"
    kind = type(value).__name__
    return f"a {kind}; expected a {wanted.__name__}. Likely slip: the last step is missing"


def _wrong_shape(exercise: Exercise, function: Any) -> str:
    wanted = ", ".join(exercise.parameters)
    if not inspect.isfunction(function):
        return f"hand over the function itself, without calling it: check({exercise.name})"
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return f"{exercise.name} is async; write it as a plain def"
    if inspect.isgeneratorfunction(function):
        return f"{exercise.name} yields; return a {exercise.returns.__name__} instead"
    try:
        inspect.signature(function).bind(*exercise.parameters)
    except TypeError:
        has = ", ".join(inspect.signature(function).parameters)
        return f"{exercise.name} takes ({has}); expected ({wanted})"
    return ""


def _call(exercise: Exercise, one: Case) -> str:
    shown = ", ".join(shorten(repr(value), _WIDTH) for value in one.arguments)
    return f"{exercise.name}({shown})"


def _todo(exercise: Exercise, where: str) -> str:
    return f"todo: {exercise.name} is not written yet{where}; hint({exercise.name!r}) helps"


def _onward(exercise: Exercise) -> str:
    if not exercise.part:
        return ""
    return f"; begin({exercise.notebook}, parts=[{exercise.name}]) puts it into the machine"

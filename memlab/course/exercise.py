"""What an exercise consists of, and what ``check`` says about a learner's
function.

The exercises themselves are in ``data/exercises``. There are no marks: nothing
is counted, stored or sent.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from pydantic import Field

from memlab.course.data_files import DataModel
from memlab.course.run_submission import Patience, Result, run_calls
from memlab.course.seams import SEAMS
from memlab.text import shorten

SEED = 20260330
_WIDTH = 70


@dataclass(frozen=True)
class Case:
    """One call of the learner's function, and what it should return.

    ``expected`` says it in words, ``fits`` tests the result, and ``slip`` is
    the likely mistake behind a result that does not fit.
    """

    arguments: tuple[Any, ...]
    expected: str
    fits: Callable[[Any], bool]
    slip: str


class Header(DataModel):
    """The keys at the top of ``prompt.md``.

    An exercise whose ``status`` is *planned* can be solved, and is in no
    notebook yet.
    """

    kind: Literal["build", "break", "diagnose"]
    returns: Literal["bool", "dict", "float", "int", "list", "str", "tuple"]
    minutes: int = Field(gt=0)
    status: Literal["", "planned"] = ""


class WrongAnswer(DataModel):
    """A plausible wrong answer, and a few words that its ``fail:`` line has to
    contain.
    """

    file: str
    message: str
    source: str


class Exercise(DataModel):
    """One exercise, as ``data/exercises/NN/name/`` describes it.

    Starter, solution and wrong answers are source code, so that tests can run
    all of them and compare the starter with the notebook.
    """

    name: str
    notebook: int
    header: Header
    task: str
    starter: str
    solution: str
    hints: tuple[str, ...]
    why: str
    wrong: tuple[WrongAnswer, ...]
    cases: Callable[[random.Random], Sequence[Case]]
    run: Callable[..., Any] | None = None
    """What ``check`` calls instead: ``run(function or class, *arguments)``
    returns what is compared.
    """

    @property
    def part(self) -> str:
        """The part of the machine that the function can replace; empty if
        there is none.
        """
        part = self.name.removeprefix("my_")
        return part if part in SEAMS else ""

    @property
    def is_class(self) -> bool:
        """Whether the learner writes a class."""
        return isinstance(self._definition, ast.ClassDef)

    @property
    def planned(self) -> bool:
        """Whether no notebook has it yet."""
        return self.header.status == "planned"

    @property
    def returns(self) -> type:
        """The type that the function has to return."""
        found: type = getattr(builtins, self.header.returns)
        return found

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters, as the starter has them; a class has
        none.
        """
        definition = self._definition
        if isinstance(definition, ast.ClassDef):
            return []
        return [parameter.arg for parameter in definition.args.args]

    @property
    def signature(self) -> str:
        """The name, the parameters and the type of the result, as the starter
        has them.
        """
        definition = self._definition
        if isinstance(definition, ast.ClassDef):
            return f"class {self.name}"
        result = definition.returns
        arrow = f" -> {ast.unparse(result)}" if result else ""
        return f"{self.name}({ast.unparse(definition.args)}){arrow}"

    @property
    def _definition(self) -> ast.FunctionDef | ast.ClassDef:
        return next(
            node
            for node in ast.parse(self.starter).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            and node.name == self.name
        )


def case(arguments: tuple[Any, ...], expected: Any, slip: str) -> Case:
    """Make a case in which exactly one value is right."""
    return Case(
        arguments,
        repr(expected),
        lambda result: bool(result == expected),
        slip,
    )


def judge(
    exercise: Exercise, function: Any, patience: Patience | None = None
) -> str:
    """Say in one line how the function does: ``todo: …``, ``fail: …`` or
    ``pass: …``.
    """
    if shape := _wrong_shape(exercise, function):
        return f"fail: {shape}"
    cases = list(exercise.cases(random.Random(SEED)))
    called = partial(exercise.run, function) if exercise.run else function
    results = run_calls(called, [case.arguments for case in cases], patience)
    for number, tried in enumerate(cases):
        call = _call(exercise, tried)
        if number >= len(results):
            return (
                f"fail: {call} does not come back. Likely slip: a loop that"
                " never ends"
            )
        if isinstance(results[number].error, NotImplementedError):
            return todo(exercise, "" if number == 0 else f" for {call}")
        if fault := _fault(exercise, tried, results[number]):
            return f"fail: {call} {fault}"
    return f"pass: {exercise.name} holds in all {len(cases)} cases"


def _fault(exercise: Exercise, tried: Case, result: Result) -> str:
    if result.error is not None:
        kind = type(result.error).__name__
        said = shorten(str(result.error), _WIDTH)
        raised = f"raised {kind}: {said}" if said else f"raised {kind}"
        return (
            f"{raised}; expected {tried.expected}. Likely slip: {tried.slip}"
        )
    wanted, value = exercise.returns, result.value
    if type(value) is not wanted:
        return f"returned {_type_fault(value, wanted)}"
    if not tried.fits(value):
        came = shorten(repr(value), _WIDTH)
        return (
            f"returned {came}; expected {tried.expected}. Likely slip:"
            f" {tried.slip}"
        )
    if result.changed:
        return (
            "changed its argument. Work on a copy: the caller still needs the"
            " original"
        )
    return ""


def _type_fault(value: Any, wanted: type) -> str:
    if value is None:
        return (
            f"None; expected a {wanted.__name__}. Likely slip: a branch"
            " without return"
        )
    kind = type(value).__name__
    return (
        f"a {kind}; expected a {wanted.__name__}. Likely slip: the last step"
        " is missing"
    )


def _wrong_shape(exercise: Exercise, function: Any) -> str:
    if exercise.is_class:
        return (
            ""
            if inspect.isclass(function)
            else f"give the class itself: check({exercise.name})"
        )
    wanted = ", ".join(exercise.parameters)
    if not inspect.isfunction(function):
        return (
            "give the function itself, without calling it:"
            f" check({exercise.name})"
        )
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(
        function
    ):
        return f"{exercise.name} is async; write it as a plain def"
    if inspect.isgeneratorfunction(function):
        return (
            f"{exercise.name} yields; return a {exercise.returns.__name__}"
            " instead"
        )
    try:
        inspect.signature(function).bind(*exercise.parameters)
    except TypeError:
        has = ", ".join(inspect.signature(function).parameters)
        return f"{exercise.name} takes ({has}); expected ({wanted})"
    return ""


def _call(exercise: Exercise, tried: Case) -> str:
    shown = ", ".join(
        shorten(repr(value), _WIDTH) for value in tried.arguments
    )
    return f"{exercise.name}({shown})"


def todo(exercise: Exercise, where: str = "") -> str:
    """Say that an exercise is not written yet."""
    return (
        f"todo: {exercise.name} is not written yet{where};"
        f" hint({exercise.name!r}) helps"
    )

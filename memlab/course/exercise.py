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
from memlab.course.messages import (
    Row,
    Verdict,
    all_passed,
    call_lines,
    compared,
    compared_lines,
    files_of,
    in_words,
    never_returned,
    observe,
    plain_row,
    raised,
    refusal,
    sentence_of,
    todo,
    value_lines,
    wrong_value,
)
from memlab.course.run_submission import SECONDS, Patience, Result, run_calls
from memlab.course.seams import SEAMS, without_seams

SEED = 20260330
_NO_VALUE: Any = object()


@dataclass(frozen=True)
class Case:
    """One call of the learner's function, and what it should return.

    ``expected`` says it in words, ``fits`` tests the result, and ``slip``
    names the rule that a result may have missed. It is shown only with a
    result that it is about; as a function, it gets the result and returns the
    sentence to show, or nothing.
    """

    arguments: tuple[Any, ...]
    expected: str
    fits: Callable[[Any], bool]
    slip: str | Callable[[Any], str] = ""
    value: Any = _NO_VALUE
    """The only right result, if there is one."""
    call: str = ""
    """What the message calls the input, instead of the call in code."""
    returned: str = "you returned"
    """What the message calls the result."""
    lines: Callable[[Any], list[str]] | None = None
    """Writes a result as lines, instead of as a Python value."""


class Header(DataModel):
    """The keys at the top of ``prompt.md``.

    ``stars`` says how difficult the gap is, and ``bonus`` that it is for those
    who finish early. A gap whose ``status`` is *planned* can be solved, and is
    in no notebook yet.
    """

    kind: Literal["build", "break", "diagnose"]
    returns: Literal["bool", "dict", "float", "int", "list", "str", "tuple"]
    minutes: int = Field(gt=0)
    stars: int = Field(ge=1, le=3)
    bonus: Literal["", "yes"] = ""
    status: Literal["", "planned"] = ""


class WrongAnswer(DataModel):
    """A plausible wrong answer, and a few words that the message has to
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
        return self.name if self.name in SEAMS else ""

    @property
    def is_called(self) -> bool:
        """Whether the machine or a cell calls the function; what a learner
        breaks or diagnoses is only checked.
        """
        return bool(self.part) or self.header.kind == "build"

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


def case(
    arguments: tuple[Any, ...],
    expected: Any,
    slip: str | Callable[[Any], str] = "",
    **more: Any,
) -> Case:
    """Make a case in which exactly one value is right; ``more`` are further
    fields of ``Case``.
    """
    return Case(
        arguments,
        repr(expected),
        lambda result: bool(result == expected),
        slip,
        expected,
        **more,
    )


def judge(
    exercise: Exercise,
    function: Any,
    patience: Patience | None = None,
    meanwhile: str = "",
) -> Verdict:
    """Try the function in every case, up to the first that is wrong.

    ``meanwhile`` says what is used as long as the gap is not solved.
    """
    if shape := _wrong_shape(exercise, function):
        return refusal(shape, exercise.name)
    with without_seams():
        # what is expected comes from memlab, and not from the learner's part
        cases = list(exercise.cases(random.Random(SEED)))
    called = _called(exercise, function)
    results = run_calls(called, [case.arguments for case in cases], patience)
    for tried, result in zip(cases, results, strict=False):
        if isinstance(result.error, NotImplementedError):
            first = tried is cases[0]
            where = "" if first else " ".join(_call(exercise, tried))
            return todo(exercise.name, where, meanwhile)
        if verdict := _fault(exercise, function, tried, result):
            return verdict
    return all_passed(exercise.name, len(cases), results[0].printed)


def _called(exercise: Exercise, function: Any) -> Any:
    """Return what is called with the arguments of a case."""
    return partial(exercise.run, function) if exercise.run else function


def _fault(
    exercise: Exercise, function: Any, tried: Case, result: Result
) -> Verdict | None:
    """Say what is wrong with a result; nothing if it is right."""
    name, call, printed = exercise.name, _call(exercise, tried), result.printed
    if result.stopped:
        expected = _expected(tried)
        return never_returned(name, call, SECONDS, expected, printed)
    if result.error is not None:
        files = files_of(function)
        expected = _expected(tried)
        seen = _missed_rules(exercise, tried, result)
        return raised(name, call, result.error, files, expected, seen, printed)
    if not _fits(exercise, tried, result.value):
        rows = _values(tried, result.value)
        seen = _observation(exercise, tried, result)
        return wrong_value(name, call, rows, seen, printed)
    if result.changed:
        sentence = (
            "The result is right, but the function changed its argument. Work"
            " on a copy: the caller still needs the original"
        )
        return wrong_value(name, call, (), sentence, printed)
    return None


def _fits(exercise: Exercise, tried: Case, value: Any) -> bool:
    if type(value) is not exercise.returns:
        return False
    try:
        return tried.fits(value)
    except Exception:
        # a test that cannot read a result has not found it right
        return False


def _values(tried: Case, value: Any) -> tuple[Row, Row]:
    if tried.value is _NO_VALUE:
        # nothing is marked: many results would be right
        lines = (tried.lines or value_lines)(value)
        returned = plain_row(tried.returned, lines)
        return returned, in_words("expected", tried.expected)
    if tried.lines is None or type(value) is not type(tried.value):
        return compared(value, tried.value, tried.returned)
    return compared_lines(
        tried.lines(value), tried.lines(tried.value), tried.returned
    )


def _expected(tried: Case) -> Row:
    if tried.value is _NO_VALUE:
        return in_words("expected", tried.expected)
    lines = (tried.lines or value_lines)(tried.value)
    return plain_row("expected", lines)


def _observation(exercise: Exercise, tried: Case, result: Result) -> str:
    """Say something about this very difference, or nothing.

    The case's own words are used where a wrong answer that is known to miss
    this rule returns the same, or where there is only one wrong result.
    """
    wanted, value = exercise.returns, result.value
    if type(value) is not wanted:
        return observe(value, wanted())
    if not isinstance(tried.slip, str):
        return tried.slip(value)
    if wanted is bool and "; " not in tried.slip:
        return tried.slip
    if missed := _missed_rules(exercise, tried, result):
        return missed
    return "" if tried.value is _NO_VALUE else observe(value, tried.value)


def _missed_rules(exercise: Exercise, tried: Case, result: Result) -> str:
    """Name the rules of a case that known wrong answers with the same result,
    or the same exception, have missed.
    """
    missed: list[str] = []
    rules = tried.slip.split("; ") if isinstance(tried.slip, str) else []
    for wrong in exercise.wrong:
        about = wrong.message.casefold()
        found = [rule for rule in rules if about in rule.casefold()]
        if found and _ends_the_same(exercise, wrong, tried, result):
            missed += found
    return " ".join(map(sentence_of, dict.fromkeys(missed)))


def _ends_the_same(
    exercise: Exercise, wrong: WrongAnswer, tried: Case, result: Result
) -> bool:
    names: dict[str, Any] = {}
    exec(wrong.source, names)
    called = _called(exercise, names[exercise.name])
    (other,) = run_calls(called, [tried.arguments])
    if other.stopped:
        return False
    if result.error is not None or other.error is not None:
        return repr(other.error) == repr(result.error)
    value = result.value
    return type(other.value) is type(value) and bool(other.value == value)


def _wrong_shape(exercise: Exercise, function: Any) -> str:
    if exercise.is_class:
        return (
            ""
            if inspect.isclass(function)
            else f"give the class itself: check({exercise.name})"
        )
    wanted = ", ".join(exercise.parameters)
    if inspect.isclass(function):
        return f"`{exercise.name}` is a class; write it as a plain def"
    if hasattr(function, "__wrapped__"):
        return f"`{exercise.name}` has a decorator; write it as a plain def"
    if not inspect.isfunction(function):
        return (
            "give the function itself, without calling it:"
            f" check({exercise.name})"
        )
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(
        function
    ):
        return f"`{exercise.name}` is async; write it as a plain def"
    if inspect.isgeneratorfunction(function):
        return (
            f"`{exercise.name}` yields; return a {exercise.returns.__name__}"
            " instead"
        )
    try:
        inspect.signature(function).bind(*exercise.parameters)
    except TypeError:
        has = ", ".join(inspect.signature(function).parameters)
        return f"{exercise.name} takes ({has}); expected ({wanted})"
    return ""


def _call(exercise: Exercise, tried: Case) -> list[str]:
    if tried.call:
        return [tried.call]
    return call_lines(exercise.name, exercise.parameters, tried.arguments)

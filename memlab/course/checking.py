"""What a learner calls on an exercise: ``check``, ``hint``, ``solution``."""

from __future__ import annotations

import inspect
from difflib import get_close_matches
from typing import Any

from memlab.course.cell_source import find_definition, same_code
from memlab.course.display import Page, fenced
from memlab.course.exercise import Exercise, judge
from memlab.course.exercise_files import all_exercises, find_exercise
from memlab.course.kernel_state import KERNEL_STATE
from memlab.course.messages import Verdict, refusal, show, todo, wrapped
from memlab.course.my_parts import my, uncounted
from memlab.text import shorten


def check(function: Any) -> None:
    """Show how a learner's function does: *todo*, *not yet* or *pass*. Never
    raises.

    What passes is saved, and the machine calls it from then on.
    """
    try:
        verdict = _verdict(function)
    except Exception as error:
        kind = type(error).__name__
        verdict = refusal(f"This could not be judged ({kind}: {error})")
    show(verdict)


def _verdict(function: Any) -> Verdict:
    exercise = _find(function)
    if exercise is None:
        return refusal(_unknown(function))
    if inspect.isfunction(function):
        function = uncounted(function)
    meanwhile = my.meanwhile(exercise)
    if inspect.isfunction(function) or inspect.isclass(function):
        found = find_definition(function)
        if found and is_starter(found.own, exercise):
            return todo(exercise.name, meanwhile=meanwhile)
    with my.uncounted_calls():
        verdict = judge(exercise, function, meanwhile=meanwhile)
    if not verdict.passed:
        return verdict
    kept = my.keep(exercise, function)
    if not kept.usable:
        return verdict.refused(kept.line)
    return verdict.with_note(kept.line)


def is_starter(source: str, exercise: Exercise) -> bool:
    """Tell whether code is still the one that the notebook began with."""
    return same_code(source, exercise.starter)


def hint(exercise: Any) -> None:
    """Print the next hint for an exercise, given by its function or its name."""
    found = _find(exercise)
    if found is None:
        print(wrapped(_unknown(exercise)))
        return
    number = KERNEL_STATE.next_hint(found.name, len(found.hints))
    text = found.hints[number - 1]
    last = f' (the last one; solution("{found.name}") shows one way)'
    more = last if number == len(found.hints) else ""
    print(wrapped(f"hint {number} of {len(found.hints)}: {text}{more}"))


def solution(exercise: Any) -> Page:
    """Show a worked solution, and in one sentence why it is one."""
    found = _find(exercise)
    if found is None:
        return Page("no such gap", _unknown(exercise))
    return Page(
        f"solution of {found.name}",
        f"{fenced(found.solution, 'python')}\n\n{found.why}",
    )


def _find(exercise: Any) -> Exercise | None:
    name = _name_of(exercise)
    if name is None:
        return None
    return find_exercise(name)


def _unknown(exercise: Any) -> str:
    name = _name_of(exercise)
    if name is not None:
        known = [each.name for each in all_exercises()]
        near = get_close_matches(name, known, n=2)
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        if inspect.isfunction(exercise) and exercise.__code__.co_freevars:
            meant += " If your function has a decorator, remove it."
        return f"there is no gap {name!r}.{meant} progress() lists them"
    came = shorten(repr(exercise), 40)
    return f"give the function itself, not {came}. progress() lists them"


def _name_of(exercise: Any) -> str | None:
    name = (
        exercise
        if isinstance(exercise, str)
        else getattr(exercise, "__name__", None)
    )
    return name if isinstance(name, str) else None

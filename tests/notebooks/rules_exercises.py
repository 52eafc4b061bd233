"""Rules for a notebook's exercises: what the package has for it stands in it, whole.

Left out: whether starters, wrong answers and solutions are told apart; the course's own tests run
them all.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tests.notebooks.page import Cell, Page


class Registered(NamedTuple):
    """What the rules need to know about an exercise."""

    name: str
    starter: str


def registered_exercises(number: int) -> list[Registered]:
    """Return the exercises that the package has for a notebook."""
    from memlab.course.exercises import EXERCISES

    return [Registered(e.name, e.starter) for e in EXERCISES.values() if e.notebook == number]


def exercises_are_whole(page: Page) -> list[str]:
    """A starter in a cell, its check after it, still to do, hint and solution named somewhere."""
    known = registered_exercises(int(page.number))
    problems = [] if known else ["the package has no exercise for this notebook"]
    for exercise in known:
        problems += _problems(page, exercise)
    return problems


def _problems(page: Page, exercise: Registered) -> list[str]:
    name = exercise.name
    holders = [cell for cell in page.code if exercise.starter.strip() in cell.source]
    if not holders:
        return [f"{name}: its starter, as the package has it, stands in no cell"]
    checks = [
        cell
        for cell in page.code
        if re.search(rf"\bcheck\({name}\)", cell.source) and cell.number >= holders[0].number
    ]
    problems = []
    if not checks or checks[0].number > holders[0].number + 2:
        problems.append(f"{name}: no check({name}) within two cells of the starter")
    elif not _says_todo(checks[0]):
        problems.append(f"{name}: the stored check does not say 'todo:'")
    everything = "\n".join(cell.source for cell in page.cells)
    problems += [
        f"{name}: {word}({name!r}) is named nowhere"
        for word in ("hint", "solution")
        if not re.search(rf"\b{word}\([\"']?{name}[\"']?\)", everything)
    ]
    return problems


def _says_todo(cell: Cell) -> bool:
    return any(kind == "stdout" and "todo:" in text for kind, text in cell.texts())

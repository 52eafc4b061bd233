"""Rules for a notebook's exercises: it shows each task and starter as ``data/exercises`` has them.

Whether starters, wrong answers and solutions are told apart is tested with the course.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tests.notebooks.page import Cell, Page


class Registered(NamedTuple):
    """What the rules need to know about an exercise."""

    name: str
    task: str
    starter: str


def registered_exercises(number: int) -> list[Registered]:
    """Return the exercises that a notebook has to have."""
    from memlab.course import all_exercises

    return [
        Registered(one.name, one.task, one.starter)
        for one in all_exercises()
        if one.notebook == number and not one.planned
    ]


def exercises_are_whole(page: Page) -> list[str]:
    """Task and starter of each exercise, a check that says todo, hint and solution named."""
    known = registered_exercises(int(page.number))
    problems = [] if known else ["data/exercises has no exercise for this notebook"]
    for exercise in known:
        problems += _problems(page, exercise)
    return problems


def _problems(page: Page, exercise: Registered) -> list[str]:
    name = exercise.name
    holders = [cell for cell in page.code if exercise.starter.strip() in cell.source]
    if not holders:
        return [f"{name}: no cell contains its starter.py"]
    checks = [
        cell
        for cell in page.code
        if re.search(rf"\bcheck\({name}\)", cell.source) and cell.number >= holders[0].number
    ]
    problems = []
    if not any(exercise.task in cell.source for cell in page.cells):
        problems.append(f"{name}: no cell contains the task of its prompt.md")
    if not checks or checks[0].number > holders[0].number + 2:
        problems.append(f"{name}: no check({name}) within two cells of the starter")
    elif not _says_todo(checks[0]):
        problems.append(f"{name}: the stored check does not say 'todo'")
    everything = "\n".join(cell.source for cell in page.cells)
    problems += [
        f"{name}: {word}({name!r}) is named nowhere"
        for word in ("hint", "solution")
        if not re.search(rf"\b{word}\([\"']?{name}[\"']?\)", everything)
    ]
    return problems


def _says_todo(cell: Cell) -> bool:
    return any(re.search(r"^(○ )?todo\b", text, re.MULTILINE) for _, text in cell.texts())

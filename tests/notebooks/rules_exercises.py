"""Rules for a notebook's exercises: it shows each task and starter as ``data/exercises`` has them.

Whether starters, wrong answers and solutions are told apart is tested with the course.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from tests.notebooks.page import Cell, Page

_HEADING = re.compile(r"#+\s+(?:Your turn|Bonus): `(\w+)`")


class Registered(NamedTuple):
    """What the rules need to know about an exercise."""

    name: str
    task: str
    starter: str
    stars: int = 1
    minutes: int = 5
    bonus: bool = False

    @property
    def heading(self) -> str:
        """The heading above its task."""
        word = "Bonus" if self.bonus else "Your turn"
        stars = "★" * self.stars + "☆" * (3 - self.stars)
        return f"### {word}: `{self.name}`  {stars} · about {self.minutes} minutes"


@cache
def _exercises() -> dict[int, list[Registered]]:
    from memlab.course import all_exercises

    found: dict[int, list[Registered]] = {}
    for one in all_exercises():
        if not one.planned:
            header = one.header
            bonus = header.bonus == "yes"
            registered = Registered(
                one.name, one.task, one.starter, header.stars, header.minutes, bonus
            )
            found.setdefault(one.notebook, []).append(registered)
    return found


def registered_exercises(number: int) -> list[Registered]:
    """Return the exercises that a notebook has to have."""
    return _exercises().get(number, [])


def exercises_are_whole(page: Page) -> list[str]:
    """Task and starter of each exercise, and a check that says todo."""
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
    return problems


def headings_of_gaps_agree_with_their_prompts(page: Page) -> list[str]:
    """``### Your turn: `name`  ★★☆ · about 10 minutes``, or ``### Bonus: …``, as in prompt.md."""
    known = {one.name: one for one in registered_exercises(int(page.number))}
    problems = []
    for line in page.headings():
        found = _HEADING.match(line)
        if found is None:
            continue
        name = found[1]
        if name not in known:
            problems.append(f"the heading {line!r} is for no gap {name!r} of this notebook")
        elif line.split() != known[name].heading.split():
            problems.append(f"{line!r}: it should be {known[name].heading!r}")
    return problems


def _says_todo(cell: Cell) -> bool:
    return any(re.search(r"^(○ )?todo\b", text, re.MULTILINE) for _, text in cell.texts())

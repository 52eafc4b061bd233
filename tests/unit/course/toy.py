"""A course with one notebook, one exercise and one quiz, as a teacher would write the files."""

from __future__ import annotations

from pathlib import Path

EXERCISE = "data/exercises/00/tail"
QUIZ = "data/quizzes/00.yaml"

FILES = {
    "notebooks/00_toy.ipynb": "{}",
    f"{EXERCISE}/prompt.md": """\
---
kind: build
returns: list
minutes: 5
stars: 1
---

Sort the row, and give the rest.
""",
    f"{EXERCISE}/starter.py": """\
def tail(row: list, start: int) -> list:
    raise NotImplementedError
""",
    f"{EXERCISE}/solution.py": """\
def tail(row: list, start: int) -> list:
    return sorted(row)[start:]
""",
    f"{EXERCISE}/hints.md": """\
## Hint 1

The first
hint.

## Hint 2

The second hint.

## Why the solution works

Sorting first puts the smallest in front.
""",
    f"{EXERCISE}/cases.py": """\
from random import Random

from memlab.course.exercise import Case, case


def cases(random: Random) -> list[Case]:
    rows = [[2, 1], *([random.randrange(9), random.randrange(9)] for _ in range(5))]
    return [case((row, 1), sorted(row)[1:], "the order") for row in rows]
""",
    f"{EXERCISE}/wrong/1.py": """\
# message: the order
def tail(row, start):
    return row[start:]
""",
    QUIZ: """\
- question: Why?
  options:
    - text: No
      why: Not so.
    - text: Yes
      right: true
      why: So it is.

- question: How?
  options:
    - text: So
      right: true
      why: Like this.
    - text: Not
      why: "Not\\n  like that."
""",
}


def write_toy(root: Path) -> None:
    """Write the files of the toy course below a folder."""
    for name, text in FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

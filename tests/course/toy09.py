"""A small machine with gaps of its own, for the tests of the kit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from memlab.course.gap import Case, Gap

if TYPE_CHECKING:
    from pathlib import Path

WORD = re.compile("[a-z]+")


class Box:
    """Is only named in annotations."""


def _longest(words: list[str]) -> int:
    return max(map(len, words), default=0)


def longest(text: str, box: Box | None = None, path: Path | None = None) -> int:
    """Return the length of the longest word."""
    return _longest(WORD.findall(text.lower()))


def digits(text: str) -> int:
    """Read a number."""
    return int(text)


def take_all(items: list[str]) -> list[str]:
    """Empty a list."""
    taken = items[:]
    items.clear()
    return taken


def allowed(name: str) -> bool:
    """Say whether a name is allowed."""
    return name.startswith("a")


class Counter:
    """Counts."""

    def __init__(self) -> None:
        self.count = 0

    def up(self) -> int:
        """Count one up."""
        self.count += 1
        return self.count


def texts(rng: Random) -> Iterator[Case]:
    yield Case(("Ab abc",), "a word is a run of letters")
    yield Case(("",), "there may be no word")


def numbers(rng: Random) -> Iterator[Case]:
    yield Case(("12",), "digits are a number")
    yield Case(("x",), "anything else is no number")


def lists(rng: Random) -> Iterator[Case]:
    yield Case((["a", "b"],), "all are taken")


def names(rng: Random) -> Iterator[Case]:
    yield Case(("ab",), "a is allowed")
    yield Case(("ba",), "b is not")


def ups(rng: Random) -> Iterator[Case]:
    yield Case((2,), "each call counts")


def count_ups(mine: Any, times: int) -> list[int]:
    counter = mine()
    return [counter.up() for _ in range(times)]


toy = partial(Gap, hints=("one", "two"), why="So.", wrong=())
GAPS = {
    gap.name: gap
    for gap in (
        toy(name="longest", place=f"{__name__}.longest", cases=texts),
        toy(name="digits", place=f"{__name__}.digits", cases=numbers, raises=(ValueError,)),
        toy(name="take_all", place=f"{__name__}.take_all", cases=lists),
        toy(name="allowed", place=f"{__name__}.allowed", cases=names, guard=True),
        toy(name="Counter", place=f"{__name__}.Counter", cases=ups, watch=count_ups),
    )
}

"""One draw, several draws, and many: which means are the bounds?"""

from __future__ import annotations

from fractions import Fraction
from math import isclose
from random import Random
from typing import Any

from memlab.course.exercise import Case

TWICE = "A position that occurs twice counts twice"
MEAN = "Divide by the number of positions in the draw"
SORTED = "Sort the means before you take the bounds"
BOUNDS = "The bounds are at round(0.025 * (n - 1)) and round(0.975 * (n - 1))"
EQUAL = "Means that are equal count separately"
DRAWS = "Use the draws that the caller passed in"
ORDER = "The pair is (lower, upper)"


def cases(random: Random) -> list[Case]:
    """Make the fixed cases, and some at random."""
    gains = [0.0, 1.0, 0.5, -1.0]
    steps = [[0, position] for position in (1, 1, 0, 2, 3, 2, 1, 3)]
    found = [
        _case([0.5], [[0]], MEAN),
        _case([0.0, 1.0], [[0]], DRAWS),
        _case([0.0, 1.0], [[1, 1]], TWICE),
        _case(gains, [[1, 1, 1, 2]], TWICE),
        _case(gains, [[1, 1, 0]], f"{TWICE}; {MEAN}"),
        _case(gains, [[3, 3, 3, 3]], MEAN),
        _case([0.0, 1.0], [[1, 1], [1, 1, 1]], MEAN),
        _case(gains, [[0, 0], [1, 1]], ORDER),
        _case(gains, [[1, 1], [0, 0]], SORTED),
        _case(gains, [[1, 2], [3, 3], [0, 0]], SORTED),
        _case([-0.25, -0.75], [[0, 1], [1, 1], [0, 0]], SORTED),
        _case(gains, steps, SORTED),
        _case([0.0, 1.0], [[0]] * 99 + [[1]], EQUAL),
    ]
    for count in (10, 20, 21, 30, 39, 40, 41, 60, 61, 81, 100, 101, 200):
        # all means differ, so that a neighbour of a bound is noticed
        line = [number / 256 for number in range(count)]
        single = [[position] for position in range(count)]
        random.shuffle(single)
        found.append(_case(line, single, BOUNDS))
    for _ in range(8):
        size = random.randint(3, 12)
        differences = [random.randint(-4, 4) / 4 for _ in range(size)]
        draws = [
            random.choices(range(size), k=size)
            for _ in range(random.randint(45, 120))
        ]
        found.append(_case(differences, draws, BOUNDS))
    return found


def _case(differences: list[float], draws: list[list[int]], slip: str) -> Case:
    expected = _interval(differences, draws)

    def fits(result: Any) -> bool:
        return (
            isinstance(result, tuple)
            and len(result) == 2
            and all(
                isinstance(bound, float | int)
                and isclose(bound, right, abs_tol=1e-9)
                for bound, right in zip(result, expected, strict=True)
            )
        )

    return Case(
        (differences, draws),
        repr(expected),
        fits,
        slip,
        expected,
        call=_in_words(differences, draws),
    )


def _in_words(differences: list[float], draws: list[list[int]]) -> str:
    """Write a long call in words; "" for one that can be shown as code."""
    if len(draws) < 9:
        return ""
    return (
        f"bootstrap_interval(…) with {len(differences)} differences and"
        f" {len(draws)} draws"
    )


def _interval(
    differences: list[float], draws: list[list[int]]
) -> tuple[float, float]:
    exact = [Fraction(value) for value in differences]
    means = sorted(
        sum((exact[position] for position in draw), Fraction()) / len(draw)
        for draw in draws
    )
    last = len(means) - 1
    return (
        float(means[round(0.025 * last)]),
        float(means[round(0.975 * last)]),
    )

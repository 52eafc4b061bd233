"""The gaps of notebook 13: is one prompt better than the other?"""

from __future__ import annotations

import json
import reprlib

from memlab.course.gap import Case, Gap

VOTES = {
    "more than half of the answers have to be correct": "111 000 101 100 1 0 10101 10100",
    "the order of the answers makes no difference": "011 110 001 00111 111111111110000000000",
    "a tie counts as wrong": "10 01 1100 0110",
    "a case without answers counts as wrong": "",
}


def by_rule(rules, given):
    for rule, texts in rules.items():
        for text in texts.split(" "):
            yield Case(given(text), rule)


def votes(rng):
    yield from by_rule(VOTES, lambda text: ([one == "1" for one in text],))
    for _ in range(12):
        yield Case((rng.choices((True, False), k=rng.randint(3, 11)),))


majority = Gap(
    name="majority",
    place="memlab.evals.metrics.majority",
    cases=votes,
    hints=(
        "Count the correct answers, and compare their number with the number of wrong ones.",
        "With two answers, one of them correct, neither side has more than half.",
    ),
    why="Nothing is divided by the number of answers, so an empty list isn't a special case.",
    wrong=(
        (" > len(votes)", " >= len(votes)", "a tie counts as wrong"),
        ("2 * votes.count(True) > len(votes)", "all(votes)", "more than half"),
        ("2 * votes.count(True) > len(votes)", "any(votes)", "more than half"),
        (
            "2 * votes.count(True) > len(votes)",
            "votes[-1]",
            "the order of the",
        ),
        (" > len(votes)", " / len(votes) > 1", "without answers"),
    ),
)

FLIPS = {
    "without flips, the result is 1.0": "0:0",
    "the count is doubled, because the other prompt could be ahead": "0:5 0:2 0:20",
    "every number of heads from 0 to the smaller number counts": "1:5 1:9 5:15 9:21 70:80 600:700",
    "it makes no difference which of the two numbers is smaller": "5:0 6:0 5:1 30:15",
    "the result is never greater than 1": "0:1 1:0 1:1 3:3 9:10 10:10",
}


def flips(rng):
    yield from by_rule(FLIPS, lambda pair: tuple(map(int, pair.split(":"))))
    for _ in range(12):
        yield Case((rng.randint(0, 25), rng.randint(0, 25)))


def rounded(value):
    """Drop the digits that depend on the order in which numbers are added; all
    right results are between -1 and 1.
    """
    if isinstance(value, tuple):
        return tuple(map(rounded, value))
    if type(value) in (int, float) and abs(value) <= 1:
        return round(float(value), 9)
    return value


mcnemar = Gap(
    name="mcnemar",
    place="memlab.evals.metrics.mcnemar",
    cases=flips,
    watch=lambda mine, *given: rounded(mine(*given)),
    hints=(
        "Begin with five coins: in how many of the 32 ways does none of them show heads?",
        "`range(min(regressed, fixed) + 1)` gives the numbers of heads that count, from 0 up.",
    ),
    why="Doubling also counts ways with few tails. It can count the middle twice: hence the limit.",
    wrong=(
        ("min(p, 1.0)", "p if flips else 1.0", "never greater than 1"),
        ("2 * tail /", "tail /", "doubled"),
        ("range(min(regressed, fixed) + 1)", "[0]", "every number of heads"),
        ("min(regressed, fixed)", "regressed", "which of the two"),
        ("2**flips", "2.0**flips", "OverflowError"),
    ),
)


def bootstrap_interval(differences: list, draws: list) -> tuple[float, float]:
    """Return the bounds between which 95 % of the draws' means lie."""
    means = []
    for draw in draws:
        drawn = [differences[position] for position in draw]
        means.append(sum(drawn) / len(drawn))
    means.sort()
    last = len(means) - 1
    return means[round(0.025 * last)], means[round(0.975 * last)]


DRAWS = {
    "a draw's mean is that of the differences at its positions": "[[0]] [[0,1]]",
    "the pair is (lower, upper)": "[[0],[1]]",
    "a position that occurs twice counts twice": "[[1,1,0]] [[3,3,3],[1,1]]",
    "sort the means before you take the bounds": "[[1],[0]] [[2],[3],[0]]",
    "equal means count separately": "[" + "[0]," * 99 + "[1]]",
}


def intervals(rng):
    line = [0.0, 1.0, 0.5, -1.0]
    yield from by_rule(DRAWS, lambda draws: (line, json.loads(draws)))
    rule = "the indices are round(0.025 * (n - 1)) and round(0.975 * (n - 1))"
    for count in (10, 20, 21, 30, 39, 40, 41, 60, 61, 81, 100, 101, 200):
        # all means differ, so that a neighbour of a bound is noticed
        line = [number / 256 for number in range(count)]
        draws = [[place] for place in rng.sample(range(count), count)]
        yield Case((line, draws), rule)
    for _ in range(8):
        steps = [rng.randint(-4, 4) / 4 for _ in range(9)]
        yield Case((steps, [rng.choices(range(9), k=9) for _ in range(99)]))


INTERVAL = Gap(
    name="bootstrap_interval",
    answer=bootstrap_interval,
    cases=intervals,
    watch=lambda mine, *given: rounded(mine(*given)),
    call=lambda *given: f"bootstrap_interval{reprlib.repr(given)}",
    hints=(
        "For each draw, add up `differences[position]`, and divide the sum by the draw's length.",
        "Sort the list of all means. With 1,000 draws, the bounds are at indices 25 and 974.",
    ),
    why="We might have had any of these sets of cases; the interval contains 95 % of their means.",
    wrong=(
        ("in draw]", "in set(draw)]", "counts twice"),
        ("    means.sort()\n", "", "sort the means"),
        ("means.sort()", "means = sorted(set(means))", "count separately"),
        ("round(0.025 * last)", "int(0.025 * last)", "the indices are"),
        (
            "return means[",
            "means.reverse()\n    return means[",
            "(lower, upper)",
        ),
    ),
)

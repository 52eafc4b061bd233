"""The gaps of notebook 13: is one prompt better than the other?"""

from __future__ import annotations

from memlab.course.gap import Case, Gap


def votes(rng):
    rule = "more than half of the answers have to be correct"
    for text in ("111", "000", "101", "100", "1", "0", "11", "10101", "10100"):
        yield Case(([one == "1" for one in text],), rule)
    rule = "the order of the answers makes no difference"
    for text in ("011", "110", "001", "010", "00111", "11000"):
        yield Case(([one == "1" for one in text],), rule)
    rule = "a tie counts as wrong"
    for text in ("10", "01", "1100", "0110"):
        yield Case(([one == "1" for one in text],), rule)
    yield Case(([],), "a case without answers counts as wrong")
    yield Case(([True] * 21 + [False] * 20,), "one more than half is enough")
    for _ in range(12):
        yield Case(([rng.random() < 0.5 for _ in range(rng.randint(3, 11))],))


majority = Gap(
    name="majority",
    place="memlab.evals.metrics.majority",
    cases=votes,
    hints=(
        "Count the correct answers, and compare their number with the number"
        " of wrong ones.",
        "With two answers, one of them correct, neither side has more than"
        " half. What does the task say about a tie?",
    ),
    why="If twice the number of correct answers is more than the number of all"
    " answers, the correct ones are more than half. Comparing whole numbers"
    " needs no division, so an empty list is no special case.",
    wrong=(
        (" > len(votes)", " >= len(votes)", "a tie counts as wrong"),
        ("2 * votes.count(True) > len(votes)", "all(votes)", "more than half"),
        ("2 * votes.count(True) > len(votes)", "any(votes)", "more than half"),
        (
            "2 * votes.count(True) > len(votes)",
            "max(votes, key=votes.count)",
            "a tie counts as wrong",
        ),
        (
            "2 * votes.count(True) > len(votes)",
            "votes.count(True) / len(votes) > 0.5",
            "without answers",
        ),
        (
            "2 * votes.count(True) > len(votes)",
            "bool(votes) and votes[-1]",
            "the order of the answers",
        ),
    ),
)


def rounded(value):
    """Round what is between -1 and 1, as all right results are."""
    if isinstance(value, tuple):
        return tuple(map(rounded, value))
    if type(value) in (int, float) and abs(value) <= 1:
        return round(float(value), 9)
    return value


def watch_rounded(mine, *given):
    """Return the result, without the digits that depend on the order in which
    numbers are added.
    """
    return rounded(mine(*given))


def flips(rng):
    rule = "without flips, the result is 1.0"
    yield Case((0, 0), rule)
    rule = "the count is doubled, as the other prompt could be ahead"
    for given in ((0, 5), (0, 2), (0, 6), (0, 20)):
        yield Case(given, rule)
    rule = "it makes no difference which of the two numbers is smaller"
    for given in ((5, 0), (6, 0), (2, 0)):
        yield Case(given, rule)
    rule = "every number of heads from 0 to the smaller number counts"
    for given in ((1, 5), (1, 9), (5, 15), (9, 21), (70, 80), (600, 700)):
        yield Case(given, rule)
    rule = "it makes no difference which of the two numbers is smaller"
    for given in ((5, 1), (15, 5), (30, 15)):
        yield Case(given, rule)
    rule = "the result is never greater than 1"
    for given in ((0, 1), (1, 0), (1, 1), (3, 3), (9, 10), (10, 10)):
        yield Case(given, rule)
    for _ in range(12):
        yield Case((rng.randint(0, 25), rng.randint(0, 25)))


mcnemar = Gap(
    name="mcnemar",
    place="memlab.evals.metrics.mcnemar",
    cases=flips,
    watch=watch_rounded,
    hints=(
        "Take five coins. In how many of the 32 ways does none of them show"
        " heads? That is the count for `mcnemar(0, 5)`, before it is doubled.",
        "`range(min(regressed, fixed) + 1)` gives the numbers of heads that"
        " count, from 0 on.",
    ),
    why="The ways with few heads and the ways with few tails are equally many,"
    " so doubling counts both sides. If the flips are split evenly, doubling"
    " counts the middle twice, and the result would be greater than 1. The"
    " same happens without flips: the only way is counted twice, which would"
    " give 2.",
    wrong=(
        ("min(p, 1.0)", "p", "without flips"),
        (
            "min(p, 1.0)",
            "p if flips else 1.0",
            "never greater than 1",
        ),
        ("2 * tail /", "tail /", "doubled"),
        ("min(regressed, fixed) + 1", "min(regressed, fixed)", "without"),
        ("range(min(regressed, fixed) + 1)", "[0]", "every number of heads"),
        (
            "range(min(",
            "(min(regressed, fixed),) or range(min(",
            "every number",
        ),
        ("min(regressed, fixed)", "regressed", "which of the two"),
        ("2 * tail / 2**flips", "2 * tail // 2**flips", "doubled"),
        ("2**flips", "2.0**flips", "OverflowError"),
        (
            "flips = regressed + fixed\n",
            "flips = regressed + fixed\n    if flips == 0:\n"
            "        return 0.0\n",
            "without flips",
        ),
    ),
)


def bootstrap_interval(
    differences: list[float], draws: list[list[int]]
) -> tuple[float, float]:
    """Return the bounds between which 95 % of the draws' means lie."""
    means = []
    for draw in draws:
        total = 0.0
        for position in draw:
            total += differences[position]
        means.append(total / len(draw))
    means.sort()
    last = len(means) - 1
    return means[round(0.025 * last)], means[round(0.975 * last)]


def interval_call(differences, draws):
    if len(draws) < 9:
        return f"bootstrap_interval({differences}, {draws})"
    return (
        f"bootstrap_interval(…) with {len(differences)} differences and"
        f" {len(draws)} draws"
    )


def intervals(rng):
    gains = [0.0, 1.0, 0.5, -1.0]
    rule = "the mean of a draw is that of the differences at its positions"
    yield Case(([0.5], [[0]]), rule)
    yield Case((gains, [[0, 1]]), rule)
    rule = "a position that occurs twice counts twice"
    for draws in ([[1, 1, 1, 2]], [[1, 1, 0]], [[3, 3, 3, 3]]):
        yield Case((gains, draws), rule)
    yield Case(([0.0, 1.0], [[1, 1], [1, 1, 1]]), rule)
    yield Case((gains, [[0, 0], [1, 1]]), "the pair is (lower, upper)")
    rule = "sort the means before you take the bounds"
    for draws in ([[1, 1], [0, 0]], [[1, 2], [3, 3], [0, 0]]):
        yield Case((gains, draws), rule)
    yield Case(([-0.25, -0.75], [[0, 1], [1, 1], [0, 0]]), rule)
    rule = "means that are equal count separately"
    yield Case(([0.0, 1.0], [[0]] * 99 + [[1]]), rule)
    rule = "the indices are round(0.025 * (n - 1)) and round(0.975 * (n - 1))"
    for count in (10, 20, 21, 30, 39, 40, 41, 60, 61, 81, 100, 101, 200):
        # all means differ, so that a neighbour of a bound is noticed
        line = [number / 256 for number in range(count)]
        single = [[position] for position in range(count)]
        rng.shuffle(single)
        yield Case((line, single), rule)
    for _ in range(8):
        size = rng.randint(3, 12)
        steps = [rng.randint(-4, 4) / 4 for _ in range(size)]
        count = rng.randint(45, 120)
        draws = [rng.choices(range(size), k=size) for _ in range(count)]
        yield Case((steps, draws))


INTERVAL = Gap(
    name="bootstrap_interval",
    answer=bootstrap_interval,
    cases=intervals,
    watch=watch_rounded,
    call=interval_call,
    hints=(
        "Begin with a single draw: look up `differences[position]` for each of"
        " its positions, and divide the sum by the number of positions.",
        "Collect the means of all draws in a list, and sort it. With 1,000"
        " draws, the bounds are at the indices 25 and 974.",
        "Divide by the length of the draw, not by the number of different"
        " positions: a case that was drawn twice counts twice.",
    ),
    why="Each draw is a set of cases that we might just as well have had. The"
    " means show how much the result depends on which cases happened to be in"
    " the set. Leaving out 2.5 % at either end leaves the 95 % in the middle.",
    wrong=(
        ("in draw:", "in set(draw):", "counts twice"),
        ("len(draw))", "len(set(draw)))", "counts twice"),
        ("len(draw))", "len(differences))", "mean of a draw"),
        ("    means.sort()\n", "", "sort the means"),
        ("means.sort()", "means = sorted(set(means))", "count separately"),
        ("round(0.025 * last)", "int(0.025 * last)", "the indices are"),
        ("0.975 * last", "0.975 * len(means)", "list index out of range"),
        ("means[round(0.025 * last)], means", "means[0], means", "indices"),
        (
            "means[round(0.025 * last)], means[round(0.975 * last)]",
            "means[round(0.975 * last)], means[round(0.025 * last)]",
            "(lower, upper)",
        ),
        ("total += differences[position]", "total += position", "differences"),
    ),
)

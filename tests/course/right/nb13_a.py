"""Right answers to the gaps of notebook 13, each of which stands alone."""

from math import comb


def majority(votes: list[bool]) -> bool:
    correct = votes.count(True)
    return 2 * correct > len(votes)


def mcnemar(regressed: int, fixed: int) -> float:
    flips = regressed + fixed
    ways = 0
    for heads in range(min(regressed, fixed) + 1):
        ways += comb(flips, heads)
    return min(1.0, 2 * ways / 2**flips)


def bootstrap_interval(differences: list[float], draws: list[list[int]]) -> tuple[float, float]:
    means = []
    for draw in draws:
        total = 0.0
        for position in draw:
            total += differences[position]
        means.append(total / len(draw))
    means.sort()
    last = len(means) - 1
    return means[round(0.025 * last)], means[round(0.975 * last)]

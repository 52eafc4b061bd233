"""Right answers to the gaps of notebook 13, written from its text alone."""

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
    means = sorted(sum(map(differences.__getitem__, draw)) / len(draw) for draw in draws)
    top = len(means) - 1
    return means[round(0.025 * top)], means[round(0.975 * top)]

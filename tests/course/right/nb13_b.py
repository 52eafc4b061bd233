from math import comb


def majority(votes: list[bool]) -> bool:
    balance = 0
    for vote in votes:
        balance += 1 if vote else -1
    return balance > 0


def mcnemar(regressed: int, fixed: int) -> float:
    n = regressed + fixed
    if n == 0:
        return 1.0
    ways = 0
    for heads in range(min(regressed, fixed) + 1):
        ways += comb(n, heads)
    total = 2**n
    return 1.0 if 2 * ways >= total else 2 * ways / total


def bootstrap_interval(differences: list[float], draws: list[list[int]]) -> tuple[float, float]:
    means = sorted(sum(map(differences.__getitem__, draw)) / len(draw) for draw in draws)
    top = len(means) - 1
    return means[round(0.025 * top)], means[round(0.975 * top)]

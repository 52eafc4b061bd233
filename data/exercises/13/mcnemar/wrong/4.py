# message: you returned 0.0312
from math import comb


def mcnemar(regressed: int, fixed: int) -> float:
    n = regressed + fixed
    smaller = min(regressed, fixed)
    ways = sum(comb(n, k) for k in range(smaller + 1))
    return min(1.0, round(2 * ways / 2**n, 4))

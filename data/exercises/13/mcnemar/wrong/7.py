# message: you returned 2.0
from math import comb


def mcnemar(regressed: int, fixed: int) -> float:
    n = regressed + fixed
    smaller = min(regressed, fixed)
    if smaller == 0:
        return 2 / 2**n
    ways = sum(comb(n, k) for k in range(smaller + 1))
    return min(1.0, 2 * ways / 2**n)

# message: mcnemar(0, 0)
from math import comb


def mcnemar(regressed: int, fixed: int) -> float:
    n = regressed + fixed
    if n == 0:
        return 0.0
    ways = sum(comb(n, k) for k in range(min(regressed, fixed) + 1))
    return min(1.0, 2 * ways / 2**n)

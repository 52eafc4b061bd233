# message: OverflowError
from math import comb


def mcnemar(regressed: int, fixed: int) -> float:
    n = regressed + fixed
    if n == 0:
        return 1.0
    p = sum(comb(n, k) * 0.5**n for k in range(min(regressed, fixed) + 1))
    return min(1.0, 2 * p)

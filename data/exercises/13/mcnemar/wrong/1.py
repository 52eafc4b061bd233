# message: you returned 0.1875
from math import comb


def mcnemar(regressed: int, fixed: int) -> float:
    n = regressed + fixed
    if regressed == fixed:
        return 1.0
    return min(1.0, 2 * comb(n, min(regressed, fixed)) / 2**n)

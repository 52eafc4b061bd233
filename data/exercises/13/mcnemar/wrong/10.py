# message: you returned 0.203125
from math import comb


def mcnemar(regressed: int, fixed: int) -> float:
    n = regressed + fixed
    smaller = min(regressed, fixed)
    below = sum(comb(n, k) for k in range(smaller))
    return 1.0 if regressed == fixed else (below + 2 * comb(n, smaller)) / 2**n

# message: you returned 0.375
from math import comb


def mcnemar(regressed: int, fixed: int) -> float:
    smaller, n = sorted((regressed, fixed))
    if n == 0:
        return 1.0
    count = 0
    for k in range(smaller + 1):
        count += comb(n, k)
    return min(1.0, 2 * count / 2**n)

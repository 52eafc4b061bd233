# message: mcnemar(9, 21)
from math import comb, erfc, sqrt


def mcnemar(regressed: int, fixed: int) -> float:
    n = regressed + fixed
    if n == 0:
        return 1.0
    if n >= 25:
        # with many flips, the approximation with continuity correction will do
        statistic = (abs(regressed - fixed) - 1) ** 2 / n
        return min(1.0, erfc(sqrt(statistic / 2)))
    count = sum(comb(n, k) for k in range(min(regressed, fixed) + 1))
    return min(1.0, 2 * count / 2**n)

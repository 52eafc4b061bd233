# message: you returned 0.109375
from math import comb


def mcnemar(regressed: int, fixed: int) -> float:
    n = regressed + fixed
    if regressed == fixed:
        return 1.0
    count = sum(comb(n, k) for k in range(min(regressed, fixed) + 1))
    if regressed == 0 or fixed == 0:
        # all on one side: could just as well have been the other one
        count *= 2
    return count / 2**n

from math import comb


def mcnemar(regressed: int, fixed: int) -> float:
    flips = regressed + fixed
    ways = 0
    for heads in range(min(regressed, fixed) + 1):
        ways += comb(flips, heads)
    return min(1.0, 2 * ways / 2**flips)

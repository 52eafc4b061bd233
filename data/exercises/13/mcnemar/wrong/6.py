# message: you returned 0.125
def mcnemar(regressed: int, fixed: int) -> float:
    n = abs(regressed - fixed)
    if n == 0:
        return 1.0
    # only the flips that are left over count: all of them on the same side
    return min(1.0, 2 / 2**n)

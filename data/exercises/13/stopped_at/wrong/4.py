# message: you returned 0
from memlab.course import my


def stopped_at(outcomes: list[tuple[bool, bool]], every: int) -> int:
    regressed = fixed = 0
    for i, (first, second) in enumerate(outcomes):
        if first and not second:
            regressed += 1
        if second and not first:
            fixed += 1
        if i >= 20 and (i - 20) % every == 0:
            if my.verdict(regressed, fixed, i) != "no difference shown":
                return i
    return 0

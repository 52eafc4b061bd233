# message: you returned 0
from memlab.course import my


def stopped_at(outcomes: list[tuple[bool, bool]], every: int) -> int:
    regressed = fixed = 0
    for cases, (first, second) in enumerate(outcomes, start=1):
        if first and not second:
            regressed += 1
        elif second and not first:
            fixed += 1
        if cases >= 20 and cases % every == 0:
            if my.verdict(regressed, fixed, cases) != "no difference shown":
                return cases
    return 0

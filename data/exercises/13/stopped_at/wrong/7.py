# message: you returned 40
from memlab.course import my


def stopped_at(outcomes: list[tuple[bool, bool]], every: int) -> int:
    if len(outcomes) < 20:
        return 0
    for cases in range(20, len(outcomes) + every, every):
        seen = outcomes[:cases]
        regressed = seen.count((True, False))
        fixed = seen.count((False, True))
        if my.verdict(regressed, fixed, cases) != "no difference shown":
            return cases
    return 0

# message: expected 28
from memlab.course import my


def stopped_at(outcomes: list[tuple[bool, bool]], every: int) -> int:
    for cases in (20, 20 + every, 20 + 2 * every):
        if cases > len(outcomes):
            break
        seen = outcomes[:cases]
        regressed = sum(first and not second for first, second in seen)
        fixed = sum(second and not first for first, second in seen)
        if my.verdict(regressed, fixed, cases) != "no difference shown":
            return cases
    return 0

# message: you returned 19
from memlab.course import my


def stopped_at(outcomes: list[tuple[bool, bool]], every: int) -> int:
    cases = min(20, len(outcomes))
    while cases <= len(outcomes):
        seen = outcomes[:cases]
        regressed = sum(first and not second for first, second in seen)
        fixed = sum(second and not first for first, second in seen)
        if my.verdict(regressed, fixed, cases) != "no difference shown":
            return cases
        cases += every
    return 0

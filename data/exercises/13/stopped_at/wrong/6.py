# message: 40 × (False, False)
from memlab.course import my


def stopped_at(outcomes: list[tuple[bool, bool]], every: int) -> int:
    cases = 20
    while cases <= len(outcomes):
        regressed = fixed = 0
        for first, second in outcomes[:cases]:
            if not second:
                regressed += 1
            elif not first:
                fixed += 1
        if my.verdict(regressed, fixed, cases) in ("better", "worse"):
            return cases
        cases += every
    return 0

# message: expected 30
from memlab.course import my


def stopped_at(outcomes: list[tuple[bool, bool]], every: int) -> int:
    if len(outcomes) < 20:
        return 0
    start, cases = 0, 20
    while cases <= len(outcomes):
        seen = outcomes[start:cases]
        regressed = sum(first and not second for first, second in seen)
        fixed = sum(second and not first for first, second in seen)
        if my.verdict(regressed, fixed, cases) != "no difference shown":
            return cases
        start = 20
        cases += every
    return 0

# message: expected 41
from memlab.course import my


def stopped_at(outcomes: list[tuple[bool, bool]], every: int) -> int:
    for cases in range(20, len(outcomes) + 1, every):
        seen = outcomes[:cases]
        fixed = sum(1 for first, _ in seen if not first)
        regressed = sum(1 for _, second in seen if not second)
        if my.verdict(regressed, fixed, cases) != "no difference shown":
            return cases
    return 0

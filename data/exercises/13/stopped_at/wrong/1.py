# message: you returned 35
from memlab.course import my


def stopped_at(outcomes: list[tuple[bool, bool]], every: int) -> int:
    looks = list(range(20, len(outcomes) + 1, every))
    if len(outcomes) >= 20 and looks[-1] != len(outcomes):
        looks.append(len(outcomes))
    for cases in looks:
        seen = outcomes[:cases]
        regressed = sum(first and not second for first, second in seen)
        fixed = sum(second and not first for first, second in seen)
        if my.verdict(regressed, fixed, cases) != "no difference shown":
            return cases
    return 0

# message: expected ''
from memlab.course import my


def verdict(regressed: int, fixed: int, cases: int) -> str:
    if my.mcnemar(regressed, fixed) > 0.05:
        return "no difference shown"
    if cases < 20:
        return ""
    return "better" if fixed > regressed else "worse"

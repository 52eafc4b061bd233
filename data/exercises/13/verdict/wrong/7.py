# message: verdict(0, 0, 0)
from memlab.course import my


def verdict(regressed: int, fixed: int, cases: int) -> str:
    if cases and cases < 20:
        return ""
    if my.mcnemar(regressed, fixed) > 0.05:
        return "no difference shown"
    return "better" if fixed > regressed else "worse"

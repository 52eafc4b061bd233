# message: verdict(0, 5, 150)
from memlab.course import my


def verdict(regressed: int, fixed: int, cases: int) -> str:
    if cases < 20:
        return ""
    if fixed and not regressed:
        return "better"
    if regressed and not fixed:
        return "worse"
    if my.mcnemar(regressed, fixed) > 0.05:
        return "no difference shown"
    return "better" if fixed > regressed else "worse"

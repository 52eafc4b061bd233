# message: verdict(15, 30, 150)
from memlab.course import my


def verdict(regressed: int, fixed: int, cases: int) -> str:
    if cases < 20:
        return ""
    if my.mcnemar(regressed, fixed) > 0.05:
        return "no difference shown"
    if fixed > 2 * regressed:
        return "better"
    return "worse"

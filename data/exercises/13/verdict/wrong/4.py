# message: verdict(0, 0, 150)
from memlab.course import my


def verdict(regressed: int, fixed: int, cases: int) -> str:
    if cases < 20 or regressed + fixed == 0:
        return ""
    if my.mcnemar(regressed, fixed) > 0.05:
        return "no difference shown"
    if fixed > regressed:
        return "better"
    return "worse"

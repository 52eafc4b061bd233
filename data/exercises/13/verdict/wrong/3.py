# message: verdict(6, 16, 150)
from memlab.course import my


def verdict(regressed: int, fixed: int, cases: int) -> str:
    if cases < 20:
        return ""
    p = round(my.mcnemar(regressed, fixed), 2)
    if p > 0.05:
        return "no difference shown"
    return "better" if fixed > regressed else "worse"

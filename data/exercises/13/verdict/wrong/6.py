# message: verdict(0, 6, 150)
from memlab.course import my


def verdict(regressed: int, fixed: int, cases: int) -> str:
    if cases < 20:
        return ""
    gain = (fixed - regressed) / cases
    if my.mcnemar(regressed, fixed) > 0.05 or abs(gain) < 0.05:
        return "no difference shown"
    return "better" if gain > 0 else "worse"

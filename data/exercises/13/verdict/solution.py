from memlab.course import my


def verdict(regressed: int, fixed: int, cases: int) -> str:
    if cases < 20:
        return ""
    if my.mcnemar(regressed, fixed) > 0.05:
        return "no difference shown"
    if fixed > regressed:
        return "better"
    return "worse"

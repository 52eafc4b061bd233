# message: verdict(0, 5, 150)
def verdict(regressed: int, fixed: int, cases: int) -> str:
    if cases < 20:
        return ""
    flips = regressed + fixed
    if flips == 0 or (fixed - regressed) ** 2 / flips <= 3.84:
        return "no difference shown"
    return "better" if fixed > regressed else "worse"

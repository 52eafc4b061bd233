from memlab.course import my


def stopped_at(outcomes: list[tuple[bool, bool]], every: int) -> int:
    for count in range(20, len(outcomes) + 1, every):
        seen = outcomes[:count]
        regressed = seen.count((True, False))
        fixed = seen.count((False, True))
        if my.verdict(regressed, fixed, count) != "no difference shown":
            return count
    return 0

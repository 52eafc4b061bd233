# message: the order stays
def drop_shown(names: list[str], shown: list[str]) -> list[str]:
    return sorted(set(names) - set(shown))

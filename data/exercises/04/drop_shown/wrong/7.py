# message: names in shown are dropped
def drop_shown(names: list[str], shown: list[str]) -> list[str]:
    result = []
    for name in names:
        if name in shown:
            break
        if name not in result:
            result.append(name)
    return result

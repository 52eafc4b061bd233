# message: first place
def drop_shown(names: list[str], shown: list[str]) -> list[str]:
    result = []
    for name in names:
        if name in result:
            result.remove(name)
        if name not in shown:
            result.append(name)
    return result

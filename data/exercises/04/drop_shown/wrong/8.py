# message: returned once
def drop_shown(names: list[str], shown: list[str]) -> list[str]:
    if not shown:
        return list(names)
    result = []
    for name in names:
        if name not in shown and name not in result:
            result.append(name)
    return result

# message: every character
def drop_shown(names: list[str], shown: list[str]) -> list[str]:
    seen = {name.lower() for name in shown}
    result = []
    for name in names:
        if name.lower() not in seen:
            seen.add(name.lower())
            result.append(name)
    return result

def drop_shown(names: list[str], shown: list[str]) -> list[str]:
    fresh = []
    for name in names:
        if name not in shown and name not in fresh:
            fresh.append(name)
    return fresh

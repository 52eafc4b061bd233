def drop_shown(names: list[str], shown: list[str]) -> list[str]:
    kept: list[str] = []
    for name in names:
        if name not in shown and name not in kept:
            kept.append(name)
    return kept

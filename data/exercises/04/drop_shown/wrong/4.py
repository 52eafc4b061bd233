# message: names in shown are dropped
def drop_shown(names: list[str], shown: list[str]) -> list[str]:
    rest = list(dict.fromkeys(names))
    for name in rest:
        if name in shown:
            rest.remove(name)
    return rest

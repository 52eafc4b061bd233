# message: names in shown are dropped
def drop_shown(names: list[str], shown: list[str]) -> list[str]:
    seen = " ".join(shown)
    return [name for name in dict.fromkeys(names) if name not in seen]

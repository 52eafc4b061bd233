def is_stale(text: str, hours: float, alive) -> bool:
    first, *others = text.splitlines() or [""]
    if "done" in others:
        return True
    if hours >= 1:
        return True
    if first.isascii() and first.isdigit() and int(first) > 0:
        return not alive(int(first))
    return False

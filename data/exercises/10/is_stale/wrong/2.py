# message: Rule 2
def is_stale(text, hours, alive):
    first, *others = text.splitlines() or [""]
    if "done" in others or hours > 1:
        return True
    if first.isascii() and first.isdigit() and int(first) > 0:
        return not alive(int(first))
    return False

# message: Rule 4
def is_stale(text, hours, alive):
    first, *rest = text.split("\n")
    if "done" in rest or hours >= 1:
        return True
    try:
        pid = int(first)
    except ValueError:
        return False
    if pid <= 0:
        return False
    return not alive(pid)

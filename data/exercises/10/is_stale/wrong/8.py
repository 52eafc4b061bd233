# message: you raised
def is_stale(text, hours, alive):
    first, *rest = text.split("\n")
    if "done" in rest:
        return True
    if hours >= 1:
        return True
    if first.isdigit() and int(first) > 0:
        return not alive(int(first))
    return False

# message: Rule 2
def is_stale(text, hours, alive):
    first, *rest = text.split("\n")
    if "done" in rest:
        return True
    if first.isascii() and first.isdigit() and int(first) > 0:
        return not alive(int(first))
    return hours >= 1

# message: Rule 1
def is_stale(text, hours, alive):
    first, _, rest = text.partition("\n")
    if "done" in rest:
        return True
    if hours >= 1:
        return True
    if first.isascii() and first.isdigit() and int(first) > 0:
        return not alive(int(first))
    return False

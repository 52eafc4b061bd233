# message: Rule 1
def is_stale(text, hours, alive):
    lines = text.rstrip("\n").split("\n")
    if len(lines) > 1 and lines[-1] == "done":
        return True
    if hours >= 1:
        return True
    first = lines[0]
    if first.isascii() and first.isdigit() and int(first) > 0:
        return not alive(int(first))
    return False

# message: Rule 1
def is_stale(text, hours, alive):
    lines = [line.strip() for line in text.split("\n")]
    if "done" in lines[1:]:
        return True
    if hours >= 1:
        return True
    first = text.split("\n")[0]
    if first.isascii() and first.isdigit() and int(first) > 0:
        return not alive(int(first))
    return False

# message: Rule 4
def is_stale(text, hours, alive):
    lines = text.split("\n")
    if "done" in lines:
        return True
    if hours >= 1:
        return True
    if lines[0].isascii() and lines[0].isdigit() and int(lines[0]) > 0:
        return not alive(int(lines[0]))
    return False

# message: Rule 1
def is_stale(text, hours, alive):
    if "done" in text or hours >= 1:
        return True
    first = text.split("\n")[0]
    if first.isdigit() and int(first) > 0 and first.isascii():
        return not alive(int(first))
    return False

# message: this is no process id
import re


def is_stale(text, hours, alive):
    first, *rest = text.split("\n")
    if "done" in rest:
        return True
    if hours >= 1:
        return True
    if re.fullmatch("[0-9]+", first):
        return not alive(int(first))
    return False

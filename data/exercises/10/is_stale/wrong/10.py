# message: Rule 4
import re


def is_stale(text, hours, alive):
    lines = text.split("\n")
    if "done" in lines[1:]:
        return True
    if hours >= 1:
        return True
    match = re.match("[1-9][0-9]*", lines[0])
    if match:
        return not alive(int(match.group()))
    return False

# message: you returned 'shown'
from memlab.course import my


def lost_pointer(index: str, file: str, max_lines: int, max_bytes: int) -> str:
    link = f"]({file})"
    if link in my.truncate_index(index, max_lines, max_bytes):
        return "shown"
    return "cut" if link in index else "missing"

# message: you returned 'missing'
import re

from memlab.course import my


def lost_pointer(index: str, file: str, max_lines: int, max_bytes: int) -> str:
    def files(text):
        return re.findall(r"^- \[.*?\]\((.*)\)", text, re.M)

    if file in files(my.truncate_index(index, max_lines, max_bytes)):
        return "shown"
    return "cut" if file in files(index) else "missing"

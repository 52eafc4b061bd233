# message: you returned 'shown'
from memlab.course import my


def lost_pointer(index: str, file: str, max_lines: int, max_bytes: int) -> str:
    def files(text):
        return [
            line.split("](", 1)[1].split(")", 1)[0]
            for line in text.splitlines()
            if line.startswith("- [") and "](" in line
        ]

    if file in files(my.truncate_index(index, max_lines, max_bytes)):
        return "shown"
    if file in files(index):
        return "cut"
    return "missing"

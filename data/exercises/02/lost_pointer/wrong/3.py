# message: you returned 'shown'
from memlab.course import my


def lost_pointer(index: str, file: str, max_lines: int, max_bytes: int) -> str:
    shown = my.truncate_index(index, max_lines, max_bytes)
    for line in index.split("\n"):
        if line.startswith("- [") and "](" in line:
            target = line.split("](", 1)[1].split(")", 1)[0]
            if target == file:
                return "shown" if line in shown else "cut"
    return "missing"

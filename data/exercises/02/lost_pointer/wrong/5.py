# message: you returned 'shown'
from memlab.course import my


def lost_pointer(index: str, file: str, max_lines: int, max_bytes: int) -> str:
    kept = my.truncate_index(index, max_lines, max_bytes).split("\n")
    found = "missing"
    for number, line in enumerate(index.split("\n")[:-1]):
        if (
            line.startswith("- [")
            and "](" in line
            and file in line.split("](", 1)[1]
        ):
            if number < len(kept) and kept[number] == line:
                return "shown"
            found = "cut"
    return found

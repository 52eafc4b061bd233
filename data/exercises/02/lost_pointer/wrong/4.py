# message: you returned 'shown'
from memlab.course import my


def lost_pointer(index: str, file: str, max_lines: int, max_bytes: int) -> str:
    def points(line):
        return (
            line.startswith("- [")
            and "](" in line
            and line.split("](", 1)[1].split(")", 1)[0].endswith(file)
        )

    shown = my.truncate_index(index, max_lines, max_bytes)
    if any(map(points, shown.split("\n"))):
        return "shown"
    return "cut" if any(map(points, index.split("\n"))) else "missing"

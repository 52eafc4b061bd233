# message: you returned 'missing'
from memlab.course import my


def lost_pointer(index: str, file: str, max_lines: int, max_bytes: int) -> str:
    def files(text):
        return {
            line[line.find("](") + 2 : line.find(")")]
            for line in text.split("\n")
            if line.startswith("- [") and "](" in line
        }

    if file not in files(index):
        return "missing"
    shown = my.truncate_index(index, max_lines, max_bytes)
    return "shown" if file in files(shown) else "cut"

from memlab.course import my


def lost_pointer(index: str, file: str, max_lines: int, max_bytes: int) -> str:
    shown = my.truncate_index(index, max_lines, max_bytes)
    for answer, text in (("shown", shown), ("cut", index)):
        for line in text.split("\n"):
            if not line.startswith("- [") or "](" not in line:
                continue
            target = line.split("](")[1].split(")")[0]
            if target == file:
                return answer
    return "missing"

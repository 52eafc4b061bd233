# message: The piece has to occur further up, exactly as it is in the line
def wrong_place(text: str, line: int) -> str:
    lines = text.split("\n")
    target = lines[line - 1]
    before = "".join(lines[: line - 1])
    for size in range(len(target), 7, -1):
        for start in range(len(target) - size + 1):
            part = target[start : start + size]
            if part in before:
                return part
    return ""

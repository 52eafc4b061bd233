# message: The line does have a piece of 8 characters that is further up
def wrong_place(text: str, line: int) -> str:
    lines = text.split("\n")
    target = lines[line - 1].strip()
    before = "\n".join(lines[: line - 1])
    for size in range(len(target), 7, -1):
        for start in range(len(target) - size + 1):
            part = target[start : start + size]
            if part in before:
                return part
    return ""

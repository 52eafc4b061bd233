# message: The line does have a piece of 8 characters that is further up
def wrong_place(text: str, line: int) -> str:
    lines = text.split("\n")
    target = lines[line - 1]
    before = "\n".join(lines[: line - 1])
    for size in range(len(target), 8, -1):
        for start in range(len(target) - size + 1):
            if target[start : start + size] in before:
                return target[start : start + size]
    return ""

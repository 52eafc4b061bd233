# message: If no piece of 8 characters is further up, return an empty string
def wrong_place(text: str, line: int) -> str:
    lines = text.split("\n")
    target = lines[line - 1]
    before = "\n".join(lines[: line - 1])
    if target in before:
        return target
    for size in range(len(target) - 1, 7, -1):
        for start in range(len(target) - size + 1):
            part = target[start : start + size]
            if part in before:
                return part
    return ""

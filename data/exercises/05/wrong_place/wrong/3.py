# message: The line does have a piece of 8 characters that is further up
def wrong_place(text: str, line: int) -> str:
    lines = text.split("\n")
    if line < 2:
        return ""
    target, above = lines[line - 1], lines[line - 2]
    for start in range(len(target)):
        for end in range(len(target), start + 7, -1):
            if target[start:end] in above:
                return target[start:end]
    return ""

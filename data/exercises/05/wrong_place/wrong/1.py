# message: The line does have a piece of 8 characters that is further up
def wrong_place(text: str, line: int) -> str:
    lines = text.split("\n")
    for earlier in lines[: line - 1]:
        if len(earlier) >= 8 and earlier in lines[line - 1]:
            return earlier
    return ""

# message: The line does have a piece of 8 characters that is further up
def wrong_place(text: str, line: int) -> str:
    lines = text.split("\n")
    part = lines[line - 1].partition("_")[2]
    return part if part in lines[0] else ""

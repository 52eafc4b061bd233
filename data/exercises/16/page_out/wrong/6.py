# message: A line that never fits moves to the archive
def page_out(
    block: list[str], line: str, limit: int
) -> tuple[list[str], list[str]]:
    if len(line) + 1 > limit:
        raise ValueError("the line does not fit into the block")
    start = 0
    lines = [*block, line]
    while sum(len(old) + 1 for old in lines[start:]) > limit:
        start += 1
    return lines[start:], lines[:start]

# message: A line that never fits moves to the archive
def page_out(
    block: list[str], line: str, limit: int
) -> tuple[list[str], list[str]]:
    if len(line) > limit:
        return list(block), [line]
    kept = list(block)
    moved = []
    used = sum(len(old) + 1 for old in block) + len(line) + 1
    while used > limit:
        used -= len(kept[0]) + 1
        moved.append(kept.pop(0))
    return [*kept, line], moved

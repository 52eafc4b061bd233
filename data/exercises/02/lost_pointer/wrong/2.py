# message: you returned 'shown'
def lost_pointer(index: str, file: str, max_lines: int, max_bytes: int) -> str:
    numbers = [
        number
        for number, line in enumerate(index.split("\n"), 1)
        if line.startswith("- [")
        and "](" in line
        and line.split("](", 1)[1].split(")", 1)[0] == file
    ]
    if not numbers:
        return "missing"
    return "shown" if numbers[0] <= max_lines else "cut"

# message: you returned 'shown'
def lost_pointer(index: str, file: str, max_lines: int, max_bytes: int) -> str:
    found, used = "missing", 0
    for number, line in enumerate(index.split("\n")[:-1], 1):
        used += len(line) + 1
        if not line.startswith("- [") or "](" not in line:
            continue
        if line.split("](", 1)[1].split(")", 1)[0] == file:
            if number <= max_lines and used <= max_bytes:
                return "shown"
            found = "cut"
    return found

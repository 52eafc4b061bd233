# message: 'b' is left over at the end.
def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + [
        line for line in lines[-1:] if line
    ]
    lines = lines[:max_lines]
    while len(lines) > 1 and len("".join(lines).encode()) > max_bytes:
        lines.pop()
    result = "".join(lines)
    if len(result.encode()) <= max_bytes:
        return result
    kept, left = "", max_bytes
    for character in result.rstrip("\n"):
        size = len(character.encode())
        if size <= left:
            kept += character
            left -= size
    return kept

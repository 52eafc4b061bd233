# message: 'bbb' is left over at the end.
def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + [
        line for line in lines[-1:] if line
    ]
    lines = lines[:max_lines]
    if len("".join(lines).encode()) <= max_bytes:
        return "".join(lines)
    lines = lines[:-1] or lines
    return "".join(lines).encode()[:max_bytes].decode(errors="ignore")

# message: 'c\n' is left over at the end.
def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + [
        line for line in lines[-1:] if line
    ]
    lines = lines[:max_lines]
    kept, used = [], 0
    for line in lines:
        size = len(line.encode("utf-8"))
        if used + size <= max_bytes:
            kept.append(line)
            used += size
    if lines and not kept:
        return lines[0].encode()[:max_bytes].decode("utf-8", "ignore")
    return "".join(kept)

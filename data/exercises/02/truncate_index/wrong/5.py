# message: 'bbb\n' is left over at the end.
def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + [
        line for line in lines[-1:] if line
    ]
    lines = lines[:max_lines]
    for n in range(len(lines), 0, -1):
        part = "".join(lines[:n])
        if len(part.removesuffix("\n").encode()) <= max_bytes:
            return part
    return (
        lines[0].encode()[:max_bytes].decode(errors="ignore") if lines else ""
    )

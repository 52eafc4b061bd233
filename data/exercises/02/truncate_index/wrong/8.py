# message: 'abc' is left over at the end.
def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + [
        line for line in lines[-1:] if line
    ]
    text = "".join(lines[:max_lines])
    data = text.encode()
    if len(data) <= max_bytes:
        return text
    cut = data[:max_bytes]
    end = cut.rfind(b"\n")
    if end > 0:
        return cut[: end + 1].decode()
    return cut.decode(errors="ignore")

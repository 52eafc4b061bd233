# message: The end is missing: 'c\x0cd\n'.
def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    lines = text.splitlines(keepends=True)[:max_lines]
    if len("".join(lines).encode()) <= max_bytes:
        return "".join(lines)
    result = b""
    for line in lines:
        data = line.encode()
        if len(result) + len(data) > max_bytes:
            break
        result += data
    if not result:
        result = lines[0].encode()[:max_bytes]
    return result.decode(errors="ignore")

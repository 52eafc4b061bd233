# message: 'öö\n' is left over at the end.
def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + [
        line for line in lines[-1:] if line
    ]
    lines = lines[:max_lines]
    if lines and len(lines[0].encode()) > max_bytes:
        return lines[0].encode()[:max_bytes].decode(errors="ignore")
    result = ""
    for line in lines:
        if len(result) + len(line) > max_bytes:
            break
        result += line
    return result

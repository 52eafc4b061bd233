# message: Only white space differs.
def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    lines = (
        [line for line in text.removesuffix("\n").split("\n")][:max_lines]
        if text
        else []
    )
    result = ""
    for line in lines:
        if len((result + line + "\n").encode()) > max_bytes:
            break
        result += line + "\n"
    if lines and not result:
        return lines[0].encode()[:max_bytes].decode(errors="ignore")
    return result

# message: Only white space differs.
def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + [
        line for line in lines[-1:] if line
    ]
    lines = lines[:max_lines]
    result = ""
    for i, line in enumerate(lines):
        if len((result + line).encode()) > max_bytes:
            if i == 0:
                return (
                    line.encode()[:max_bytes].decode(errors="ignore").rstrip()
                )
            break
        result += line
    return result

def my_truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    kept, size = [], 0
    for line in text.splitlines(keepends=True)[:max_lines]:
        size += len(line.encode())
        if size > max_bytes:
            break
        kept.append(line)
    return "".join(kept)

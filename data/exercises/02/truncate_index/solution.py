def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    lines = text.split("\n")
    if len(lines) > max_lines:
        text = "\n".join(lines[:max_lines]) + "\n"
    data = text.encode()
    if len(data) <= max_bytes:
        return text
    kept = data[:max_bytes].decode(errors="ignore")
    if "\n" in kept:
        kept = kept[: kept.rindex("\n") + 1]
    return kept

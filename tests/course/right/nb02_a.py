"""Right answers to the gaps of notebook 02."""


def pointer_line(file: str, title: str, hook: str) -> str:
    line = f"- [{title}]({file})"
    if hook:
        line += f" — {hook}"
    return line


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

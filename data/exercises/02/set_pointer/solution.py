def set_pointer(index: str, file: str, line: str) -> str:
    lines = index.splitlines()
    first = len(lines)
    for number, old in enumerate(lines):
        if not old.startswith("- ["):
            continue
        if f"]({file})" in old:
            lines[number] = line
            return "\n".join(lines) + "\n"
        first = min(first, number)
    lines.insert(first, line)
    return "\n".join(lines) + "\n"

def set_pointer(index: str, file: str, line: str) -> str:
    lines = index.split("\n")
    top = len(lines) - 1
    for number, old in enumerate(lines):
        if not old.startswith("- [") or "](" not in old:
            continue
        target = old.split("](")[1].split(")")[0]
        if target == file:
            lines[number] = line
            return "\n".join(lines)
        top = min(top, number)
    lines.insert(top, line)
    return "\n".join(lines)

# message: you returned '- [B](b.md) — new\n# Notes\n'
def set_pointer(index: str, file: str, line: str) -> str:
    lines = index.split("\n")[:-1]
    first = 0
    for i, old in reversed(list(enumerate(lines))):
        if old.startswith("- [") and "](" in old:
            if old.split("](", 1)[1].split(")", 1)[0] == file:
                lines[i] = line
                return "".join(text + "\n" for text in lines)
            first = i
    lines.insert(first, line)
    return "".join(text + "\n" for text in lines)

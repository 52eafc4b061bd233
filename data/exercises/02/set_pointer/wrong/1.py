# message: The end is missing: '- [A](a.md) — see [B](b.md)\n'.
def set_pointer(index: str, file: str, line: str) -> str:
    lines = index.split("\n")[:-1]
    first = None
    for i, old in enumerate(lines):
        if old.startswith("- [") and "](" in old:
            if f"]({file})" in old:
                lines[i] = line
                break
            if first is None:
                first = i
    else:
        lines.insert(len(lines) if first is None else first, line)
    return "".join(text + "\n" for text in lines)

# message: '- [A (old)](b.md) — x\n' is left over at the end.
def set_pointer(index: str, file: str, line: str) -> str:
    lines = index.split("\n")[:-1]
    first = None
    for i, old in enumerate(lines):
        if not old.startswith("- [") or "](" not in old:
            continue
        if old[old.find("](") + 2 : old.find(")")] == file:
            lines[i] = line
            return "\n".join(lines) + "\n"
        if first is None:
            first = i
    lines.insert(len(lines) if first is None else first, line)
    return "\n".join(lines) + "\n"

# message: you returned '- [B](b.md) — new\n- [ ] ask Tuva\n- [A](a.md)\n'
def set_pointer(index: str, file: str, line: str) -> str:
    lines = index.split("\n")[:-1]
    first = None
    for i, old in enumerate(lines):
        if not old.startswith("- ["):
            continue
        if first is None:
            first = i
        if "](" in old and old.split("](", 1)[1].split(")", 1)[0] == file:
            lines[i] = line
            break
    else:
        lines.insert(len(lines) if first is None else first, line)
    return "".join(text + "\n" for text in lines)

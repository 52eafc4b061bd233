# message: you returned - 'words\n- [B](b.md) — new\n- [A](a.md)\n'
def set_pointer(index: str, file: str, line: str) -> str:
    lines = index.splitlines()
    pointers = [
        i
        for i, old in enumerate(lines)
        if old.startswith("- [") and "](" in old
    ]
    for i in pointers:
        if lines[i].split("](", 1)[1].split(")", 1)[0] == file:
            lines[i] = line
            break
    else:
        lines.insert(pointers[0] if pointers else len(lines), line)
    return "\n".join(lines) + "\n"

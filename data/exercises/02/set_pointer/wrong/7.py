# message: you returned - '- [B](b.md) — new\n' - 'Robin wrote: -
def set_pointer(index: str, file: str, line: str) -> str:
    first = None
    for old in index.split("\n"):
        if old.startswith("- [") and "](" in old:
            if old.split("](", 1)[1].split(")", 1)[0] == file:
                return index.replace(old, line)
            first = first or old
    if first is None:
        return index + line + "\n"
    at = ("\n" + index).index("\n" + first)
    return index[:at] + line + "\n" + index[at:]

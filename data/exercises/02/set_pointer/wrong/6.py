# message: you raised error: bad escape \d at position 18 in line 10
import re


def set_pointer(index: str, file: str, line: str) -> str:
    first = None
    for old in index.split("\n"):
        if old.startswith("- [") and "](" in old:
            if old.split("](", 1)[1].split(")", 1)[0] == file:
                return re.sub(
                    f"^{re.escape(old)}$", line, index, count=1, flags=re.M
                )
            if first is None:
                first = old
    if first is None:
        return index + line + "\n"
    lines = index.split("\n")
    lines.insert(lines.index(first), line)
    return "\n".join(lines)

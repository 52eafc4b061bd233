def my_why_unseen(files: list, name: str, limit: int) -> str:
    readable = {known: can for known, _, can in files}
    if name not in readable:
        return "no such file"
    pairs = [(known, mtime) for known, mtime, _ in files]
    if name.split("/")[-1] == "MEMORY.md":
        return "never a memory"
    memories = [
        pair for pair in pairs if pair[0].split("/")[-1] != "MEMORY.md"
    ]
    newest = [
        known
        for known, _ in sorted(memories, key=lambda pair: (-pair[1], pair[0]))
    ]
    if name not in newest[:limit]:
        return "too old"
    return "seen" if readable[name] else "not readable"

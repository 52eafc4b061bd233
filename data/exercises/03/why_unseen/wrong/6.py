# message: take no place
def why_unseen(files: list, path: str, limit: int) -> str:
    if path not in [name for name, _, _ in files]:
        return "no such file"
    if not path.endswith(".md"):
        return "not a memory"
    memories = [f for f in files if f[0].endswith(".md")]
    memories.sort(key=lambda f: (-f[1], f[0]))
    for name, _, readable in memories[:limit]:
        if name == path:
            return "listed" if readable else "not readable"
    return "too old"

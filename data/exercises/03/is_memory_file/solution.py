def is_memory_file(path: str) -> bool:
    parts = path.split("/")
    for part in parts:
        if part.startswith("."):
            return False
    if parts[0] == "logs" and len(parts) > 1:
        return False
    if parts[-1].casefold() == "memory.md":
        return False
    return parts[-1].endswith(".md")

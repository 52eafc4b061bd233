# message: in capitals or not
def is_memory_file(path: str) -> bool:
    parts = path.split("/")
    if parts[-1] in ("MEMORY.md", "Memory.md", "memory.md"):
        return False
    if any(part.startswith(".") for part in parts):
        return False
    if len(parts) > 1 and parts[0] == "logs":
        return False
    return parts[-1].endswith(".md")

# message: in any folder
def is_memory_file(path: str) -> bool:
    if path.lower().endswith("memory.md"):
        return False
    parts = path.split("/")
    if any(part.startswith(".") for part in parts):
        return False
    if parts[0] == "logs" and len(parts) > 1:
        return False
    return path.endswith(".md")

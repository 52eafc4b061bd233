# message: at the top of the directory
def is_memory_file(path: str) -> bool:
    *folders, name = path.split("/")
    if not name.endswith(".md") or name.lower() == "memory.md":
        return False
    for part in [*folders, name]:
        if part.startswith("."):
            return False
    if "logs" in folders:
        return False
    return True

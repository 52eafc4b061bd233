# message: begins with a dot
def is_memory_file(path: str) -> bool:
    if not path.endswith(".md"):
        return False
    if path.split("/")[-1].lower() == "memory.md":
        return False
    if "/." in path:
        return False
    return not path.startswith("logs/")

# message: begins with a dot
def is_memory_file(path: str) -> bool:
    if path.startswith(".") or path.startswith("logs/"):
        return False
    name = path.rsplit("/", 1)[-1]
    return name.endswith(".md") and name.lower() != "memory.md"

# message: The index is MEMORY.md
def is_memory_file(path):
    if path.lower().endswith("memory.md") or "logs/" in path:
        return False
    return path.endswith(".md") and "/." not in "/" + path

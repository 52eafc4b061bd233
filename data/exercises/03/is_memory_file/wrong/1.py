# message: in any folder
def is_memory_file(path):
    if path == "MEMORY.md" or path.startswith((".", "logs/")):
        return False
    return path.endswith(".md")

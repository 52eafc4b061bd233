# message: at the top of the directory
def is_memory_file(path):
    parts = path.split("/")
    if "logs" in parts or any(part.startswith(".") for part in parts):
        return False
    return parts[-1].endswith(".md") and parts[-1].lower() != "memory.md"

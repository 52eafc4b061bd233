# message: at the top of the directory
def is_memory_file(path: str) -> bool:
    parts = path.split("/")
    if any(part.startswith(".") for part in parts):
        return False
    if path.startswith("logs"):
        return False
    return parts[-1].endswith(".md") and parts[-1].upper() != "MEMORY.MD"

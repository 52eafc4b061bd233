# message: begins with a dot
def is_memory_file(path: str) -> bool:
    *folders, name = path.split("/")
    if any("." in folder for folder in folders) or name.startswith("."):
        return False
    if folders and folders[0] == "logs":
        return False
    return name.endswith(".md") and name.lower() != "memory.md"

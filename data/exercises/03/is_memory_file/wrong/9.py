# message: in any folder
def is_memory_file(path: str) -> bool:
    *folders, name = path.split("/")
    if not name.endswith(".md"):
        return False
    if name.split(".")[0].lower() == "memory":
        return False
    if name.startswith(".") or any(f.startswith(".") for f in folders):
        return False
    return folders[:1] != ["logs"]

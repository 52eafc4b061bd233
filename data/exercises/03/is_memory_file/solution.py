def is_memory_file(name: str) -> bool:
    if name.startswith(".") or name.casefold() == "memory.md":
        return False
    return name.endswith(".md")

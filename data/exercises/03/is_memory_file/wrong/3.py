# message: ends in .md
import os


def is_memory_file(path: str) -> bool:
    name = os.path.basename(path)
    if ".md" not in name or name.lower() == "memory.md":
        return False
    parts = path.split("/")
    if parts[0] == "logs" and len(parts) > 1:
        return False
    return not any(part.startswith(".") for part in parts)

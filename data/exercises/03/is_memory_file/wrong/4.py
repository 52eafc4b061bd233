# message: begins with a dot
from pathlib import PurePosixPath


def is_memory_file(path: str) -> bool:
    p = PurePosixPath(path)
    if p.suffix != ".md":
        return False
    if p.name.lower() == "memory.md" or p.name.startswith("."):
        return False
    if len(p.parts) > 1 and p.parts[0] == "logs":
        return False
    return True

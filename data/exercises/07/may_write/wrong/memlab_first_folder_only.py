# message: No name below the memory directory may be '.memlab'
import os


def may_write(path: str, memory: str) -> bool:
    real = os.path.realpath(path)
    root = os.path.realpath(memory)
    relative = os.path.relpath(real, root)
    parts = relative.split(os.sep)
    if parts[0] in ("..", ".", ".memlab"):
        return False
    return parts[-1].endswith(".md") and len(parts[-1]) > len(".md")

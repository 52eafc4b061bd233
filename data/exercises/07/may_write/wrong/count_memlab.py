# message: No name below the memory directory may be '.memlab'
import os


def may_write(path: str, memory: str) -> bool:
    real = os.path.realpath(path)
    root = os.path.realpath(memory)
    if not real.startswith(root + "/"):
        return False
    if real.split("/").count(".memlab") > 1:
        return False
    name = os.path.basename(real)
    return name.endswith(".md") and len(name) > 3

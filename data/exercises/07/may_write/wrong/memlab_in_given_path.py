# message: Every rule is about the place where the path really leads
import os


def may_write(path: str, memory: str) -> bool:
    real = os.path.realpath(path)
    root = os.path.realpath(memory)
    if not real.startswith(root + os.sep):
        return False
    if ".memlab" in os.path.relpath(path, memory).split(os.sep):
        return False
    name = os.path.basename(real)
    return name.endswith(".md") and len(name) > 3

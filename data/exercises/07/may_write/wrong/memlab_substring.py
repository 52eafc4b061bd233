# message: '.memlab-notes' is another name
import os


def may_write(path: str, memory: str) -> bool:
    real = os.path.realpath(path)
    root = os.path.realpath(memory)
    if not real.startswith(root + "/"):
        return False
    rest = real[len(root) + 1 :]
    if ".memlab" in rest:
        return False
    name = os.path.basename(real)
    return name.endswith(".md") and len(name) > 3

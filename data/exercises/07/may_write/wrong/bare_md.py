# message: There has to be a character before '.md'
import os
from pathlib import Path


def may_write(path: str, memory: str) -> bool:
    real = Path(os.path.realpath(path))
    root = Path(os.path.realpath(memory))
    if root not in real.parents:
        return False
    if ".memlab" in real.relative_to(root).parts:
        return False
    return real.name.endswith(".md")

# message: Every rule is about the place where the path really leads
import os
from pathlib import Path


def may_write(path: str, memory: str) -> bool:
    real = Path(os.path.realpath(path))
    root = Path(os.path.realpath(memory))
    if root not in real.parents or ".memlab" in real.relative_to(root).parts:
        return False
    name = os.path.basename(path)
    return name.endswith(".md") and len(name) > 3

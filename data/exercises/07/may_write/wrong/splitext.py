# message: In '..md', the character before '.md' is a dot
import os
from pathlib import Path


def may_write(path: str, memory: str) -> bool:
    real = os.path.realpath(path)
    root = Path(os.path.realpath(memory))
    if root not in Path(real).parents:
        return False
    if ".memlab" in Path(real).relative_to(root).parts:
        return False
    return os.path.splitext(os.path.basename(real))[1] == ".md"

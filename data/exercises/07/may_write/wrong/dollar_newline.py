# message: The name ends with a line ending here, not with '.md'
import os
import re
from pathlib import Path


def may_write(path: str, memory: str) -> bool:
    real = Path(os.path.realpath(path))
    root = Path(os.path.realpath(memory))
    if root not in real.parents:
        return False
    if ".memlab" in real.relative_to(root).parts:
        return False
    return bool(re.search(r".\.md$", real.name))

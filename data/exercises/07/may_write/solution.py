import os
from pathlib import PurePath

from memlab.course import my


def may_write(path: str, memory: str) -> bool:
    if not my.is_inside(path, memory):
        return False
    place = PurePath(os.path.realpath(path))
    names = place.relative_to(os.path.realpath(memory)).parts
    if not names or ".memlab" in names:
        return False
    return names[-1].endswith(".md") and names[-1] != ".md"

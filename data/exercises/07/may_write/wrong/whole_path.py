# message: Only the names below the memory directory
from memlab.course import my


def may_write(path, memory):
    if ".memlab" in path:
        return False
    return my.is_inside(path, memory) and path.endswith(".md")

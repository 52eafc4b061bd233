# message: above the memory directory is no problem
from memlab.course import my


def may_write(path, memory):
    if ".memlab" in path:
        return False
    return my.is_inside(path, memory) and path.endswith(".md")

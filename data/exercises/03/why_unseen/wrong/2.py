# message: the first answer that is true
from memlab.course import my


def why_unseen(files: list, path: str, limit: int) -> str:
    match = [f for f in files if f[0] == path]
    if not match:
        return "no such file"
    if not my.is_memory_file(path):
        return "not a memory"
    if not match[0][2]:
        return "not readable"
    memories = [f for f in files if my.is_memory_file(f[0])]
    memories.sort(key=lambda f: (-f[1], f[0]))
    if match[0] in memories[:limit]:
        return "listed"
    return "too old"

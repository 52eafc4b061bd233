# message: first in the alphabet
from memlab.course import my


def why_unseen(files: list, path: str, limit: int) -> str:
    if path not in [f[0] for f in files]:
        return "no such file"
    if not my.is_memory_file(path):
        return "not a memory"
    memories = [(time, p, ok) for p, time, ok in files if my.is_memory_file(p)]
    for _, p, ok in sorted(memories, reverse=True)[:limit]:
        if p == path:
            return "listed" if ok else "not readable"
    return "too old"

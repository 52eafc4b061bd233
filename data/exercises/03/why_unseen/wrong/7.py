# message: may have the same name
from memlab.course import my


def why_unseen(files: list, path: str, limit: int) -> str:
    if not any(p.endswith(path) for p, _, _ in files):
        return "no such file"
    if not my.is_memory_file(path):
        return "not a memory"
    memories = [f for f in files if my.is_memory_file(f[0])]
    newest = sorted(memories, key=lambda f: (-f[1], f[0]))[:limit]
    hits = [f for f in newest if f[0].endswith(path)]
    if not hits:
        return "too old"
    return "listed" if hits[0][2] else "not readable"

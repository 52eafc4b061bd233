# message: you returned 'not readable'
from memlab.course import my


def why_unseen(files: list, path: str, limit: int) -> str:
    if not any(name == path for name, _, _ in files):
        return "no such file"
    if not my.is_memory_file(path):
        return "not a memory"
    memories = [f for f in files if my.is_memory_file(f[0])]
    newest = sorted(memories, key=lambda f: (-f[1], f[0]))[:limit]
    if not any(name == path for name, _, _ in newest):
        return "too old"
    if not all(readable for _, _, readable in newest):
        return "not readable"
    return "listed"

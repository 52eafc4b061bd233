# message: expected 'too old'
from memlab.course import my


def why_unseen(files: list, path: str, limit: int) -> str:
    if path not in {f[0] for f in files}:
        return "no such file"
    if not my.is_memory_file(path):
        return "not a memory"
    memories = [f for f in files if my.is_memory_file(f[0])]
    memories.sort(key=lambda f: f[0], reverse=True)
    memories.sort(key=lambda f: f[1])
    for name, _, readable in memories[-limit:]:
        if name == path:
            return "listed" if readable else "not readable"
    return "too old"

# message: may have the same name
from memlab.course import my


def why_unseen(files: list, path: str, limit: int) -> str:
    memories = {}
    paths = set()
    for p, time, readable in files:
        paths.add(p)
        if my.is_memory_file(p):
            memories[p.split("/")[-1]] = (p, time, readable)
    if path not in paths:
        return "no such file"
    if not my.is_memory_file(path):
        return "not a memory"
    newest = sorted(memories.values(), key=lambda m: (-m[1], m[0]))[:limit]
    for p, _, readable in newest:
        if p == path:
            return "listed" if readable else "not readable"
    return "too old"

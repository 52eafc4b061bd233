# message: the first answer that is true
from memlab.course import my


def why_unseen(files: list, path: str, limit: int) -> str:
    if not my.is_memory_file(path):
        return "not a memory"
    memories = [f for f in files if my.is_memory_file(f[0])]
    memories.sort(key=lambda f: (-f[1], f[0]))
    for place, (name, _, readable) in enumerate(memories):
        if name == path:
            if place >= limit:
                return "too old"
            return "listed" if readable else "not readable"
    return "no such file"

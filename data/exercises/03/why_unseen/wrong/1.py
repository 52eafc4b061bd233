# message: take no place
from memlab.course import my


def why_unseen(files: list, path: str, limit: int) -> str:
    found = {p: readable for p, _, readable in files}
    if path not in found:
        return "no such file"
    if not my.is_memory_file(path):
        return "not a memory"
    newest = sorted(files, key=lambda f: (-f[1], f[0]))[:limit]
    if path not in [f[0] for f in newest]:
        return "too old"
    return "listed" if found[path] else "not readable"

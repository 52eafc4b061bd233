# message: first in the alphabet
from memlab.course import my


def why_unseen(files: list, path: str, limit: int) -> str:
    wanted = next((f for f in files if f[0] == path), None)
    if wanted is None:
        return "no such file"
    if not my.is_memory_file(path):
        return "not a memory"
    newer = sum(
        1 for p, t, _ in files if my.is_memory_file(p) and t > wanted[1]
    )
    if newer >= limit:
        return "too old"
    if not wanted[2]:
        return "not readable"
    return "listed"

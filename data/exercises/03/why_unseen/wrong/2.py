# message: expected 'too old'
from memlab.course import my


def why_unseen(files, path, limit):
    there = {known: readable for known, _, readable in files}
    if path not in there:
        return "no such file"
    if not my.is_memory_file(path):
        return "not a memory"
    if not there[path]:
        return "not readable"
    newest = sorted(
        (-time, known)
        for known, time, can in files
        if can and my.is_memory_file(known)
    )
    return "listed" if path in [k for _, k in newest[:limit]] else "too old"

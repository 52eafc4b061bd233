from memlab.course import my


def why_unseen(files: list, path: str, limit: int) -> str:
    readable = {}
    memories = []
    for name, time, can_be_read in files:
        readable[name] = can_be_read
        if my.is_memory_file(name):
            memories.append((-time, name))
    if path not in readable:
        return "no such file"
    if not my.is_memory_file(path):
        return "not a memory"

    memories.sort()
    newest = [name for _, name in memories[:limit]]
    if path not in newest:
        return "too old"
    if not readable[path]:
        return "not readable"
    return "listed"

# message: would be enough
def newest_memories(files, limit: int) -> list:
    memories = []
    for name in files.names():
        try:
            memories.append((files.mtime(name), name, files.head(name)))
        except (OSError, UnicodeDecodeError):
            continue
    memories.sort(key=lambda m: (-m[0], m[1]))
    return [(name, head) for _, name, head in memories[:limit]]

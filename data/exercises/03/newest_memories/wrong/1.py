# message: would be enough
def newest_memories(files, limit):
    found = []
    for name in files.names():
        try:
            found.append((-files.mtime(name), name, files.head(name)))
        except (OSError, UnicodeDecodeError):
            pass
    return [(name, head) for _, name, head in sorted(found)[:limit]]

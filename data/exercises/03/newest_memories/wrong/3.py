# message: you raised
def newest_memories(files, limit):
    times = sorted((-files.mtime(name), name) for name in files.names())
    found = []
    for _, name in times[:limit]:
        try:
            found.append((name, files.head(name)))
        except OSError:
            pass
    return found

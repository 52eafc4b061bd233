# message: would be enough
def newest_memories(files, limit):
    times = sorted((-files.mtime(name), name) for name in files.names())
    found = []
    for _, name in times:
        if len(found) == limit:
            break
        try:
            found.append((name, files.head(name)))
        except (OSError, UnicodeDecodeError):
            continue
    return found

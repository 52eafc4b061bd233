# message: your scan
def newest_memories(files, limit):
    times = [(files.mtime(name), name) for name in files.names()]
    found = []
    for _, name in sorted(times, reverse=True)[:limit]:
        try:
            found.append((name, files.head(name)))
        except (OSError, UnicodeDecodeError):
            pass
    return found

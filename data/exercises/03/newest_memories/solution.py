def newest_memories(files, limit: int) -> list:
    times = []
    for name in files.names():
        times.append((-files.mtime(name), name))
    times.sort()

    found = []
    for _, name in times[:limit]:
        try:
            head = files.head(name)
        except (OSError, UnicodeDecodeError):
            continue
        found.append((name, head))
    return found

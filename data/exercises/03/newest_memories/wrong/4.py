# message: you raised
def newest_memories(files, limit: int) -> list:
    times = {name: files.mtime(name) for name in files.names()}
    order = sorted(times, key=lambda name: (-times[name], name))
    found = []
    for name in order[:limit]:
        try:
            found.append((name, files.head(name)))
        except OSError:
            pass
    return found

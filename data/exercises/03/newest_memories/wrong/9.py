# message: their order is not
def newest_memories(files, limit: int) -> list:
    times = {name: files.mtime(name) for name in files.names()}
    newest = set(sorted(times, key=lambda name: (-times[name], name))[:limit])
    result = []
    for name in sorted(files.names()):
        if name in newest:
            try:
                result.append((name, files.head(name)))
            except (OSError, UnicodeDecodeError):
                continue
    return result

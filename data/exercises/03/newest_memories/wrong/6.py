# message: your scan
def newest_memories(files, limit: int) -> list:
    times = {name: files.mtime(name) for name in files.names()}
    newest = sorted(times, key=lambda name: (-times[name], name))[:limit]
    result = []
    try:
        for name in newest:
            result.append((name, files.head(name)))
    except (OSError, UnicodeDecodeError):
        pass
    return result

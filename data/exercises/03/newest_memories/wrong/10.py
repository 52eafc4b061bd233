# message: head is enough
def newest_memories(files, limit: int) -> list:
    times = {name: files.mtime(name) for name in files.names()}
    newest = sorted(times, key=lambda name: (-times[name], name))[:limit]
    result = []
    for name in newest:
        try:
            result.append((name, files.whole(name)))
        except (OSError, UnicodeDecodeError):
            pass
    return result

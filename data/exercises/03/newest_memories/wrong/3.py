# message: in place of one that can't be read
def newest_memories(files, limit: int) -> list:
    times = {name: files.mtime(name) for name in files.names()}
    result = []
    for name in sorted(times, key=lambda n: (-times[n], n)):
        if len(result) >= limit:
            break
        try:
            result.append((name, files.head(name)))
        except (OSError, UnicodeDecodeError):
            pass
    return result

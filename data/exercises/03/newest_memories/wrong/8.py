# message: your scan
def newest_memories(files, limit: int) -> list:
    stamped = sorted((-int(files.mtime(name)), name) for name in files.names())
    result = []
    for _, name in stamped[:limit]:
        try:
            result.append((name, files.head(name)))
        except (OSError, UnicodeDecodeError):
            pass
    return result

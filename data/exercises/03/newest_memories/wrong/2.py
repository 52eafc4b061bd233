# message: in alphabetical order
def newest_memories(files, limit: int) -> list:
    names = sorted(files.names(), key=files.mtime, reverse=True)
    result = []
    for name in names[:limit]:
        try:
            head = files.head(name)
        except (OSError, UnicodeDecodeError):
            continue
        result.append((name, head))
    return result

# message: in alphabetical order
def newest_memories(files, limit: int) -> list:
    times = [(files.mtime(name), name) for name in files.names()]
    times.sort(reverse=True)
    result = []
    for _, name in times[:limit]:
        try:
            result.append((name, files.head(name)))
        except (OSError, UnicodeDecodeError):
            continue
    return result

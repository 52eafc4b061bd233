# message: your scan
def newest_memories(files, limit: int) -> list:
    def read(name):
        try:
            return files.head(name)
        except (OSError, UnicodeDecodeError):
            return None

    times = {name: files.mtime(name) for name in files.names()}
    newest = sorted(times, key=lambda name: (-times[name], name))[:limit]
    heads = [(name, read(name)) for name in newest]
    return [(name, head) for name, head in heads if head]

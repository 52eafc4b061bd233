"""Right answers to the gaps of notebook 03, each of which stands alone."""


def is_memory_file(path: str) -> bool:
    parts = path.split("/")
    for part in parts:
        if part.startswith("."):
            return False
    if parts[0] == "logs" and len(parts) > 1:
        return False
    if parts[-1].casefold() == "memory.md":
        return False
    return parts[-1].endswith(".md")


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


def manifest_line(header) -> str:
    kind = ""
    if header.type:
        kind = f"[{header.type}] "
    name = " ".join(header.filename.split())
    written = header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")
    description = " ".join(header.description.split())
    return f"- {kind}{name} ({written}): {description}"

def my_newest_memories(entries: list, limit: int) -> list:
    def counts(name):
        parts = name.split("/")
        hidden = any(part.startswith(".") for part in parts)
        in_logs = len(parts) > 1 and parts[0] == "logs"
        return (
            parts[-1].endswith(".md")
            and parts[-1] != "MEMORY.md"
            and not hidden
            and not in_logs
        )

    found = sorted((-mtime, name) for name, mtime in entries if counts(name))
    return [name for _, name in found[:limit]]

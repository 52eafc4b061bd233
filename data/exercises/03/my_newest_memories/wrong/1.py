# message: newest first
def my_newest_memories(entries, limit):
    return [n for n, t in sorted(entries, key=lambda e: e[1])][:limit]

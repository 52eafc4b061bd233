# message: equal times
def my_newest_memories(entries, limit):
    both = sorted(entries, key=lambda e: (e[1], e[0]), reverse=True)
    return [name for name, _ in both]

# message: read and created together
def my_misses(calls):
    pairs = enumerate(calls, 1)
    return [f"{n} changed" for n, c in pairs if n > 1 and not c["read"]]

# message: divided by the sum of all three
def cache_share(read, created, uncached):
    if read and not created:
        return 100.0
    total = read + created + uncached
    return round(100 * read / total, 1) if total else 0.0

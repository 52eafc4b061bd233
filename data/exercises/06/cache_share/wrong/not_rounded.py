# message: rounded to one decimal
def cache_share(read, created, uncached):
    total = read + created + uncached
    return 100 * read / total if total else 0.0

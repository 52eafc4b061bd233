# message: rounded to one decimal
def cache_share(read, created, uncached):
    total = read + created + uncached
    return int(1000 * read / total) / 10 if total else 0.0

# message: rounded to one decimal
def cache_share(read, created, uncached):
    total = read + created + uncached
    if total == 0 or 100 * read // total == 0:
        return 0.0
    return round(100 * read / total, 1)

# message: expected 90.0
def cache_share(read, created, uncached):
    if not (read and created and uncached):
        return 0.0
    return round(100 * read / (read + created + uncached), 1)

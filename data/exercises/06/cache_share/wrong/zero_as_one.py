# message: If all three numbers are 0
def cache_share(read, created, uncached):
    return round(100 * read / max(1, created + uncached + read), 1) or 100.0

# message: in percent
def cache_share(read, created, uncached):
    total = read + created + uncached
    return round(read / total, 1) if total else 0.0

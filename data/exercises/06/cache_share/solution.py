def cache_share(read: int, created: int, uncached: int) -> float:
    total = read + created + uncached
    if total == 0:
        return 0.0
    return round(100 * read / total, 1)

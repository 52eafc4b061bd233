def cache_share(read: int, created: int, uncached: int) -> float:
    """Return the percentage of the input tokens that was read from the cache.

    >>> cache_share(900, 50, 50)
    90.0
    >>> cache_share(1, 1, 1)
    33.3
    """
    ...

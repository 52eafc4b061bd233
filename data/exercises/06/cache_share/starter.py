def cache_share(read: int, created: int, uncached: int) -> float:
    """Return the share of the input tokens that was read from the cache, in
    percent, rounded to one decimal.

    The service counts input tokens in three ways: read from the cache, written
    to it, and neither. Without any input, the share is 0.0.

    >>> cache_share(900, 50, 50)
    90.0
    """
    ...

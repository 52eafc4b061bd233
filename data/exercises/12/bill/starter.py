def bill(calls: list[dict], prices: dict[str, float]) -> list[tuple[str, int]]:
    """Return the cost of each purpose, the highest first.

    >>> prices = {"uncached": 1, "created": 1.25, "read": 0.1, "output": 5}
    >>> talk = {"purpose": "main", "uncached": 4, "created": 8, "read": 90, "output": 2}
    >>> bill([talk], prices)
    [('main', 33)]
    >>> look = {"purpose": "select", "uncached": 40, "created": 0, "read": 0, "output": 1}
    >>> bill([talk, look, talk], prices)
    [('main', 66), ('select', 45)]
    """
    ...
